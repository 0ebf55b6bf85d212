/** Limits hold for a model that stands in, and what was asked below a task that a crash cut off is counted (R115, R117, R119). */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import type { PromptId, SessionId, StreamId, TaskId } from "../../src/domain/Ids.ts"
import { initial, type SessionState } from "../../src/domain/Session.ts"
import { Engine } from "../../src/engine/Engine.ts"
import { defaults, type Limits } from "../../src/engine/EngineLimits.ts"
import { Reporter } from "../../src/engine/Reporter.ts"
import { make } from "../../src/provider/Catalogue.ts"
import { ProviderError } from "../../src/provider/ProviderError.ts"
import type { ModelRequest } from "../../src/provider/Provider.ts"
import { answer, kit, turns } from "../support/engineKit.ts"

const down = Stream.fail(new ProviderError({ code: "provider_unavailable", detail: "It is down." }))

/** Small answers have 1,000 tokens, those of the one that stands in 100,000. */
const catalogue = make({
  models: {
    scripted: { output_tokens: 1_000, prices: { input: 1, output: 2 } },
    big: { output_tokens: 100_000, prices: { input: 1, output: 10 } }
  }
})

const standingIn = (limits: Partial<Limits>, model = "big") => {
  const asked: Array<ModelRequest> = []
  const { layer, seen } = kit({
    catalogue,
    budget: { estimate: () => 10 },
    limits: { fallback_models: [model], retry: { ...defaults.retry, max_attempts: 1 }, ...limits },
    script: (request) => {
      asked.push(request)
      return request.model === model ? answer("Whole") : down
    }
  })
  return Effect.map(
    Effect.flatMap(Engine, (engine) => engine.prompt({ content: "go" })),
    (end) => ({ end, most: asked.at(-1)?.max_output_tokens, seen })
  ).pipe(Effect.provide(layer))
}

describe("a model that stands in under a limit", () => {
  it.effect.each([
    [{ task_tokens: 20_000 }, "big", 19_990],
    [{ task_tokens: 20_000, max_output_tokens: 500 }, "big", 500],
    // Ten dollars a million: what five cents leave behind the question.
    [{ task_cost_usd: 0.05 }, "big", 4_999],
    [{ task_tokens: 200_000 }, "big", undefined],
    // Of an unknown one what is assumed is asked for, so that it holds.
    [{ task_tokens: 200_000 }, "unknown", 8_192]
  ] as const)("%o: %s is asked for no more than is held for it", ([limits, model, most]) =>
    Effect.gen(function* () {
      const found = yield* standingIn(limits, model)
      assert.deepStrictEqual([found.end.status, found.most], ["completed", most])
    })
  )
})

describe("what a subagent's model was asked when the process died", () => {
  it.effect("is counted once, as estimated, where its task goes on", () => {
    const task_id = "task_1" as TaskId
    const { layer, seen } = kit({
      script: turns(answer("done")),
      catalogue,
      budget: { estimate: ({ messages }) => 1_000 * messages.length }
    })
    const inside: SessionState = {
      ...initial,
      history: [{ kind: "prompt", seq: 1, prompt_id: "p" as PromptId, content: "look" }],
      task: {
        task_id,
        prompt_id: "p" as PromptId,
        turn: 3,
        stream: { stream_id: "s" as StreamId, reasoning_stream_id: "r" as StreamId },
        usage: { input_tokens: 0, output_tokens: 0 }
      }
    }
    return Effect.gen(function* () {
      const [engine, reporter] = [yield* Engine, yield* Reporter]
      yield* reporter.report([{ type: "task_started", task_id, prompt_id: "p" as PromptId, content: "go" }])
      const from = { place: { kind: "turn" }, broken: new Set<never>(), cut: [inside] } as const
      const end = yield* engine.resume({ session_id: "local" as SessionId, task_id }, from)
      const charged = seen.events.flatMap((event) => (event.type === "usage" ? [event.charged?.input_tokens] : []))
      assert.deepStrictEqual([end.status, charged], ["completed", [1_000, undefined]])
      assert.strictEqual(end.usage.input_tokens, 1_010)
      assert.isTrue(end.usage.estimated)
    }).pipe(Effect.provide(layer))
  })
})
