/**
 * How many may be connected (R237, RELIABILITY 3.1): in all, and from one address. Owns: the counts. Does not own: those
 * of a principal (channel/Places); how a refusal looks on a transport; its code is `too_many_connections` everywhere.
 * Invariant: every place taken is given back once, however often its release is called.
 */
import type { Socket } from "node:net"
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
    /** A short stay for a connection without a place, to be told so when it speaks; absent: too many are. */
    readonly refusal: (address: string) => Release | undefined
    /** Connections that hold a place. */
    readonly count: () => number
  }
>()("claw/server/Admission") {}

/** Connections that are being told that there is no place: in all, and from one address. */
export const TELLING = 256
const TELLING_EACH = 64

/**
 * For the others: said at once, whatever it is that they want, and gone with it. Who had spoken already may hear a reset
 * instead; who stays to read does not stay long.
 */
export const tellInPassing = (socket: Socket, text: string): void => {
  const cut = setTimeout(() => socket.destroy(), PASSING_MS)
  socket.once("close", () => clearTimeout(cut))
  socket.on("end", () => socket.destroy())
  socket.on("error", () => undefined)
  socket.end(text)
  socket.resume()
}
const PASSING_MS = 250

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
