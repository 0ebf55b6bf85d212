/**
 * Prompts of one principal in a minute (R233), whatever way they come: connections and the HTTP API ask here.
 * Owns: one bucket a principal. Invariant: a principal whose bucket is full again leaves nothing here.
 *
 * Not `effect/persistence` RateLimiter: a limit of a connection ends with the connection and is asked for each message,
 * before anything else runs; the library keeps string keys in a store, and an entry outlives who made it.
 */
import { Clock, Context, Effect, Layer } from "effect"
import { AppConfig } from "../config/AppConfig.ts"
import { type Principal, scopeKey } from "../domain/Principal.ts"
import * as Bucket from "./bucket.ts"

export class PromptRate extends Context.Service<
  PromptRate,
  {
    /** Takes one: 0 where it may, else milliseconds until it will. */
    readonly take: (principal: Principal) => Effect.Effect<number>
  }
>()("claw/channel/PromptRate") {}

const SWEEP_AT = 1024

const make = Effect.gen(function* () {
  const { limit } = yield* AppConfig
  const buckets = new Map<string, Bucket.Bucket>()
  const perMs = limit.prompts_per_minute / 60_000
  const sweep = (now: number) => {
    for (const [key, bucket] of buckets) if (bucket.isFull(now)) buckets.delete(key)
  }
  return PromptRate.of({
    take: (principal) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        const key = `${scopeKey(principal)}${principal.name}`
        let bucket = buckets.get(key)
        if (bucket === undefined) {
          if (buckets.size >= SWEEP_AT) sweep(now)
          bucket = Bucket.make({ capacity: limit.prompts_per_minute, perMs, now })
          buckets.set(key, bucket)
        }
        return bucket.take(1, now)
      })
  })
})

export const layer = Layer.effect(PromptRate, make)
