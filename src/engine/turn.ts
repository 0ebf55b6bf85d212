/**
 * One answer of the model: asked, streamed, asked again where that is safe, of another model where nothing else helps
 * (DESIGN §4, step 2; §8). Owns: carrying out the retry policy, `stream_reset`, the chain of fallbacks, the fallback to
 * `generate`. Does not own: what each attempt is counted as (metering.ts).
 * Invariants: watchers never see the same text twice, since a retry after shown text goes into a new stream; what the
 * reporter put off is stored before the first of it is shown; the result is a complete answer, or one failure.
 */
import { Clock, Effect, Random, Result, Stream } from "effect"
import { fault } from "../domain/FaultTexts.ts"
import { newStreamId, type TaskId } from "../domain/Ids.ts"
import type { Mask } from "../observability/Redact.ts"
import * as Points from "../observability/Points.ts"
import * as Catalogue from "../provider/Catalogue.ts"
import type { Completed } from "../provider/ModelPart.ts"
import type { ModelRequest, Provider } from "../provider/Provider.ts"
import { ProviderError } from "../provider/ProviderError.ts"
import * as Retry from "../provider/Retry.ts"
import * as Fallback from "./fallback.ts"
import type { Attempt } from "./metering.ts"
import * as Parts from "./parts.ts"
import type { Reporter } from "./Reporter.ts"
import { TaskFailure } from "./TaskFailure.ts"

export interface Ask {
  readonly provider: Provider["Service"]
  readonly catalogue: Catalogue.Lookup
  readonly reporter: Reporter["Service"]
  readonly retry: Retry.RetryPolicy
  readonly at: { readonly task_id: TaskId; readonly turn: number }
  readonly request: ModelRequest
  readonly streams: Parts.Streams
  /** Around each attempt: what it takes is counted. */
  readonly attempt: Attempt
  /** Told what is asked, where that is less than `request`. */
  readonly lessened: (request: ModelRequest) => void
  /** Told which answer is being shown, so that an end in the middle keeps its text. */
  readonly showing: (shown: Parts.ShownAnswer) => void
  /** Models that are asked, in this order, once this one's retries are used up. */
  readonly fallbacks: ReadonlyArray<string>
  /** Takes known secrets out of a text. */
  readonly mask: Mask
  /** The one of them that the task goes on with; told from turn to turn. */
  readonly standing: { in: string | undefined }
}

export interface Answer {
  /** Its usage has a cost where the model's price is known. */
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
  return yield* new ProviderError({ code: "provider_bad_stream", detail: fault("no_end") })
})

const modelOf = ({ provider, request }: Ask): string => request.model ?? provider.model

/** What was counted, with what it costs; a model that stands in is named where the server names none. */
const costed = (ask: Ask, completed: Completed): Completed => {
  const model = completed.model ?? (ask.standing.in === undefined ? undefined : modelOf(ask))
  const named = model === undefined ? completed : { ...completed, model }
  if (completed.usage === undefined) return named
  const entry = Catalogue.entryOf(ask.catalogue, modelOf(ask), model)
  return { ...named, usage: Catalogue.priced(completed.usage, entry) }
}

