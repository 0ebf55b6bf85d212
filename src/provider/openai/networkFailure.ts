/**
 * What it means that there was no answer (RELIABILITY 3.6). Owns: node's error codes → a code and a sentence that says
 * what to do. Invariant: the sentence names host and port, never a header.
 */
import { ProviderError } from "../ProviderError.ts"
import { type Peer, oneLine } from "./failure.ts"

/** The innermost error with a code: the package and node wrap them, and a name with two addresses gives an aggregate. */
const rootOf = (error: unknown): { readonly code: string; readonly message: string } => {
  let message = ""
  for (let current = error, depth = 0; current instanceof Error && depth < 8; depth++) {
    message = current.message === "" ? message : current.message
    const code = "code" in current && typeof current.code === "string" ? current.code : ""
    if (code !== "" && !(current instanceof AggregateError && current.errors.length === 0)) return { code, message }
    current = current instanceof AggregateError ? current.errors[0] : current.cause
  }
  return { code: "", message }
}

const CERTIFICATE = /CERT|SELF_SIGNED|UNABLE_TO_(?:GET_ISSUER|VERIFY)|ERR_TLS/
const NAME = new Set(["ENOTFOUND", "EAI_AGAIN", "EAI_FAIL", "EAI_NODATA"])

/** What went wrong may be the proxy's. */
const proxied = (code: string, message: string, proxy: string, peer: Peer): string | undefined => {
  const at = `The proxy ${proxy} (HTTPS_PROXY, HTTP_PROXY)`
  if (code === "ERR_PROXY_TUNNEL") return `${at} does not let claw through: ${oneLine(message, peer.key)}`
  if (NAME.has(code)) return `The name of the proxy ${proxy} cannot be resolved. Check HTTPS_PROXY and HTTP_PROXY.`
  if (code === "ECONNREFUSED" || code === "ETIMEDOUT" || code === "EHOSTUNREACH" || code === "ENETUNREACH")
    return `${at} cannot be reached. Check it, or name the model server in NO_PROXY.`
  return undefined
}

const sentence = (code: string, message: string, peer: Peer): string => {
  const through = peer.proxy === undefined ? undefined : proxied(code, message, peer.proxy, peer)
  if (through !== undefined) return through
  const host = URL.parse(peer.base_url)?.host ?? peer.base_url
  const hint = peer.start_hint === undefined ? "" : ` ${peer.start_hint}`
  if (NAME.has(code)) return `The name in ${host} cannot be resolved. Check the base URL and your network.`
  if (code === "ECONNREFUSED")
    return `Nothing is listening at ${host}.${hint === "" ? " Is the server running, and is the base URL right?" : hint}`
  if (code === "ETIMEDOUT" || code === "EHOSTUNREACH" || code === "ENETUNREACH")
    return `${host} cannot be reached. Check your network, VPN or firewall.`
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID")
    return `The certificate of ${host} belongs to another name. Check the host in the base URL.`
  if (code === "CERT_HAS_EXPIRED")
    return `The certificate of ${host} has expired. Check the date of this machine, or tell the server's operator.`
  if (CERTIFICATE.test(code))
    return `The certificate of ${host} is not trusted (${code}). If the server has its own certificate authority, name its file in NODE_EXTRA_CA_CERTS.`
  if (code === "EPROTO" || code.startsWith("ERR_SSL"))
    return `${host} does not speak TLS there. Perhaps the base URL should begin with http://.`
  if (code.startsWith("HPE_"))
    return `${host} does not answer in HTTP there. Perhaps the base URL should begin with https://, or has another port.`
  if (code === "ERR_INVALID_CHAR") return "The API key or another header contains a character that cannot be sent."
  if (code === "ECONNRESET" || code === "EPIPE") return `${host} closed the connection before it answered.`
  const said = oneLine(message, peer.key)
  return `${host} cannot be reached${said === "" ? "" : `: ${said}`}.`
}

const isLoopback = (hostname: string): boolean => /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname)

/** What somebody has to mend: a name, a certificate, a scheme, a server on this machine that nobody started. */
const lasts = (code: string, { base_url, proxy }: Peer): boolean => {
  if (code === "ECONNREFUSED") return proxy === undefined && isLoopback(URL.parse(base_url)?.hostname ?? "")
  return code === "ENOTFOUND" || code === "EPROTO" || /^(?:ERR_SSL|HPE_)/.test(code) || CERTIFICATE.test(code)
}

const strip = (code: string, message: string, peer: Peer): Error =>
  Object.assign(new Error(oneLine(message, peer.key)), code === "" ? {} : { code })

/** There was no answer. */
export const networkError = (error: unknown, peer: Peer): ProviderError => {
  const { code, message } = rootOf(error)
  return new ProviderError({
    code: code === "ERR_INVALID_CHAR" ? "provider_auth" : "provider_unreachable",
    detail: sentence(code, message, peer),
    ...(lasts(code, peer) ? { lasting: true } : {}),
    cause: strip(code, message, peer)
  })
}

/** The connection broke in the middle of an answer (R112). */
export const brokenError = (error: unknown, peer: Peer): ProviderError => {
  const { code, message } = rootOf(error)
  return new ProviderError({
    code: "provider_bad_stream",
    detail: "The connection to the model server broke in the middle of the answer.",
    cause: strip(code, message, peer)
  })
}
