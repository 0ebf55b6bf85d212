/**
 * Messages and bytes of one connection in a second (R233). Invariant: who keeps sending at more than twice the rate
 * is cut off; anybody else is only told to wait.
 */
import * as Bucket from "./bucket.ts"

export interface MessageLimits {
  readonly messages_per_second: number
  readonly bytes_per_second: number
  readonly message_bytes: number
}

export type Judgement =
  | { readonly kind: "pass" }
  | { readonly kind: "wait"; readonly retry_after_ms: number }
  | { readonly kind: "abuse" }

export const make = (limits: MessageLimits, now: number): ((bytes: number, now: number) => Judgement) => {
  const each = limits.messages_per_second
  const messages = Bucket.make({ capacity: each, perMs: each / 1000, now })
  const bytes = Bucket.make({
    capacity: Math.max(limits.bytes_per_second, limits.message_bytes),
    perMs: limits.bytes_per_second / 1000,
    now
  })
  const refusals = Bucket.make({ capacity: each, perMs: each / 1000, now })
  return (size, at) => {
    const wait = messages.take(1, at) || bytes.take(size, at)
    if (wait === 0) return { kind: "pass" }
    return refusals.take(1, at) === 0 ? { kind: "wait", retry_after_ms: wait } : { kind: "abuse" }
  }
}
