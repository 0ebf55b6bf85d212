/**
 * How many may be connected (R237, RELIABILITY 3.1): in all, and from one address. Owns: the counts. Does not own: those
 * of a principal (channel/Places); how a refusal looks on a transport; its code is `too_many_connections` everywhere.
 * Invariant: every place taken is given back once, however often its release is called.
 */
import { Context, Effect, Layer } from "effect"
import { counted, once, type Release } from "../channel/Places.ts"
import { AppConfig } from "../config/AppConfig.ts"

export class Admission extends Context.Service<
  Admission,
  {
    /** A place for one connection; absent: there is none. No address: whose it is will be told later (a proxy's). */
    readonly connection: (address?: string) => Release | undefined
    /** A place among those of this address, for a connection that was let in without one. */
    readonly address: (address: string) => Release | undefined
    /** A short stay for a connection without a place, to be told so; absent: too many are, it is dropped. */
    readonly refusal: (address: string) => Release | undefined
    /** Connections that hold a place. */
    readonly count: () => number
  }
>()("claw/server/Admission") {}

/** Connections that are being told that there is no place: in all, and from one address. */
export const TELLING = 128
const TELLING_EACH = 8

export interface Most {
  readonly connections: number
  readonly connections_per_address: number
}

export const make = (most: Most) => {
  let count = 0
  const byAddress = counted(most.connections_per_address)
  const all = counted(TELLING)
  const each = counted(TELLING_EACH)
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
