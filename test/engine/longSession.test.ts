/** A session of a thousand turns stays inside a small window and still knows what it is about (issue 7, Measured; R080). */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Logger, Stream } from "effect"
import { Engine } from "../../src/engine/Engine.ts"
import type { ModelRequest } from "../../src/provider/Provider.ts"
import { ProviderError } from "../../src/provider/ProviderError.ts"
import { answer, call, kit } from "../support/engineKit.ts"
import { violations } from "../support/history.ts"
import { summarising, tokensOf } from "../support/summarised.ts"
import { probe } from "../support/tools.ts"

const WINDOW = 32_000
const FIRST = "GOAL: the heron flies\nRULE: you must never touch vendor/\nRULE: always answer in one line\nBegin."

const { tool } = probe({ run: ({ n = 0 }) => Effect.succeed({ content: `result ${n}: ${"some output ".repeat(60)}` }) })

/** So many tasks of so many turns, each of which leaves something open. */
const turnsOf = (perTask: number) => (_request: ModelRequest, turn: number) =>
  turn % perTask === 0
    ? answer(`Done with part ${turn}.\nOPEN: step ${turn + 1} of the heron`)
    : answer(`Working.\nOPEN: step ${turn + 1} of the heron`, [call(`c${turn}`, "probe", { n: turn })])

const lived = (turns: number, perTask: number, summary?: () => Stream.Stream<never, ProviderError>) => {
  const model = summarising(turnsOf(perTask), summary)
  const { seen, layer } = kit({
    script: model.script,
    tools: [tool],
    limits: { max_turns: perTask + 1, context_window: WINDOW }
  })
  return Effect.gen(function* () {
    const engine = yield* Engine
    for (let task = 0; task < turns / perTask; task++) {
      const end = yield* engine.prompt({ content: task === 0 ? FIRST : `Go on with part ${task}.` })
      assert.strictEqual(end.status, "completed")
    }
    return { ...model, seen }
  }).pipe(Effect.provide([layer, Logger.layer([])]))
}

const textOf = (request: ModelRequest | undefined) => JSON.stringify(request?.messages)

describe("a long session", () => {
  it.effect("of 1,000 turns stays in 32k tokens, and its last request still has goal, rules and what is open", () =>
    Effect.gen(function* () {
      const { asked, seen, summaries } = yield* lived(1_000, 50)
      assert.strictEqual(asked.length, 1_000)
      assert.isAtMost(Math.max(...asked.map(tokensOf)), WINDOW)
      for (const request of asked.filter((_, i) => i % 97 === 0))
        assert.deepStrictEqual(violations(request.messages), [])
      const last = textOf(asked.at(-1))
      for (const known of [
        "the heron flies",
        "you must never touch vendor/",
        "always answer in one line",
        "step 1000 of"
      ])
        assert.include(last, known)
      assert.isFalse(last.includes("Working.\\nOPEN: step 5 of"))
      // Each of them made room for many turns, and none cost more than one request.
      const made = seen.events.filter((event) => event.type === "compacted")
      assert.isAtLeast(made.length, 5)
      assert.isAtMost(made.length, 40)
      assert.isAtMost(summaries.length, made.length)
    })
  )

  it.effect("goes on without a model that can summarise: a digest keeps the same", () =>
    Effect.gen(function* () {
      const unable = () => Stream.fail(new ProviderError({ code: "provider_bad_request", detail: "no" }))
      const { asked } = yield* lived(300, 50, unable)
      assert.isAtMost(Math.max(...asked.map(tokensOf)), WINDOW)
      const last = textOf(asked.at(-1))
      for (const known of ["the heron flies", "must never touch vendor/", "always answer in one line", "part 4"])
        assert.include(last, known)
    })
  )
})
