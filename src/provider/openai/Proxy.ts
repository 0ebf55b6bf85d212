/**
 * Whether a model server is reached through a proxy (HTTP_PROXY, HTTPS_PROXY, NO_PROXY). Owns: that decision, and what
 * proxies we can use. Does not own: reading the environment (config does), carrying it out (node's agents do).
 * Invariants: this machine is never asked through a proxy; a proxy that cannot be used is an error and not a way around it.
 */
import { BlockList, isIP } from "node:net"
import { fault } from "../../domain/FaultTexts.ts"

/** As the environment has them, each with the name of its variable for messages. */
export interface ProxySettings {
  readonly http?: string
  readonly https?: string
  /** Hosts that are asked directly: names, `.domain`, addresses, `10.0.0.0/8`, each perhaps with `:port`, or `*`. */
  readonly none?: string
}

export interface ViaProxy {
  /** With credentials, where there are some. */
  readonly url: string
  /** For people. */
  readonly host: string
}

export interface UnusableProxy {
  readonly reason: string
}

const own = new BlockList()
own.addSubnet("127.0.0.0", 8, "ipv4")
own.addAddress("::1", "ipv6")

const familyOf = (address: string) => (isIP(address) === 6 ? ("ipv6" as const) : ("ipv4" as const))

const inSubnet = (host: string, entry: string): boolean => {
  const [base = "", bits = ""] = entry.split("/", 2)
  if (isIP(host) === 0 || isIP(base) === 0 || !/^\d+$/.test(bits)) return false
  const most = isIP(base) === 6 ? 128 : 32
  if (Number(bits) > most) return false
  const list = new BlockList()
  list.addSubnet(base, Number(bits), familyOf(base))
  return list.check(host, familyOf(host))
}

const matches = (entry: string, host: string, port: string): boolean => {
  if (entry === "*") return true
  if (entry.includes("/")) return inSubnet(host, entry)
  const [, name = entry, only] = /^(.*?)(?::(\d+))?$/.exec(isIP(entry) === 6 ? `[${entry}]` : entry) ?? []
  if (only !== undefined && only !== port) return false
  const bare = name.replace(/^\[|\]$/g, "").replace(/^\*?\./, "")
  return bare !== "" && (host === bare || (isIP(bare) === 0 && host.endsWith(`.${bare}`)))
}

/** Whether a host is asked directly. */
const isExcluded = (url: URL, none: string): boolean => {
  const host = url.hostname.toLowerCase().replace(/^\[|\]$/g, "")
  if (host === "localhost" || host.endsWith(".localhost")) return true
  if (isIP(host) !== 0 && own.check(host, familyOf(host))) return true
  const port = url.port === "" ? (url.protocol === "https:" ? "443" : "80") : url.port
  return none
    .toLowerCase()
    .split(/[\s,]+/)
    .some((entry) => matches(entry, host, port))
}

/** The proxy for a base URL; undefined: it is asked directly. */
export const proxyFor = (base_url: string, settings: ProxySettings): ViaProxy | UnusableProxy | undefined => {
  const url = URL.parse(base_url)
  if (url === null) return undefined
  const secure = url.protocol === "https:"
  const text = (secure ? settings.https : settings.http)?.trim() ?? ""
  if (text === "" || isExcluded(url, settings.none ?? "")) return undefined
  const name = secure ? "HTTPS_PROXY" : "HTTP_PROXY"
  const proxy = URL.parse(text.includes("://") ? text : `http://${text}`)
  if (proxy === null || proxy.hostname === "")
    return {
      reason: `${fault("proxy_no_url", { variable: name })} ${fault("url_like", { example: "http://proxy:3128" })}`
    }
  if (proxy.protocol !== "http:" && proxy.protocol !== "https:") {
    return { reason: fault("proxy_kind", { variable: name, protocol: proxy.protocol.slice(0, -1) }) }
  }
  return { url: proxy.href, host: proxy.host }
}
