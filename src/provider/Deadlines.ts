/**
 * How long a model may be silent. Owns: the four limits, their defaults, and the one operator that enforces them.
 * Does not own: what is done about a limit that passed (Retry.ts). The limits are separate because a long healthy
 * answer must never die of a limit meant for a hung one (LESSONS 8, R107–R109, SETTLED 19).
 * Invariant: only a step of the producer is progress, never a comment or a heartbeat, and the time a consumer takes
 * for itself is charged to nobody but `total_ms`.
 */
import { Clock, Duration, Effect, Fiber, Stream } from "effect"
import type { Pull } from "effect"
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
const sentence: Record<Phase | "total", (limit: string) => string> = {
  connect: (limit) => `No connection to the model server within ${limit}. Check the base URL and the network.`,
  first_chunk: (limit) => `The model did not begin to answer within ${limit}.`,
  idle: (limit) => `The model stopped in the middle of its answer and sent nothing for ${limit}.`,
  total: (limit) => `The model's answer took longer than ${limit}.`
}
const limitOf = (limits: DeadlineLimits, phase: Phase): number =>
  phase === "connect" ? limits.connect_ms : phase === "first_chunk" ? limits.first_chunk_ms : limits.idle_ms

/** The error of a limit that passed. */
export const expired = (which: Phase | "total", limit_ms: number): ProviderError =>
  new ProviderError({ code: codes[which], detail: sentence[which](`${Math.round(limit_ms / 100) / 10} s`) })

interface Watch {
  phase: Phase
  /** Monotonic milliseconds since which the consumer waits. */
  since: number
  failure: ProviderError | undefined
  /** Present while the consumer waits. */
  fail: ((error: ProviderError) => void) | undefined
}

/** No sleep is longer than the shortest limit that may begin meanwhile, so one watch serves all phases, to the point. */
const soonest = (limits: DeadlineLimits, phase: Phase): number =>
  phase === "connect" ? Math.min(limits.first_chunk_ms, limits.idle_ms) : limits.idle_ms

/** Sleeps until the consumer has waited for its phase's limit, or the whole answer has taken `total_ms`. */
const patrol = Effect.fnUntraced(function* (limits: DeadlineLimits, watch: Watch, start: number, now: () => number) {
  const end = start + limits.total_ms
  while (watch.failure === undefined) {
    const limit = limitOf(limits, watch.phase)
    const waiting = watch.fail !== undefined
    const at = now()
    const due = Math.min(waiting ? watch.since + limit : at + limit, end)
    const left = Math.min(due - at, soonest(limits, watch.phase))
    if (left === Number.POSITIVE_INFINITY) return
    if (left > 0) yield* Effect.sleep(Duration.millis(Math.ceil(left)))
    else watch.failure = due === end ? expired("total", limits.total_ms) : expired(watch.phase, limit)
  }
  watch.fail?.(watch.failure)
})

/**
 * One pull that the watch can end. The pull runs in a child that lives exactly as long as this effect: it is awaited,
 * or interrupted with it. (A race of two fibers does the same for three times the price, once per read.)
 */
const guarded = <A, E, R>(pull: Effect.Effect<A, E, R>, watch: Watch, now: () => number) =>
  Effect.suspend((): Effect.Effect<A, E | ProviderError, R> => {
    if (watch.failure !== undefined) return Effect.fail(watch.failure)
    watch.since = now()
    return Effect.flatMap(Effect.forkChild(pull, { startImmediately: true }), (child) =>
      Effect.callback<A, E | ProviderError>((resume) => {
        watch.fail = (error) => resume(Fiber.interrupt(child).pipe(Effect.andThen(Effect.fail(error))))
        child.addObserver((exit) => {
          watch.fail = undefined
          resume(exit)
        })
        return Effect.suspend(() => {
          watch.fail = undefined
          return Fiber.interrupt(child)
        })
      })
    )
  })

/** Fails a stream of steps with `provider_timeout_*` where it is too slow, and hands on what the reads gave. */
export const withDeadlines =
  (limits: DeadlineLimits) =>
  <A, E, R>(steps: Stream.Stream<Step<A>, E, R>): Stream.Stream<A, E | ProviderError, R> =>
    Stream.transformPull(steps, (pull, scope) =>
      Clock.clockWith((clock) => {
        const now = () => Number(clock.monotonicTimeNanosUnsafe() / 1000n) / 1000
        const start = now()
        const watch: Watch = { phase: "connect", since: start, failure: undefined, fail: undefined }
        return Effect.as(Effect.forkIn(patrol(limits, watch, start, now), scope), relay(pull, watch, now))
      })
    )

const relay = <A, E, R>(
  pull: Pull.Pull<readonly [Step<A>, ...Array<Step<A>>], E, void, R>,
  watch: Watch,
  now: () => number
): Pull.Pull<readonly [A, ...Array<A>], E | ProviderError, void, R> => {
  const again: Pull.Pull<readonly [A, ...Array<A>], E | ProviderError, void, R> = Effect.flatMap(
    guarded(pull, watch, now),
    (steps) => {
      const parts =
        steps.length === 1 && steps[0] !== "connected" ? steps[0] : steps.flatMap((s) => (s === "connected" ? [] : s))
      if (watch.phase !== "idle") watch.phase = steps.every((step) => step === "connected") ? "first_chunk" : "idle"
      return parts.length === 0 ? again : Effect.succeed(parts as readonly [A, ...Array<A>])
    }
  ) as never
  return again
}
