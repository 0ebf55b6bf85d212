/**
 * What it means that there was no answer (RELIABILITY 3.6). Owns: node's error codes → a code and a sentence that says
 * what to do. Invariant: the sentence names host and port, never a header.
 */
import { fault } from "../../domain/FaultTexts.ts"
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

const AWAY = new Set(["ETIMEDOUT", "EHOSTUNREACH", "ENETUNREACH"])

/** What went wrong may be the proxy's. */
const proxied = (code: string, message: string, proxy: string, peer: Peer): string | undefined => {
  if (code === "ERR_PROXY_TUNNEL") return fault("proxy_refuses", { proxy, words: oneLine(message, peer.key) })
  if (NAME.has(code)) return fault("proxy_unknown", { proxy })
  return code === "ECONNREFUSED" || AWAY.has(code) ? fault("proxy_unreachable", { proxy }) : undefined
}

const sentence = (code: string, message: string, peer: Peer): string => {
  const through = peer.proxy === undefined ? undefined : proxied(code, message, peer.proxy, peer)
  if (through !== undefined) return through
  const host = URL.parse(peer.base_url)?.host ?? peer.base_url
  if (NAME.has(code)) return fault("name_unknown", { host })
  if (code === "ECONNREFUSED")
    return `${fault("nobody_listens", { host })} ${peer.start_hint ?? fault("is_it_running")}`
  if (AWAY.has(code)) return fault("unreachable", { host })
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID") return fault("other_certificate", { host })
  if (code === "CERT_HAS_EXPIRED") return fault("old_certificate", { host })
  if (CERTIFICATE.test(code)) return fault("untrusted_certificate", { host, code })
  if (code === "EPROTO" || code.startsWith("ERR_SSL")) return fault("no_tls", { host })
  if (code.startsWith("HPE_")) return fault("no_http", { host })
  if (code === "ERR_INVALID_CHAR") return fault("header_character")
  if (code === "ECONNRESET" || code === "EPIPE") return fault("closed_early", { host })
  const said = oneLine(message, peer.key)
  return said === "" ? fault("unreachable_plain", { host }) : fault("unreachable_since", { host, words: `${said}.` })
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
    detail: fault("broken"),
    cause: strip(code, message, peer)
  })
}
