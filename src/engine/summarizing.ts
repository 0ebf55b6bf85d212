/**
 * The summarizer over the session's own model (SETTLED 24). Owns: the request, and one more try where the failure may
 * pass. Invariant: nothing of the session but the text handed in is sent: no tools, no history, no conversation to keep.
 */
import { Clock, Effect, Random, Result, Stream } from "effect"
import { Summarizer, SummaryFailed, type SummaryRequest } from "../context/Compactor.ts"
import * as Usage from "../domain/Usage.ts"
import type { Completed } from "../provider/ModelPart.ts"
import type { ModelRequest, Provider } from "../provider/Provider.ts"
import { ProviderError } from "../provider/ProviderError.ts"
import * as Retry from "../provider/Retry.ts"

export interface Over {
  readonly provider: Provider["Service"]
  readonly retry: Retry.RetryPolicy
  readonly model: string
}

/** A person waits: whoever keeps failing is not asked long. */
const ATTEMPTS = 2

const plus = (a: Usage.Usage | undefined, b: Usage.Usage | undefined): Usage.Usage | undefined =>
  a === undefined || b === undefined ? (a ?? b) : Usage.add(a, b)

const once = ({ provider }: Over, request: ModelRequest): Effect.Effect<Completed, ProviderError> => {
  if (!provider.capabilities.streaming) return provider.generate(request)
  const last = Stream.runFold(
    provider.stream(request),
    (): Completed | undefined => undefined,
    (found, part) => (part.type === "completed" ? part : found)
  )
  return Effect.flatMap(last, (completed) =>
    completed === undefined
      ? Effect.fail(new ProviderError({ code: "provider_bad_stream", detail: "The model's answer has no end." }))
      : Effect.succeed(completed)
  )
}

const asked = Effect.fnUntraced(function* (over: Over, request: ModelRequest) {
  const begun = yield* Clock.currentTimeMillis
  const policy = { ...over.retry, max_attempts: Math.min(over.retry.max_attempts, ATTEMPTS) }
  let spent: Usage.Usage | undefined
  for (let attempt = 1; ; attempt++) {
    const result = yield* Effect.result(once(over, request))
    if (Result.isSuccess(result)) return { ...result.success, usage: plus(spent, result.success.usage) }
    const error = result.failure
    spent = plus(spent, error.usage)
    const elapsed_ms = (yield* Clock.currentTimeMillis) - begun
    const decision = Retry.decide(policy, { attempt, error, elapsed_ms, random: yield* Random.next })
    if (decision._tag === "stop") {
      return yield* new SummaryFailed({ detail: error.detail, ...(spent === undefined ? {} : { usage: spent }) })
    }
    yield* Effect.sleep(decision.delay_ms)
  }
})

const requestOf = ({ model }: Over, { system, text, max_output_tokens }: SummaryRequest): ModelRequest => ({
  model,
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
      Effect.map(asked(over, requestOf(over, request)), ({ message, usage }) => ({
        text: message.content,
        ...(usage === undefined ? {} : { usage })
      }))
  })
