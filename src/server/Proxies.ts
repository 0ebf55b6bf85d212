/**
 * Who really asks, where a proxy stands in front (R238). Owns: reading X-Forwarded-For.
 * Invariant: the header is not looked at unless the socket's own peer is a proxy that the configuration names; of the
 * list the last address that is not such a proxy counts, since only that one was written by somebody trusted.
 */
import type { IncomingHttpHeaders } from "node:http"
import { BlockList, isIP } from "node:net"

export interface Proxies {
  readonly trusts: (address: string) => boolean
  /** The client's address. */
  readonly address: (peer: string, headers: IncomingHttpHeaders) => string
}

const kindOf = (address: string): "ipv4" | "ipv6" | undefined => {
  const version = isIP(address)
  return version === 0 ? undefined : version === 4 ? "ipv4" : "ipv6"
}

/** `10.0.0.1` or `10.0.0.0/8`; what is no address is dropped. */
const listOf = (entries: ReadonlyArray<string>): BlockList => {
  const list = new BlockList()
  for (const entry of entries) {
    const [address = "", bits] = entry.split("/")
    const kind = kindOf(address)
    if (kind === undefined) continue
    if (bits === undefined) list.addAddress(address, kind)
    else if (/^\d{1,3}$/.test(bits) && Number(bits) <= (kind === "ipv4" ? 32 : 128)) {
      list.addSubnet(address, Number(bits), kind)
    }
  }
  return list
}

export const proxiesOf = (entries: ReadonlyArray<string>): Proxies => {
  const list = listOf(entries)
  const trusts = (address: string): boolean => {
    const kind = kindOf(address)
    return kind !== undefined && list.check(address, kind)
  }
  return {
    trusts,
    address: (peer, headers) => {
      if (!trusts(peer)) return peer
      const header = headers["x-forwarded-for"]
      const hops = (Array.isArray(header) ? header.join(",") : (header ?? "")).split(",").map((hop) => hop.trim())
      const client = hops.findLast((hop) => !trusts(hop))
      return client !== undefined && kindOf(client) !== undefined ? client : peer
    }
  }
}
