/**
 * How many may be connected (R237, RELIABILITY 3.1): in all, from one address, of one principal. Owns: the counts.
 * Does not own: how a refusal looks on a transport; its code is `too_many_connections` everywhere.
 * Invariant: every place taken is given back once, however often its release is called.
 */
import { Context, Effect, Layer } from "effect"
import { AppConfig } from "../config/AppConfig.ts"
import { type Owner, scopeKey } from "../domain/Principal.ts"

/** Gives the place back. */
export type Release = () => void

export class Admission extends Context.Service<
  Admission,
  {
    /** A place for one connection; absent: there is none. No address: whose it is will be told later (a proxy's). */
    readonly connection: (address?: string) => Release | undefined
    /** A place among those of this address, for a connection that was let in without one. */
    readonly address: (address: string) => Release | undefined
    readonly principal: (owner: Owner) => Release | undefined
    /** A short stay for a connection without a place, to be told so; absent: too many are, it is dropped. */
    readonly refusal: (address: string) => Release | undefined
    /** Connections that hold a place. */
    readonly count: () => number
  }
>()("claw/server/Admission") {}

const once = (release: Release): Release => {
  let held = true
  return () => {
    if (held) release()
    held = false
  }
}

/** Counts by name; a name without places is forgotten. */
const places = (most: number) => {
  const taken = new Map<string, number>()
  return (name: string): Release | undefined => {
    const before = taken.get(name) ?? 0
    if (before >= most) return undefined
    taken.set(name, before + 1)
    return once(() => {
      const left = (taken.get(name) ?? 1) - 1
      if (left === 0) taken.delete(name)
      else taken.set(name, left)
    })
  }
}

/** Connections that are being told that there is no place: in all, and from one address. */
export const TELLING = 128
const TELLING_EACH = 8

export interface Most {
  readonly connections: number
  readonly connections_per_address: number
  readonly connections_per_principal: number
}

export const make = (most: Most) => {
  let count = 0
  const byAddress = places(most.connections_per_address)
  const byPrincipal = places(most.connections_per_principal)
  const all = places(TELLING)
  const each = places(TELLING_EACH)
  return Admission.of({
    connection: (address) => {
      if (count >= most.connections) return undefined
      const release = address === undefined ? () => undefined : byAddress(address)
      if (release === undefined) return undefined
      count++
      return once(() => {
        count--
        release()
      })
    },
    address: byAddress,
    principal: (owner) => byPrincipal(scopeKey(owner)),
    refusal: (address) => {
      const one = each(address)
      if (one === undefined) return undefined
      const place = all("")
      if (place === undefined) one()
      return place === undefined ? undefined : once(() => (one(), place()))
    },
    count: () => count
  })
}

export const layer = Layer.effect(
  Admission,
  Effect.map(AppConfig, ({ limit }) => make(limit))
)
