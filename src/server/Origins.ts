/**
 * Which web pages may talk to this server, and under which names it may be asked (SETTLED 21, SECURITY T9). Pure: the
 * WebSocket upgrade, every HTTP route and the cookie judge by it. Invariants: names are compared whole, port and scheme
 * included; nothing matches by prefix or wildcard; `null` is nobody's origin. A program sends no Origin and is judged
 * by its token alone; a Host is always needed, since a page that rebound its name to this machine sends its own.
 */
import type { IncomingHttpHeaders } from "node:http"
import type { ConfigShape } from "../config/AppConfig.ts"

export interface Listening {
  /** The address listened on, and where that is every address (`0.0.0.0`, `::`) those of the machine's interfaces. */
  readonly addresses: ReadonlyArray<string>
  readonly port: number
  /** Whether this process ends TLS itself. */
  readonly tls: boolean
}

/** What counts as this server's own. */
export interface Own {
  readonly scheme: "http" | "https"
  readonly hosts: ReadonlySet<string>
  readonly origins: ReadonlySet<string>
}

const ports = { http: 80, https: 443 } as const
const loopbackNames = ["localhost", "127.0.0.1", "[::1]"]

const everyAddress = (address: string) => address === "0.0.0.0" || address === "::" || address === ""

export const isLoopback = (address: string): boolean =>
  /^(?:\[?::1\]?|localhost|(?:::ffff:)?127(?:\.\d{1,3}){3})$/i.test(address)

/** `name:port` in lower case, the port always said; `undefined` for what is no host. */
const hostOf = (text: string, scheme: Own["scheme"]): string | undefined => {
  const match = /^(\[[0-9a-f:.]{2,45}\]|[a-z0-9._-]{1,253})(?::(\d{1,5}))?$/i.exec(text)
  return match === null ? undefined : `${String(match[1]).toLowerCase()}:${Number(match[2] ?? ports[scheme])}`
}

const asHost = (address: string) => (address.includes(":") && !address.startsWith("[") ? `[${address}]` : address)

/** As browsers write it: without the scheme's own port. */
const originOf = (scheme: Own["scheme"], host: string): string => new URL(`${scheme}://${host}`).origin

/** An entry of the configuration, as a browser would send it; what no page can be is dropped. */
const configured = (entry: string): ReadonlyArray<string> => {
  const text = entry.replace(/\/$/, "")
  if (/^https?:\/\//i.test(text)) return URL.canParse(text) ? [new URL(text).origin] : []
  return /^[a-z][a-z0-9+.-]*:\/\/[^/*\s]+$/i.test(text) ? [text.toLowerCase()] : []
}

export const ownOrigins = (
  { addresses, port, tls }: Listening,
  server: Pick<ConfigShape["server"], "allowed_hosts" | "allowed_origins" | "behind_proxy">
): Own => {
  const local = addresses.some((address) => everyAddress(address) || isLoopback(address)) ? loopbackNames : []
  const names = [...addresses.filter((address) => !everyAddress(address)).map(asHost), ...local]
  const direct = tls ? "https" : "http"
  const scheme = tls || server.behind_proxy ? "https" : "http"
  const reached = names.flatMap((name) => hostOf(`${name}:${port}`, direct) ?? [])
  const named = server.allowed_hosts.flatMap((name) => hostOf(name, scheme) ?? [])
  return {
    scheme,
    hosts: new Set([...reached, ...named]),
    origins: new Set([
      ...reached.map((host) => originOf(direct, host)),
      ...named.map((host) => originOf(scheme, host)),
      ...server.allowed_origins.flatMap(configured)
    ])
  }
}

/** Whether a request with this `Origin` header may be served at all; a program sends none. */
export const allowedOrigin = (own: Own, origin: string | undefined): boolean =>
  origin === undefined || own.origins.has(origin)

/** Whether the `Host` header is a name of this server. */
export const allowedHost = (own: Own, host: string | undefined): boolean => {
  const name = host === undefined ? undefined : hostOf(host, own.scheme)
  return name !== undefined && own.hosts.has(name)
}

/**
 * Whether a cookie of this request may count: it came from a page that may use it. A page's own GET carries no Origin,
 * but a browser that no script can talk out of it says `same-origin`.
 */
export const allowedCookie = (own: Own, headers: IncomingHttpHeaders): boolean =>
  headers.origin === undefined ? headers["sec-fetch-site"] === "same-origin" : own.origins.has(headers.origin)
