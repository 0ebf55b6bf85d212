/**
 * Which hosts a command may reach, where a person lists some (SECURITY T7, T19). Pure. Owns: what a name is, what the list
 * covers, which addresses are nobody's to reach from here. Invariants: a name is judged in its one form (small letters,
 * no dot behind, ASCII); an address is no name, however it is written; what is not surely public is not.
 */
import { BlockList, isIPv4, isIPv6 } from "node:net"

export interface Target {
  readonly host: string
  readonly port: number
}

const LABEL = /^[a-z\d_](?:[a-z\d_-]{0,61}[a-z\d_])?$/
/** The last label of an address in any of its forms: `127.0.0.1`, `127.1`, `0x7f000001`. */
const NUMBER = /^(?:\d+|0x[\da-f]*)$/

/** The one form of a host's name; undefined: it is none, or an address. */
export const hostName = (text: string): string | undefined => {
  const name = text.toLowerCase().replace(/\.$/, "")
  const labels = name.split(".")
  const isName = name.length <= 253 && labels.every((label) => LABEL.test(label)) && !NUMBER.test(labels.at(-1) ?? "")
  return isName ? name : undefined
}

/** `host:port`; undefined: it is none. Brackets are an address's. */
export const targetOf = (text: string): Target | undefined => {
  const [, host = "", port = ""] = /^([^:[\]/@\s]+):(\d{1,5})$/.exec(text) ?? []
  const name = hostName(host)
  const number = Number(port)
  return name === undefined || number < 1 || number > 65_535 ? undefined : { host: name, port: number }
}

/** Without a port in the list, those of the web. */
const USUAL: ReadonlyArray<number> = [443, 80]

const covers = (rule: string, { host, port }: Target): boolean => {
  const [, star, name = "", given] = /^(\*\.)?([^:]+)(?::(\d+))?$/.exec(rule) ?? []
  const listed = hostName(name)
  if (listed === undefined) return false
  const ports = given === undefined ? USUAL : [Number(given)]
  return ports.includes(port) && (star === undefined ? host === listed : host.endsWith(`.${listed}`))
}

/** An empty list covers nothing. */
export const isListed = (rules: ReadonlyArray<string>, target: Target): boolean =>
  rules.some((rule) => covers(rule, target))

const V4 = `0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24
  192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4 168.63.129.16/32`
/** Of the space that is given out at all (2000::/3): tunnels to other addresses, examples, special uses. */
const V6 = "2001::/23 2001:db8::/32 2002::/16 3fff::/20"

const blockList = (text: string, family: "ipv4" | "ipv6"): BlockList => {
  const list = new BlockList()
  for (const subnet of text.split(/\s+/)) {
    const [address = "", bits] = subnet.split("/")
    list.addSubnet(address, Number(bits), family)
  }
  return list
}

const [privateV4, specialV6, globalV6] = [blockList(V4, "ipv4"), blockList(V6, "ipv6"), blockList("2000::/3", "ipv6")]

/** One of the whole internet's, and none of this machine's (`own`), of its network's or of its cloud's. */
export const isPublic = (address: string, own: ReadonlySet<string>): boolean => {
  if (own.has(address)) return false
  if (isIPv4(address)) return !privateV4.check(address, "ipv4")
  return (
    isIPv6(address) && !address.includes("%") && globalV6.check(address, "ipv6") && !specialV6.check(address, "ipv6")
  )
}
