/**
 * Places of one principal (R237, RELIABILITY 3.1): WebSockets, TCP connections and event streams together. Owns: the
 * counts. Does not own: how a refusal looks; its code is `too_many_connections` everywhere.
 * Invariant: every place taken is given back once, however often its release is called.
 */
import { Context, Effect, Layer } from "effect"
import { AppConfig } from "../config/AppConfig.ts"
import { type Owner, scopeKey } from "../domain/Principal.ts"

/** Gives the place back. */
export type Release = () => void

export const once = (release: Release): Release => {
  let held = true
  return () => {
    if (held) release()
    held = false
  }
}

/** So many of each name; one without places is forgotten. */
export const counted = (most: number) => {
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

export class Places extends Context.Service<
  Places,
  {
    /** A place among those of this principal; absent: there is none. */
    readonly take: (owner: Owner) => Release | undefined
  }
>()("claw/channel/Places") {}

export const layer = Layer.effect(
  Places,
  Effect.map(AppConfig, ({ limit }) => {
    const place = counted(limit.connections_per_principal)
    return Places.of({ take: (owner) => place(scopeKey(owner)) })
  })
)
