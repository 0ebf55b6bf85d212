/**
 * How often one principal may prompt over HTTP. Owns: a window of a minute per principal. Invariant: memory is bounded
 * by the principals of the last minute.
 */
import { Clock, Effect } from "effect"
import { type Principal, scopeKey } from "../domain/Principal.ts"
import { ApiError } from "./apiProblem.ts"

const MINUTE = 60_000

export type PromptRate = (principal: Principal, perMinute: number) => Effect.Effect<void, ApiError>

export const makePromptRate = (): PromptRate => {
  const windows = new Map<string, { readonly from: number; count: number }>()
  const sweep = (now: number) => {
    for (const [key, { from }] of windows) if (now - from >= MINUTE) windows.delete(key)
  }
  return (principal, perMinute) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) => {
      const key = `${scopeKey(principal)} ${principal.name}`
      const known = windows.get(key)
      const current = known !== undefined && now - known.from < MINUTE ? known : { from: now, count: 0 }
      if (current !== known) {
        sweep(now)
        windows.set(key, current)
      }
      current.count += 1
      const retry_after_ms = current.from + MINUTE - now
      return current.count > perMinute ? new ApiError({ code: "rate_limited", retry_after_ms }) : Effect.void
    })
}
