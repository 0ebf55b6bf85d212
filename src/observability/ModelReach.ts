/**
 * Whether the model server could be reached lately (R270), told by the events of all sessions: nothing is asked of it
 * for this. Owns: which ends of a call say that the next one would go the same way, and for how long that counts.
 * Invariant: whoever has not called, or not within `LATELY_MS`, knows of no trouble; an answer ends what was known.
 */
import { Context, Layer } from "effect"
import type { ErrorCode } from "../domain/ErrorCode.ts"
import type { SessionEvent } from "../domain/Event.ts"

/** Also how long a server without other calls keeps away from prompts that would show that all is well again. */
export const LATELY_MS = 60_000

/** One key, one server, one account: every session would be told the same. */
const everybodys = [
  "provider_unreachable",
  "provider_timeout_connect",
  "provider_unavailable",
  "provider_auth",
  "provider_quota"
] as const satisfies ReadonlyArray<ErrorCode>

export interface Reach {
  readonly heard: (events: ReadonlyArray<SessionEvent>) => void
  /** Why the last call came to nothing; absent: it did not, or not lately. `now`: epoch milliseconds. */
  readonly trouble: (now: number) => ErrorCode | undefined
}

export const make = (): Reach => {
  let known: { readonly at: number; readonly code: ErrorCode } | undefined
  const failed = (told: string, ts: string): void => {
    const code = everybodys.find((each) => each === told)
    if (code !== undefined) known = { at: Date.parse(ts), code }
  }
  return {
    heard: (events) => {
      for (const event of events) {
        if (event.type === "text_completed") known = undefined
        else if (event.type === "retrying") failed(event.code, event.ts)
        else if (event.type === "task_failed") failed(event.error.code, event.ts)
      }
    },
    trouble: (now) => (known !== undefined && now - known.at < LATELY_MS ? known.code : undefined)
  }
}

/** Nobody asks, unless the composition of a server says otherwise. */
export const ModelReach = Context.Reference<Reach>("claw/observability/ModelReach", {
  defaultValue: () => ({ heard: () => {}, trouble: () => undefined })
})

export const layer = Layer.sync(ModelReach, make)
