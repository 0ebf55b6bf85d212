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

export interface Most {
  readonly connections: number
  readonly connections_per_address: number
  readonly connections_per_principal: number
}

export const make = (most: Most) => {
  let count = 0
  const byAddress = places(most.connections_per_address)
  const byPrincipal = places(most.connections_per_principal)
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
    count: () => count
  })
}

export const layer = Layer.effect(
  Admission,
  Effect.map(AppConfig, ({ limit }) => make(limit))
)
