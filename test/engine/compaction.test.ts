/** Less of the conversation when it would be too long, or was: once, stored, charged, and cancelled as all else (LESSONS 14, 15, 33). */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Logger, Stream } from "effect"
import fc from "fast-check"
import type { DurableEvent } from "../../src/domain/Event.ts"
import type { CallId, PromptId, SessionId, TaskId } from "../../src/domain/Ids.ts"
import { Engine } from "../../src/engine/Engine.ts"
import { Reporter } from "../../src/engine/Reporter.ts"
import type { ModelRequest } from "../../src/provider/Provider.ts"
import { ProviderError } from "../../src/provider/ProviderError.ts"
import { answer, call, kit } from "../support/engineKit.ts"
import { said, type Summarising, summarising } from "../support/summarised.ts"
import { probe } from "../support/tools.ts"

const output = (chars: number) => "word ".repeat(Math.ceil(chars / 5))
const { tool } = probe({ run: ({ n = 0 }) => Effect.succeed({ content: `${n} ${output(n)}` }) })
const overflow = Stream.fail(
  new ProviderError({
    code: "provider_context_overflow",
    detail: "It said: This model's maximum context length is 6000 tokens."
  })
)

const run = (model: Summarising, context_window: number, ...prompts: ReadonlyArray<string>) => {
  const { seen, layer } = kit({ script: model.script, tools: [tool], limits: { context_window, max_turns: 60 } })
  return Effect.gen(function* () {
    const engine = yield* Engine
    const ends = yield* Effect.forEach(prompts, (content) => engine.prompt({ content }))
    return { ends, events: seen.events, end: ends.at(-1) }
  }).pipe(Effect.provide([layer, Logger.layer([])]))
}

const typesOf = (events: ReadonlyArray<DurableEvent>) => events.map(({ type }) => type)
const compactedIn = (events: ReadonlyArray<DurableEvent>) =>
  events.flatMap((event) => (event.type === "compacted" ? [event] : []))

const chargedIn = (events: ReadonlyArray<DurableEvent>) =>
  events.flatMap((event) => (event.type === "usage" && event.charged !== undefined ? [event.charged] : []))

/** No two alike, which would be a loop. */
const sizes = (n: number) => Array.from({ length: n }, (_, i) => 1_500 + i)

/** Calls with results of these sizes, one after another, then an answer. */
const working =
  (...sizes: ReadonlyArray<number>) =>
  (_request: ModelRequest, turn: number) =>
    turn > sizes.length ? said("Done.") : answer("", [call(`c${turn}`, "probe", { n: sizes[turn - 1] })])