const spanText = (ms: number): string => {
  const seconds = Math.ceil(ms / 1000)
  if (seconds < 180) return `${seconds} s`
  return seconds < 7_200 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3600)} h`
}

/** What a server asked that is longer than it gets. */
const askedText = ({ retry }: Ask, error: ProviderError): ReadonlyArray<string> =>
  Retry.asksTooLong(retry, error)
    ? [
        fault("asks_too_long", {
          asked: spanText(error.retryAfterMs ?? 0),
          most: spanText(retry.max_retry_after_ms)
        })
      ]
    : []

const failed = (ask: Ask, { error, waited }: GivenUp, objections: ReadonlyArray<string>): TaskFailure => {
  const asked = askedText(ask, error)
  const long = asked.length > 0 && waited > 0 ? [fault("waited", { waited: spanText(waited) })] : []
  const { retryAfterMs } = error
  return new TaskFailure({
    code: error.code,
    detail: [error.detail, ...asked, ...long, ...objections].join(" "),
    ...((error.open === true || asked.length > 0) && retryAfterMs !== undefined
      ? { retry_after_ms: retryAfterMs }
      : {}),
    cause: error
  })
}

interface Again {
  readonly attempt: number
  readonly delay_ms: number
  /** Another model is asked from now on. */
  readonly model?: string
}

/** Tells everyone that the call is made again, into new streams where something was shown or another model answers. */
const announce = Effect.fnUntraced(function* (ask: Ask, shown: Parts.ShownAnswer, error: ProviderError, again: Again) {
  const { task_id } = ask.at
  const { attempt, delay_ms, model } = again
  const who = model === undefined ? {} : { model }
  yield* ask.reporter.report([])
  const message = ask.mask([error.detail, ...askedText(ask, error)].join(" "))
  ask.reporter.signal([{ type: "retrying", task_id, attempt, delay_ms, code: error.code, message, ...who }])
  if (!shown.any() && model === undefined) return ask.streams
  const next = { stream_id: newStreamId(), reasoning_stream_id: newStreamId() }
  yield* ask.reporter.report([
    {
      type: "stream_reset",
      ...ask.at,
      stream_id: ask.streams.stream_id,
      next_stream_id: next.stream_id,
      next_reasoning_stream_id: next.reasoning_stream_id,
      reason: error.code,
      ...who
    }
  ])
  ask.showing(Parts.make(task_id, next))
  return next
})

/** A model that will not answer: why, and where its streams are. */
interface GivenUp {
  readonly error: ProviderError
  readonly ask: Ask
  readonly shown: Parts.ShownAnswer
  readonly attempt: number
  /** Milliseconds, between its attempts. */
  readonly waited: number
}

const now = Effect.map(Clock.monotonicTimeNanos, (nanos) => Number(nanos) / 1e6)

const inStreams = (ask: Ask, streams: Parts.Streams): Ask => ({ ...ask, streams })

/** One attempt, with what is left for it. */
const attempted = (ask: Ask, shown: Parts.ShownAnswer) => {
  const once = ask.provider.capabilities.streaming ? streamed : generated
  const asking = (request: ModelRequest) => {
    if (request !== ask.request) ask.lessened(request)
    return once({ ...ask, request }, shown)
  }
  return ask.attempt(asking, { shown, model: modelOf(ask), request: ask.request })
}

/** All attempts at one model. */
const attempts = Effect.fnUntraced(function* (first: Ask, chances: Pick<Retry.RetryInput, "fresh" | "other">) {
  const begun = yield* now
  let [ask, waited] = [first, 0]
  for (let attempt = 1; ; attempt++) {
    const shown = Parts.make(ask.at.task_id, ask.streams)
    ask.showing(shown)
    Points.reach("model before")
    const result = yield* Effect.result(attempted(ask, shown))
    Points.reach("model after")
    if (Result.isSuccess(result)) {
      const answer: Answer = { completed: costed(ask, result.success), shown, streams: ask.streams }
      return answer
    }
    const error = result.failure
    if (error._tag !== "ProviderError") return yield* error
    const elapsed_ms = (yield* now) - begun
    const decision = Retry.decide(ask.retry, { attempt, error, elapsed_ms, random: yield* Random.next, ...chances })
    const givenUp: GivenUp = { error, ask, shown, attempt, waited }
    if (decision._tag === "stop") return givenUp
    const { delay_ms } = decision
    ask = inStreams(ask, yield* announce(ask, shown, error, { attempt, delay_ms }))
    yield* Effect.sleep(delay_ms)
    waited += delay_ms
  }
})

const of = (ask: Ask, model: string | undefined): Ask =>
  model === undefined ? ask : { ...ask, request: { ...ask.request, model } }

/** Faults of one model or its account, which passes another by. */
const itsOwn: ReadonlySet<string> = new Set(["provider_model_not_found", "provider_quota"])

/** Asks the model, and where it keeps failing for reasons of its own, those that may stand in. */
export const ask = Effect.fnUntraced(function* (first: Ask) {
  let asking = of(first, first.standing.in)
  const tried: Array<string> = []
  for (;;) {
    tried.push(modelOf(asking))
    const { models, objections } = Fallback.able(first.catalogue, asking.request, first.fallbacks, tried)
    const [next] = models
    // A circuit that is open is no reason to wait where another model can be asked, or where nothing is lost yet.
    const found = yield* attempts(asking, { fresh: first.at.turn === 1, other: next !== undefined })
    if ("completed" in found) return found
    const { attempt, error, shown } = found
    const mayPass = error.isRetryable || itsOwn.has(error.code)
    if (!mayPass || next === undefined) return yield* failed(first, found, mayPass ? objections : [])
    const streams = yield* announce(found.ask, shown, error, { attempt, delay_ms: 0, model: next })
    first.standing.in = next
    asking = of(inStreams(found.ask, streams), next)
  }
})
