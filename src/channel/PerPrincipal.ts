/**
 * So much of something for each principal in a time (R233), whatever way it comes. Owns: one bucket a principal.
 * Invariant: a principal whose bucket is full again leaves nothing here once there are many.
 *
 * Not `effect/persistence` RateLimiter: a limit of a connection ends with the connection and is asked for each message,
 * before anything else runs; the library keeps string keys in a store, and an entry outlives who made it.
 */
import { type Principal, scopeKey } from "../domain/Principal.ts"
import * as Bucket from "./bucket.ts"

const SWEEP_AT = 1024

/** Takes one: 0 where the principal may, else milliseconds until it will. */
export const make = (options: { readonly capacity: number; readonly perMs: number }) => {
  const buckets = new Map<string, Bucket.Bucket>()
  const sweep = (now: number) => {
    for (const [key, bucket] of buckets) if (bucket.isFull(now)) buckets.delete(key)
  }
  return (principal: Principal, now: number): number => {
    const key = `${scopeKey(principal)}${principal.name}`
    let bucket = buckets.get(key)
    if (bucket === undefined) {
      if (buckets.size >= SWEEP_AT) sweep(now)
      bucket = Bucket.make({ ...options, now })
      buckets.set(key, bucket)
    }
    return bucket.take(1, now)
  }
}