describe("compaction", () => {
  it.effect("leaves request n+1 beginning with request n, message for message, until something has to go", () =>
    Effect.forEach(
      fc.sample(
        fc.tuple(
          fc.array(fc.integer({ min: 1, max: 9_000 }), { minLength: 1, maxLength: 20 }),
          fc.integer({ min: 1, max: 3 })
        ),
        30
      ),
      Effect.fnUntraced(function* ([of, prompts]) {
        const model = summarising((_request, turn) =>
          turn % 7 === 0 ? said("Done.") : answer("", [call(`c${turn}`, "probe", { n: of[turn % of.length] })])
        )
        const texts = Array.from({ length: prompts }, (_, i) => `prompt ${i}`)
        const { events } = yield* run(model, 12_000, ...texts)
        const broken = model.asked.filter(({ messages }, i) => {
          const before = model.asked[i - 1]?.messages ?? []
          return JSON.stringify(messages.slice(0, before.length)) !== JSON.stringify(before)
        })
        assert.strictEqual(broken.length, compactedIn(events).length, JSON.stringify([of, prompts]))
      }),
      { discard: true }
    )
  )

  it.effect("is answered to a server that finds it too long: once, with what it costs, and the turn goes on", () =>
    Effect.gen(function* () {
      const fine = working(3_000, 3_001, 3_002, 3_003)
      const model = summarising((request, turn) => (turn === 4 ? overflow : fine(request, turn > 4 ? turn - 1 : turn)))
      const { end, events } = yield* run(model, 100_000, "RULE: be quick")
      assert.strictEqual(end?.status, "completed")
      const [made, ...more] = compactedIn(events)
      assert.deepStrictEqual(more, [])
      assert.isBelow(made?.tokens_after ?? 0, made?.tokens_before ?? 0)
      assert.deepStrictEqual(chargedIn(events), [{ input_tokens: 100, output_tokens: 20 }])
      const reset = events.find((event) => event.type === "stream_reset")
      assert.strictEqual(reset?.reason, "compacted")
      // Six answers of the model: the calls' have 10 + 5 each, the last one and the summary 100 + 20.
      assert.deepStrictEqual(end?.usage, { input_tokens: 240, output_tokens: 60 })
      assert.include(JSON.stringify(model.asked.at(-1)?.messages), "be quick")
      assert.strictEqual(model.summaries.length, 1)
    })
  )

  it.effect("that does not help ends with what takes the room, after one try", () =>
    Effect.gen(function* () {
      const model = summarising((request, turn) => (turn < 4 ? working(3_000, 3_000, 3_000)(request, turn) : overflow))
      const { end, events } = yield* run(model, 100_000, "go")
      assert.strictEqual(end?.error?.code, "provider_context_overflow")
      assert.match(end?.error?.message ?? "", /the system prompt \d+, the tools \d+, your prompt \d+.*\/clear/)
      assert.deepStrictEqual([model.asked.length, model.summaries.length, compactedIn(events).length], [5, 1, 1])
    })
  )

  it.effect("is not tried where nothing can go: the server is asked once", () =>
    Effect.gen(function* () {
      const model = summarising(() => overflow)
      const { end } = yield* run(model, 8_000, "hello")
      assert.strictEqual(end?.error?.code, "provider_context_overflow")
      assert.deepStrictEqual([model.asked.length, model.summaries.length], [1, 0])
      const next = yield* run(
        summarising(() => said("Better.")),
        8_000,
        "again"
      )
      assert.strictEqual(next.end?.status, "completed")
    })
  )

  it.effect("shortens older results without asking anybody, and never one that was not read", () =>
    Effect.gen(function* () {
      const model = summarising(working(12_000, 12_000, 12_000, 9_000))
      const { events } = yield* run(model, 16_000, "go")
      assert.strictEqual(model.summaries.length, 0)
      const [made] = compactedIn(events)
      assert.deepStrictEqual([made?.summary, made?.up_to_seq, made?.shortened?.chars], ["", 0, 1_600])
      const last = model.asked.at(-1)?.messages ?? []
      const results = last.filter(({ role }) => role === "tool").map(({ content }) => content)
      assert.include(results[0], "left out to save room")
      assert.strictEqual(results.at(-1), `9000 ${output(9_000)}`)
    })
  )

  it.effect("cuts the longest of unread results that cannot fit, tells the model, and the session goes on", () => {
    const calls = (...of: ReadonlyArray<number>) =>
      answer(
        "",
        of.map((n, i) => call(`c${n}_${i}`, "probe", { n }))
      )
    const rows = [
      { window: 12_000, of: [30_000, 30_001, 30_002, 40], refuse: 0, cut: 3 },
      { window: 8_000, of: [90_000], refuse: 0, cut: 1 },
      // Nobody knew how small it is before the server said so.
      { window: 100_000, of: [30_000, 40, 20_000], refuse: 2, cut: 2 }
    ]
    return Effect.forEach(
      rows,
      Effect.fnUntraced(function* ({ window, of, refuse, cut }) {
        const model = summarising((_request, turn) => {
          if (turn === refuse) return overflow
          return turn === 1 ? calls(...of) : said("Done.")
        })
        const { ends, events } = yield* run(model, window, "read them", "go on")
        assert.deepStrictEqual(
          ends.map(({ status }) => status),
          ["completed", "completed"]
        )
        const [first] = compactedIn(events)
        assert.isBelow(first?.tokens_after ?? 0, window)
        const read = model.asked.at(refuse === 0 ? 1 : 2)?.messages.filter(({ role }) => role === "tool") ?? []
        const marks = read.filter(({ content }) =>
          /^\d+ word .*\n\[\.\.\. \d+ characters left out since not all results fit; call again for the part you need \.\.\.\]\n.* $/s.test(
            content
          )
        )
        assert.deepStrictEqual([read.length, marks.length], [of.length, cut])
        assert.isTrue(read.some(({ content }) => content.length > 3_000 && content.length < 30_000))
      }),
      { discard: true }
    )
  })

  it.effect("names /compact where it helps, and keeps the server's words", () =>
    Effect.gen(function* () {
      const prompts = [`RULE: be quick ${output(20_000)}`, "x".repeat(60_000)]
      const model = summarising(() => said("Fine."))
      const { end } = yield* run(model, 8_000, ...prompts)
      assert.match(end?.error?.message ?? "", /about \d+k? tokens, where the model takes 8000 and 2000 of them/)
      assert.notInclude(end?.error?.message, "/compact")
      const refused = yield* run(
        summarising(() => overflow),
        100_000,
        "hello"
      )
      assert.match(
        refused.end?.error?.message ?? "",
        /^It said: This model's maximum context length is 6000 tokens\. By claw's own count it is about \d+ tokens: the system prompt \d+.*\. Ask for less/
      )
      // A window that the head alone fills is said, before anything is asked.
      const tiny = summarising(() => said("Never."))
      const none = yield* run(tiny, 60, "hello")
      assert.deepStrictEqual([none.end?.error?.code, tiny.asked.length], ["provider_context_overflow", 0])
    })
  )

  it.effect("is cancelled as all else: nothing of it is stored, and the session is whole", () =>
    Effect.gen(function* () {
      const begun = yield* Deferred.make<void>()
      const model = summarising(working(...sizes(40)), () =>
        Stream.fromEffect(Effect.andThen(Deferred.succeed(begun, undefined), Effect.never))
      )
      const { seen, layer } = kit({
        script: model.script,
        tools: [tool],
        limits: { context_window: 8_000, max_turns: 60 }
      })
      yield* Effect.gen(function* () {
        const engine = yield* Engine
        const task = yield* Effect.forkChild(engine.prompt({ content: "go" }))
        yield* Deferred.await(begun)
        yield* Fiber.interrupt(task)
      }).pipe(Effect.provide([layer, Logger.layer([])]))
      assert.strictEqual(seen.events.at(-1)?.type, "task_canceled")
      assert.isFalse(typesOf(seen.events).includes("compacted"))
    })
  )

  it.effect("that a person asked for goes on where its process died, and is done once", () =>
    Effect.gen(function* () {
      const model = summarising(() => said("Done."))
      const { seen, layer } = kit({ script: model.script })
      const task_id = "task_compact" as TaskId
      yield* Effect.gen(function* () {
        const [engine, reporter] = [yield* Engine, yield* Reporter]
        yield* engine.prompt({ content: "RULE: be quick" })
        const prompt_id = "prompt_compact" as PromptId
        const started = {
          type: "task_started",
          task_id,
          prompt_id,
          content: "/compact it",
          command: "compact"
        } as const
        for (const place of ["turn", "finish"] as const) {
          yield* reporter.report([started])
          const from = { place: { kind: place }, broken: new Set<CallId>() }
          const end = yield* engine.resume({ session_id: "local" as SessionId, task_id }, from)
          assert.strictEqual(end.status, "completed")
        }
      }).pipe(Effect.provide([layer, Logger.layer([])]))
      assert.strictEqual(compactedIn(seen.events).length, 1)
      assert.strictEqual(model.summaries.length, 1)
      assert.include(model.summaries[0], "keep above all: it")
    })
  )

  it.effect.each(["text_delta", "reasoning_delta"] as const)(
    "takes a digest for a summary that does not end, and asks for it once: %s",
    (type) =>
      Effect.gen(function* () {
        let sent = 0
        const endless = Stream.map(Stream.rechunk(Stream.range(1, 20_000), 10), () => {
          sent += 1
          return { type, text: output(500) }
        })
        const model = summarising(working(...sizes(40)), () => endless)
        const { end, events } = yield* run(model, 8_000, "go")
        assert.strictEqual(end?.status, "completed")
        const all = compactedIn(events)
        assert.deepStrictEqual(
          new Set(all.map(({ digest_reason }) => digest_reason)),
          new Set(["The model's answer is too large."])
        )
        assert.strictEqual(model.summaries.length, all.length)
        assert.isBelow(sent, all.length * 1_000)
      })
  )

  it.effect("takes a digest for a summary that says nothing, and charges it all the same", () =>
    Effect.gen(function* () {
      const [many, steps] = [sizes(60), 30]
      const model = summarising(
        (_request, turn) =>
          turn % (steps + 1) === 0 ? said("Done.") : answer("", [call(`c${turn}`, "probe", { n: many[turn % 60] })]),
        () => said("summary")
      )
      const { end, events } = yield* run(model, 8_000, "You must never touch vendor/.", "Go on.")
      assert.strictEqual(end?.status, "completed")
      const all = compactedIn(events)
      for (const { digest_reason, summary } of all) {
        assert.include(summary, "Calls made, the newest last:")
        assert.strictEqual(digest_reason, "What the model wrote is no summary.")
      }
      assert.deepStrictEqual(
        chargedIn(events),
        all.map(() => ({ input_tokens: 100, output_tokens: 20 }))
      )
      // The prompt that is worked on stands beside it; once it is done, its rules are kept.
      assert.include(JSON.stringify(model.asked.at(-1)?.messages), "You must never touch vendor/.")
      assert.include(all.at(-1)?.summary, "## Rules\n- You must never touch vendor/.")
    })
  )
})
