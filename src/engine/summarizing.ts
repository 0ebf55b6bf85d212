/**
 * The summarizer over the session's own model (SETTLED 24). Owns: the request, and one more try where the failure may
 * pass. Invariants: nothing of the session but the text handed in is sent: no tools, no history, no conversation to keep;
 * what it may take is reserved, and every attempt is counted, also one that is interrupted; one that goes on far beyond
 * what was asked for is ended.
 */
import { Clock, Effect, Random, Result, Stream } from "effect"
import { Summarizer, SummaryFailed, type SummaryRequest } from "../context/Compactor.ts"
import { fault } from "../domain/FaultTexts.ts"
import { newStreamId, type TaskId } from "../domain/Ids.ts"
import type { Completed, ModelPart } from "../provider/ModelPart.ts"
import type { ModelRequest, Provider } from "../provider/Provider.ts"
import { ProviderError } from "../provider/ProviderError.ts"
import * as Retry from "../provider/Retry.ts"
import type { Meter } from "./metering.ts"
import * as Parts from "./parts.ts"
import type { TaskFailure } from "./TaskFailure.ts"

export interface Over {
  readonly task_id: TaskId
  readonly provider: Provider["Service"]
  readonly retry: Retry.RetryPolicy
  readonly model: string
  /** Reserves what the request may take, and counts what it took. */
  readonly metered: <A, E>(
    request: ModelRequest,
    use: (meter: Meter) => Effect.Effect<A, E>
  ) => Effect.Effect<A, E | TaskFailure>
}

/** A person waits: whoever keeps failing is not asked long. */
const ATTEMPTS = 2

/** Characters that so many tokens never have; a server that does not keep to what was asked is not listened to longer. */
const CHARS_PER_TOKEN = 16
/** What a model may think before it writes: more than any thinks. */
const THOUGHT_CHARS = 400_000

const tooMuch = () =>
  new ProviderError({ code: "provider_bad_stream", detail: fault("answer_too_large"), excess: true })

/** Takes what comes, until it is more than was asked for. */
const listening = (got: Parts.ShownAnswer, max_output_tokens: number) => {
  let [written, thought] = [0, 0]
  return (part: ModelPart): Effect.Effect<void, ProviderError> =>
    Effect.suspend(() => {
      got.take([part])
      if (part.type === "text_delta") written += part.text.length
      if (part.type === "reasoning_delta") thought += part.text.length
      return written > max_output_tokens * CHARS_PER_TOKEN || thought > THOUGHT_CHARS
        ? Effect.fail(tooMuch())
        : Effect.void
    })
}

const once = (
  { provider }: Over,
  request: ModelRequest,
  got: Parts.ShownAnswer
): Effect.Effect<Completed, ProviderError> => {
  if (!provider.capabilities.streaming) return provider.generate(request)
  const most = request.max_output_tokens ?? Number.POSITIVE_INFINITY
  const all = Stream.runForEach(provider.stream(request), listening(got, most))
  return Effect.flatMap(all, () => {
    const completed = got.completed()
    return completed === undefined
      ? Effect.fail(new ProviderError({ code: "provider_bad_stream", detail: fault("no_end") }))
      : Effect.succeed(completed)
  })
}

const asked = Effect.fnUntraced(function* (over: Over, { attempt: counted, request }: Meter) {
  const begun = yield* Clock.currentTimeMillis
  const policy = { ...over.retry, max_attempts: Math.min(over.retry.max_attempts, ATTEMPTS) }
  for (let attempt = 1; ; attempt++) {
    // Nobody sees it grow; what came of an attempt that fails is counted.
    const got = Parts.make(over.task_id, { stream_id: newStreamId(), reasoning_stream_id: newStreamId() })
    const about = { shown: got, model: over.model, request }
    const result = yield* Effect.result(counted((asking) => once(over, asking, got), about))
    if (Result.isSuccess(result)) return result.success
    const error = result.failure
    // It would be as much again.
    if (error._tag !== "ProviderError" || error.excess === true) return yield* error
    const elapsed_ms = (yield* Clock.currentTimeMillis) - begun
    const decision = Retry.decide(policy, { attempt, error, elapsed_ms, random: yield* Random.next })
    if (decision._tag === "stop") return yield* error
    yield* Effect.sleep(decision.delay_ms)
  }
})

const requestOf = ({ model, task_id }: Over, { system, text, max_output_tokens }: SummaryRequest): ModelRequest => ({
  model,
  task: task_id,
  messages: [
    { role: "system", content: system },
    { role: "user", content: text.toWellFormed() }
  ],
  tools: [],
  max_output_tokens
})

export const make = (over: Over): Summarizer["Service"] =>
  Summarizer.of({
    summarize: (request) =>
      Effect.mapBoth(
        over.metered(requestOf(over, request), (meter) => asked(over, meter)),
        {
          onSuccess: ({ message }) => message.content,
          onFailure: (error) =>
            new SummaryFailed({ detail: error._tag === "ProviderError" ? error.detail : error.message })
        }
      )
  })
