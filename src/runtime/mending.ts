/**
 * What follows when a session's store cannot be written. Owns: trying again, ever more slowly, until the session is as
 * the journal says. Does not own: what then becomes of the task (`tasks.settle`).
 * Invariants: one loop a session, in the session's scope; watchers are told of each try before it.
 */
import { Effect, Exit, type Scope } from "effect"
import type { ReportError } from "../engine/Reporter.ts"
import type { SessionLog } from "./sessionLog.ts"

const FIRST_DELAY_MS = 250
const LONGEST_DELAY_MS = 10_000

export interface Mending {
  readonly log: SessionLog
  readonly scope: Scope.Scope
  /** Whether something is left to do. */
  readonly needed: () => boolean
  readonly settle: Effect.Effect<void, ReportError>
}

const tell = ({ log }: Mending, attempt: number, delay_ms: number) => {
  const { task } = log.state()
  if (task === undefined) return
  const { task_id } = task
  log.signal([
    { type: "state", state: "suspended", task_id },
    { type: "retrying", task_id, attempt, delay_ms, code: "storage_unavailable" }
  ])
}

const failedFor = (exit: Exit.Exit<void, ReportError>): string | undefined => {
  if (Exit.isSuccess(exit)) return undefined
  const error = exit.cause.reasons.find((reason) => reason._tag === "Fail")?.error
  return error?.code ?? "internal"
}

const mend = Effect.fnUntraced(function* (mending: Mending) {
  for (let attempt = 1; mending.needed(); attempt++) {
    const delay_ms = Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** (attempt - 1))
    tell(mending, attempt, delay_ms)
    yield* Effect.sleep(delay_ms)
    const code = failedFor(yield* Effect.exit(mending.settle))
    if (code !== undefined && code !== "storage_unavailable") return
  }
})

/** Begins the loop where none runs. */
export const make = (mending: Mending): Effect.Effect<void> => {
  let runs = false
  const stop = Effect.sync(() => {
    runs = false
  })
  return Effect.suspend(() => {
    if (runs) return Effect.void
    runs = true
    return Effect.asVoid(Effect.forkIn(Effect.ensuring(Effect.interruptible(mend(mending)), stop), mending.scope))
  })
}
