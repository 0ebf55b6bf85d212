/**
 * How long a model may be silent. Owns: the four limits, their defaults, and the one operator that enforces them.
 * Does not own: what is done about a limit that passed (Retry.ts). The limits are separate because a long healthy
 * answer must never die of a limit meant for a hung one (LESSONS 8, R107–R109, SETTLED 19).
 * Invariant: only a step of the producer is progress, never a comment or a heartbeat, and the time a consumer takes
 * for itself is charged to nobody but `total_ms`.
 */
import { Clock, Duration, Effect, type Pull, type Scope } from "effect"
import { fault, type FaultName } from "../domain/FaultTexts.ts"
import { ProviderError, type ProviderCode } from "./ProviderError.ts"

/** Milliseconds. `Infinity` turns a limit off. */
export interface DeadlineLimits {
  /** From the call to an open connection (TCP and TLS). */
  readonly connect_ms: number
  /** From the connection to the first chunk of whatever kind, headers included. */
  readonly first_chunk_ms: number
  /** Between two chunks. */
  readonly idle_ms: number
  /** The whole answer; off by default. */
  readonly total_ms: number
}

export const defaults: DeadlineLimits = {
  connect_ms: 10_000,
  first_chunk_ms: 60_000,
  idle_ms: 30_000,
  total_ms: Number.POSITIVE_INFINITY
}

/** What a producer reports: the connection stands, or what one read of it gave (possibly nothing to show). */
export type Step<A> = "connected" | ReadonlyArray<A>

type Phase = "connect" | "first_chunk" | "idle"

const codes: Record<Phase | "total", ProviderCode> = {
  connect: "provider_timeout_connect",
  first_chunk: "provider_timeout_first_token",
  idle: "provider_timeout_idle",
  total: "provider_timeout_total"
}
const sentences = {
  connect: "late_connect",
  first_chunk: "late_first",
  idle: "late_next",
  total: "late_end"
} as const satisfies Record<Phase | "total", FaultName>
const limitOf = (limits: DeadlineLimits, phase: Phase): number =>
  phase === "connect" ? limits.connect_ms : phase === "first_chunk" ? limits.first_chunk_ms : limits.idle_ms

/** The error of a limit that passed. */
export const expired = (which: Phase | "total", limit_ms: number): ProviderError =>
  new ProviderError({
    code: codes[which],
    detail: fault(sentences[which], { limit: `${Math.round(limit_ms / 100) / 10} s` })
  })

interface Watch {
  phase: Phase
  /** Monotonic milliseconds since which the consumer waits. */
  since: number
  failure: ProviderError | undefined
  /** The consumer waits for the producer. */
  waiting: boolean
}

/** No sleep is longer than the shortest limit that may begin meanwhile, so one watch serves all phases, to the point. */
const soonest = (limits: DeadlineLimits, phase: Phase): number =>
  phase === "connect" ? Math.min(limits.first_chunk_ms, limits.idle_ms) : limits.idle_ms

/** What a producer knows of a call that ran out of time. */
type Mark = (error: ProviderError) => ProviderError

/** Sleeps until the consumer has waited for its phase's limit, or the whole answer has taken `total_ms`. */
const patrol = Effect.fnUntraced(function* (limits: DeadlineLimits, watch: Watch, now: () => number, mark: Mark) {
  const end = watch.since + limits.total_ms
  while (watch.failure === undefined) {
    const limit = limitOf(limits, watch.phase)
    const at = now()
    const due = Math.min(watch.waiting ? watch.since + limit : at + limit, end)
    const left = Math.min(due - at, soonest(limits, watch.phase))
    if (left === Number.POSITIVE_INFINITY) return
    if (left > 0) yield* Effect.sleep(Duration.millis(Math.ceil(left)))
    else watch.failure = mark(due === end ? expired("total", limits.total_ms) : expired(watch.phase, limit))
  }
})

/**
 * A pull of steps that fails with `provider_timeout_*` where it is too slow, and hands on what the reads gave. `stop` is
 * called at most once, while a pull waits, and must make it end: the producer closes what it waits for. (The pull in a
 * child that can be interrupted needs no such promise; it costs a fiber a read, a tenth of all the work of a delta.)
 */
export const withDeadlines = <A, E, R>(
  limits: DeadlineLimits,
  pull: Pull.Pull<Step<A>, E, void, R>,
  stop: () => void,
  mark: Mark = (error) => error
): Effect.Effect<Pull.Pull<readonly [A, ...Array<A>], E | ProviderError, void, R>, never, Scope.Scope> =>
  Clock.clockWith((clock) => {
    const now = () => Number(clock.monotonicTimeNanosUnsafe()) / 1e6
    const watch: Watch = { phase: "connect", since: now(), failure: undefined, waiting: false }
    const watching = Effect.andThen(
      patrol(limits, watch, now, mark),
      Effect.sync(() => {
        if (watch.waiting) stop()
      })
    )
    return Effect.as(Effect.forkScoped(watching), relay(pull, watch, now))
  })

const relay = <A, E, R>(pull: Pull.Pull<Step<A>, E, void, R>, watch: Watch, now: () => number) => {
  type Next = Pull.Pull<readonly [A, ...Array<A>], E | ProviderError, void, R>
  const waited: Next = Effect.matchCauseEffect(pull, {
    onFailure: (cause): Next => {
      watch.waiting = false
      return watch.failure === undefined ? Effect.failCause(cause) : Effect.fail(watch.failure)
    },
    onSuccess: (step): Next => {
      watch.waiting = false
      if (step === "connected") watch.phase = "first_chunk"
      else watch.phase = "idle"
      return step === "connected" || step.length === 0 ? next : Effect.succeed(step as readonly [A, ...Array<A>])
    }
  })
  const next: Next = Effect.suspend((): Next => {
    if (watch.failure !== undefined) return Effect.fail(watch.failure)
    watch.since = now()
    watch.waiting = true
    return waited
  })
  return next
}
