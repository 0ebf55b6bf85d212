/**
 * Which web pages may talk to this server, and under which names it may be asked (SETTLED 21, SECURITY T9). Pure: the
 * WebSocket upgrade, every HTTP route and the cookie judge by it. Invariants: names are compared whole, port and scheme
 * included; nothing matches by prefix or wildcard; `null` is nobody's origin. A page that is served from here asks for
 * the very name that it came from: where this process listens on 127.0.0.1, `localhost` may be another program's page
 * (on ::1), which is none of ours. A program sends no Origin and is judged by its token alone; a Host is always needed,
 * since a page that rebound its name to this machine sends its own.
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
  /** The scheme of the names that are listened on; a proxy may have another one. */
  readonly direct: "http" | "https"
  /** Of pages that may ask for any of the hosts: named ones, behind a proxy, or in the configuration. */
  readonly origins: ReadonlySet<string>
}

/** What of a request says which page it came from. */
export type Asking = Pick<IncomingHttpHeaders, "origin" | "host">

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
    direct,
    hosts: new Set([...reached, ...named]),
    // A proxy may ask for the page of its own name by the name behind it.
    origins: new Set([...named.map((host) => originOf(scheme, host)), ...server.allowed_origins.flatMap(configured)])
  }
}

const ownHost = (own: Own, host: string | undefined, scheme: Own["scheme"]): string | undefined => {
  const name = host === undefined ? undefined : hostOf(host, scheme)
  return name !== undefined && own.hosts.has(name) ? name : undefined
}

/** Whether the `Host` header is a name of this server. */
export const allowedHost = (own: Own, host: string | undefined): boolean => ownHost(own, host, own.scheme) !== undefined

/** Whether a request with this `Origin` header may be served at all; a program sends none. */
export const allowedOrigin = (own: Own, { origin, host }: Asking): boolean => {
  if (origin === undefined || own.origins.has(origin)) return true
  const asked = ownHost(own, host, own.direct)
  return asked !== undefined && origin === originOf(own.direct, asked)
}

/**
 * Whether a cookie of this request may count: it came from a page that may use it. A page's own GET carries no Origin,
 * but a browser that no script can talk out of it says `same-origin`.
 */
export const allowedCookie = (own: Own, headers: IncomingHttpHeaders): boolean =>
  headers.origin === undefined ? headers["sec-fetch-site"] === "same-origin" : allowedOrigin(own, headers)
