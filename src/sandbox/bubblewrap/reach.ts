/**
 * How a listed host is reached: its name is looked up once, every address that comes back must be public, and the
 * connection goes to one of just those, so that a name that answers differently the next time changes nothing.
 * Owns: that order, and what is told of each host. Invariant: nothing is looked up that is not listed.
 */
import { lookup as systemLookup } from "node:dns"
import { connect, type LookupFunction, type Socket } from "node:net"
import { networkInterfaces } from "node:os"
import { promisify } from "node:util"
import type { Visit } from "../enclosed.ts"
import { isListed, isPublic, type Target } from "./hosts.ts"

export interface Address {
  readonly address: string
  readonly family: number
}

/** What is asked of the machine. */
export interface Outside {
  readonly lookup: (host: string) => Promise<ReadonlyArray<Address>>
  readonly dial: (target: Target, addresses: ReadonlyArray<Address>) => Socket
  /** The machine's own addresses. */
  readonly own: () => ReadonlySet<string>
}

const lookupAll = promisify(systemLookup)

/** Only these addresses, and no second look. */
const given =
  (addresses: ReadonlyArray<Address>): LookupFunction =>
  (_host, { all }, told) => {
    const [first] = addresses
    if (all === true) told(null, Array.from(addresses))
    else told(null, first?.address ?? "", first?.family)
  }

export const outside: Outside = {
  lookup: (host) => lookupAll(host, { all: true }),
  dial: ({ host, port }, addresses) => connect({ host, port, lookup: given(addresses), autoSelectFamily: true }),
  own: () => new Set(Object.values(networkInterfaces()).flatMap((all = []) => all.map(({ address }) => address)))
}

export type Judged = { readonly dial: () => Socket } | { readonly refused: NonNullable<Visit["refused"]> }

/** What was asked for, each host once, in order. */
export interface Visits {
  readonly judge: (target: Target) => Promise<Judged>
  readonly all: () => ReadonlyArray<Visit>
}

const judged = async (
  rules: ReadonlyArray<string>,
  { dial, lookup, own }: Outside,
  target: Target
): Promise<Judged> => {
  if (!isListed(rules, target)) return { refused: "not_listed" }
  const addresses = await lookup(target.host).catch(() => [])
  if (addresses.length === 0) return { refused: "not_found" }
  const mine = own()
  if (!addresses.every(({ address }) => isPublic(address, mine))) return { refused: "private_address" }
  return { dial: () => dial(target, addresses) }
}

/** A command that asks for one host after another fills no journal. */
const MOST = 200

export const makeVisits = (rules: ReadonlyArray<string>, machine: Outside): Visits => {
  const seen = new Map<string, Visit>()
  const tell = ({ host, port }: Target, refused: Visit["refused"]): void => {
    const key = `${host}:${port} ${refused ?? ""}`
    const times = (seen.get(key)?.times ?? 0) + 1
    if (seen.size < MOST || seen.has(key))
      seen.set(key, { host, port, times, ...(refused === undefined ? {} : { refused }) })
  }
  return {
    judge: async (target) => {
      const one = await judged(rules, machine, target)
      tell(target, "refused" in one ? one.refused : undefined)
      return one
    },
    all: () => Array.from(seen.values())
  }
}
