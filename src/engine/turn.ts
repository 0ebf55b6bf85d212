/**
 * One answer of the model: asked, streamed, asked again where that is safe (DESIGN §4, step 2; §8).
 * Owns: carrying out the retry policy, `stream_reset`, the fallback to `generate`.
 * Invariants: watchers never see the same text twice, since a retry after shown text goes into a new stream; what the
 * reporter put off is stored before the first of it is shown; the result is a complete answer, or one failure.
 */
import { Clock, Effect, Random, Result, Stream } from "effect"
import { newStreamId, type TaskId } from "../domain/Ids.ts"
import * as Points from "../observability/Points.ts"
import type { Completed } from "../provider/ModelPart.ts"
import type { ModelRequest, Provider } from "../provider/Provider.ts"
import { ProviderError } from "../provider/ProviderError.ts"
import * as Retry from "../provider/Retry.ts"
import * as Parts from "./parts.ts"
import type { Reporter } from "./Reporter.ts"
import { TaskFailure } from "./TaskFailure.ts"

export interface Ask {
  readonly provider: Provider["Service"]
  readonly reporter: Reporter["Service"]
  readonly retry: Retry.RetryPolicy
  readonly at: { readonly task_id: TaskId; readonly turn: number }
  readonly request: ModelRequest
  readonly streams: Parts.Streams
  /** Told which answer is being shown, so that an end in the middle keeps its text. */
  readonly showing: (shown: Parts.ShownAnswer) => void
}

export interface Answer {
  readonly completed: Completed
  readonly shown: Parts.ShownAnswer
  readonly streams: Parts.Streams
}

const generated = Effect.fnUntraced(function* (ask: Ask, shown: Parts.ShownAnswer) {
  const completed = yield* ask.provider.generate(ask.request)
  shown.take([completed])
  return completed
})

const streamed = Effect.fnUntraced(function* (ask: Ask, shown: Parts.ShownAnswer) {
  const { reporter } = ask
  let begun = false
  yield* Stream.runForEachArray(ask.provider.stream(ask.request), (parts) => {
    const live = shown.take(parts)
    if (live.length === 0) return Effect.void
    if (begun) {
      reporter.signal(live)
      return Effect.void
    }
    begun = true
    return Effect.uninterruptible(
      Effect.andThen(
        reporter.report([]),
        Effect.sync(() => {
          reporter.signal(live)
          Points.reach("model text")
        })
      )
    )
  })
  const completed = shown.completed()
  if (completed !== undefined) return completed
  return yield* new ProviderError({ code: "provider_bad_stream", detail: "The model's answer has no end." })
})

const failed = (error: ProviderError): TaskFailure =>
  new TaskFailure({ code: error.code, detail: error.detail, cause: error })

interface Again {
  readonly attempt: number
  readonly delay_ms: number
  /** Something of the failed attempt reached a watcher. */
  readonly shown: boolean
}

/** Tells everyone that the call is made again, into new streams where something was shown. */
const announce = Effect.fnUntraced(function* (ask: Ask, streams: Parts.Streams, error: ProviderError, again: Again) {
  const { task_id } = ask.at
  const { attempt, delay_ms } = again
  yield* ask.reporter.report([])
  ask.reporter.signal([{ type: "retrying", task_id, attempt, delay_ms, code: error.code }])
  if (!again.shown) return streams
  const next = { stream_id: newStreamId(), reasoning_stream_id: newStreamId() }
  yield* ask.reporter.report([
    {
      type: "stream_reset",
      ...ask.at,
      stream_id: streams.stream_id,
      next_stream_id: next.stream_id,
      next_reasoning_stream_id: next.reasoning_stream_id,
      reason: error.code
    }
  ])
  return next
})

export const ask = Effect.fnUntraced(function* (first: Ask) {
  const begun = yield* Clock.currentTimeMillis
  const once = first.provider.capabilities.streaming ? streamed : generated
  let streams = first.streams
  for (let attempt = 1; ; attempt++) {
    const shown = Parts.make(first.at.task_id, streams)
    first.showing(shown)
    Points.reach("model before")
    const result = yield* Effect.result(once(first, shown))
    Points.reach("model after")
    if (Result.isSuccess(result)) return { completed: result.success, shown, streams } satisfies Answer
    const error = result.failure
    if (error._tag === "ReportError") return yield* error
    const elapsed_ms = (yield* Clock.currentTimeMillis) - begun
    const decision = Retry.decide(first.retry, { attempt, error, elapsed_ms, random: yield* Random.next })
    if (decision._tag === "stop") return yield* failed(error)
    const next = yield* announce(first, streams, error, { attempt, delay_ms: decision.delay_ms, shown: shown.any() })
    if (next !== streams) first.showing(Parts.make(first.at.task_id, next))
    streams = next
    yield* Effect.sleep(decision.delay_ms)
  }
})
