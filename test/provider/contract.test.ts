/**
 * What every dialect of the driver keeps (R096, R097, R101–R105, R110–R116, R128, R299, R300): one terminal element, calls put
 * together from their pieces, reasoning apart, counts, refusals by code, sockets that are reused and closed. The same
 * answers in both dialects, streamed and plain.
 */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Stream } from "effect"
import type { CallId } from "../../src/domain/Ids.ts"
import type { Message } from "../../src/domain/Message.ts"
import type { Completed } from "../../src/provider/ModelPart.ts"
import type { OpenAiConfig } from "../../src/provider/openai/OpenAi.ts"
import { guess } from "../../src/provider/openai/usage.ts"
import { type Said, type Script, scripts } from "../support/dialectScripts.ts"
import { ask, completedOf, outcome, rig, textOf } from "../support/fakeModelProvider.ts"
import { html, refusal } from "../support/fakeModelScript.ts"

const tools = [{ name: "read", description: "Reads.", parameters: { type: "object", properties: {} } }]
const usage = { input_tokens: 20, output_tokens: 9, cached_tokens: 16, reasoning_tokens: 4 }
const two = [
  { id: "c1", name: "read", arguments: '{"path":"a b.txt"}' },
  { id: "c2", name: "read", arguments: "{}" }
]
const said = (call: (typeof two)[number]) => ({ call_id: call.id, tool_name: call.name, arguments: call.arguments })

/** Answers, the same both ways: what the stream ended with, and what `generate` gave. */
const both = Effect.fnUntraced(function* (script: Script, answer: Said) {
  const { model, provider } = yield* rig({ api: script.api })
  model.script(script.whole(answer), script.whole(answer))
  const { parts, error } = yield* outcome(provider.stream(ask("hi", { tools })))
  const whole = yield* Effect.result(provider.generate(ask("hi", { tools })))
  const completed = parts.filter((part) => part.type === "completed")
  assert.strictEqual(completed.length + (error === undefined ? 0 : 1), 1)
  assert.deepStrictEqual(
    model.requests().map(({ path }) => path),
    [script.path, script.path]
  )
  const plain: Completed | string = whole._tag === "Success" ? whole.success : whole.failure.code
  assert.deepStrictEqual(plain, error?.code ?? completed[0])
  return { parts, plain }
})

describe.each(scripts)("$api", (script) => {
  const config: Partial<OpenAiConfig> = { api: script.api }

  it.live("a text is its deltas and one completion", () =>
    Effect.gen(function* () {
      const { parts, plain } = yield* both(script, { text: "Hello 🌍!" })
      assert.strictEqual(textOf(parts), "Hello 🌍!")
      const message = { role: "assistant", content: "Hello 🌍!", tool_calls: [] }
      assert.deepStrictEqual(plain, {
        type: "completed",
        message,
        bad_calls: [],
        finish_reason: "stop",
        usage,
        model: "fake-model"
      } as never)
    })
  )

  it.live("calls are put together, with text and reasoning beside them and apart (LESSONS 9)", () =>
    Effect.gen(function* () {
      const { parts, plain } = yield* both(script, { text: "Reading.", reasoning: "First look.", calls: two })
      assert.deepStrictEqual(
        parts.filter(({ type }) => type !== "tool_call_progress" && type !== "completed").map((part) => part.type),
        ["reasoning_delta", "text_delta"]
      )
      const { finish_reason, message } = plain as Completed
      assert.deepStrictEqual(
        [finish_reason, message.content, message.reasoning, message.tool_calls as unknown],
        ["tool_calls", "Reading.", "First look.", two.map(said)]
      )
    })
  )

  it.live.each<[Said, string]>([
    [{ text: "Half", end: "length" }, "length"],
    [{ text: "Half", end: "content_filter" }, "content_filter"],
    [{ end: "content_filter" }, "provider_refused"],
    [{ reasoning: "hm", end: "length" }, "provider_output_truncated"],
    [{ calls: [{ id: "c", name: "read", arguments: '{"path":"a' }], end: "length" }, "provider_output_truncated"],
    [{ reasoning: "hm" }, "provider_bad_stream"],
    [{}, "provider_bad_stream"]
  ])("the ending of %j is %s", ([answer, expected]) =>
    Effect.gen(function* () {
      const { plain } = yield* both(script, answer)
      assert.strictEqual(typeof plain === "string" ? plain : plain.finish_reason, expected)
    })
  )

  it.live("arguments that are no JSON are kept raw and not run (SETTLED 15)", () =>
    Effect.gen(function* () {
      const { plain } = yield* both(script, { calls: [{ id: "c", name: "read", arguments: '{"path":' }] })
      const { bad_calls, message } = plain as Completed
      assert.deepStrictEqual([bad_calls[0]?.raw, message.tool_calls[0]?.arguments], ['{"path":', "{}"])
    })
  )

  it.live("zeros for a prompt and an answer that have something are a guess (RELIABILITY 3.6)", () =>
    Effect.gen(function* () {
      const { model, provider } = yield* rig(config)
      model.script(script.whole({ text: "Hello!", uncounted: true }))
      const { parts } = yield* outcome(provider.stream(ask()))
      const sent = Buffer.byteLength(model.requests()[0]?.body ?? "")
      const counted = completedOf(parts)?.usage
      assert.deepStrictEqual(counted, { input_tokens: guess(sent), output_tokens: guess(6), estimated: true })
      assert.isAbove(counted?.input_tokens ?? 0, 0)
    })
  )

  it.live("arguments without an end end the answer, and its socket", () =>
    Effect.gen(function* () {
      const { model, provider } = yield* rig(config)
      const arguments_ = `{"path":"${"x".repeat(4 * 1024 * 1024)}`
      model.script(script.broken({ calls: [{ id: "c", name: "read", arguments: arguments_ }] }, "hang"))
      const { error, parts } = yield* outcome(provider.stream(ask("hi", { tools })))
      assert.deepStrictEqual([error?.code, completedOf(parts)], ["provider_bad_stream", undefined])
      yield* model.deserted
    })
  )

  it.live("what is cut, or fails in the middle, is an error and nothing runs (R112, LESSONS 5, 6)", () =>
    Effect.gen(function* () {
      const { model, provider } = yield* rig(config)
      model.script(
        script.broken({ text: "Half" }),
        script.broken({ text: "Half", calls: two }, { gap_ms: 15 }, "reset"),
        script.broken({ text: "Half" }, script.error("server_error", "down")),
        script.broken({}, script.error("rate_limit_exceeded", "slow down")),
        script.broken({ text: "Half" }, "data: {oops\n\n"),
        html()
      )
      const found = yield* Effect.forEach([1, 2, 3, 4, 5, 6], () => outcome(provider.stream(ask())))
      assert.deepStrictEqual(
        found.map(({ error, parts }) => [error?.code, textOf(parts), completedOf(parts)]),
        [
          ["provider_bad_stream", "Half", undefined],
          ["provider_bad_stream", "Half", undefined],
          ["provider_unavailable", "Half", undefined],
          ["provider_rate_limited", "", undefined],
          ["provider_bad_stream", "Half", undefined],
          ["provider_unreachable", "", undefined]
        ]
      )
      model.script(script.errorDocument("server_error", "down"))
      assert.strictEqual((yield* Effect.flip(provider.generate(ask()))).code, "provider_unavailable")
    })
  )

  it.live("refusals have the codes of the table, and the key is never repeated (R110, R111, R115)", () =>
    Effect.gen(function* () {
      const { model, provider } = yield* rig(config)
      const cases = [
        [400, { message: "bad" }, "provider_bad_request"],
        [400, { message: "maximum context length" }, "provider_context_overflow"],
        [401, { message: "no" }, "provider_auth"],
        [404, { message: "The model `m` does not exist" }, "provider_model_not_found"],
        [404, { message: "no such path" }, "provider_bad_request"],
        [429, { message: "x", code: "insufficient_quota" }, "provider_quota"],
        [429, { message: "slow" }, "provider_rate_limited"],
        [503, { message: "busy" }, "provider_unavailable"]
      ] as const
      model.script(...cases.map(([status, error]) => refusal(status, error, { "retry-after": "7" })))
      const found = yield* Effect.forEach(cases, () => Effect.flip(provider.generate(ask())))
      assert.deepStrictEqual(
        found.map(({ code, retryAfterMs, status }) => [status, code, retryAfterMs]),
        cases.map(([status, , code]) => [status, code, 7000])
      )
      assert.include(found[4]?.message, script.api === "chat" ? "no chat completions" : "no responses")
      assert.deepStrictEqual(new Set(model.requests().map(({ connection }) => connection)), new Set([1]))
    })
  )

  it.live("interrupted, the socket closes at once (R128)", () =>
    Effect.gen(function* () {
      const { model, provider } = yield* rig(config)
      model.script(script.broken({ text: "Half" }, "hang"))
      const seen = yield* Deferred.make<void>()
      const fiber = yield* Effect.forkChild(
        Stream.runForEach(provider.stream(ask()), () => Deferred.succeed(seen, undefined))
      )
      yield* Deferred.await(seen)
      yield* Fiber.interrupt(fiber)
      assert.deepStrictEqual(yield* model.gone(1), { writableFinished: false })
      yield* model.deserted
    })
  )

  it.live("request n+1 begins with request n, byte for byte, and each call has its result (R080, LESSONS 15)", () =>
    Effect.gen(function* () {
      const { model, provider } = yield* rig(config)
      const conversation = {}
      const first: ReadonlyArray<Message> = [
        { role: "system", content: "Be brief." },
        { role: "user", content: "hi \ud83d" }
      ]
      const call = { call_id: "c1" as CallId, tool_name: "read file", arguments: "{" }
      const second: ReadonlyArray<Message> = [
        ...first,
        { role: "assistant", content: "", tool_calls: [call] },
        { role: "tool", call_id: call.call_id, tool_name: "read file", content: "x" },
        { role: "assistant", content: "", tool_calls: [] },
        { role: "user", content: "and?" }
      ]
      for (const messages of [first, second])
        yield* outcome(provider.stream({ messages, tools, conversation, max_output_tokens: 99 }))
      const [one = "", next = ""] = model.requests().map(({ body }) => body)
      assert.isTrue(next.startsWith(one.slice(0, -"]}".length)))
      assert.strictEqual(script.items(next).length, 6)
      assert.include(next, '"name":"read_file"')
      assert.notInclude(next, "ud83d")
    })
  )
})

describe("reasoning that goes back", () => {
  const [, responses] = scripts
  assert(responses !== undefined)
  const ok = responses.whole({ text: "OK" })

  it.live("is what the server sealed, in front of what followed, to the same server and model alone (LESSONS 9)", () =>
    Effect.gen(function* () {
      const { model, provider } = yield* rig({ api: "responses" })
      model.script(responses.whole({ reasoning: "First look.", encrypted: "sealed", calls: two }), ok, ok)
      const answered = yield* provider.generate(ask())
      const { message } = answered
      const results = two.map(({ id }): Message => ({
        role: "tool",
        call_id: id as CallId,
        tool_name: "read",
        content: "x"
      }))
      const messages: ReadonlyArray<Message> = [{ role: "user", content: "hi" }, message, ...results]
      yield* provider.generate({ messages, tools })
      yield* provider.generate({ messages, tools, model: "another" })
      const [, same = "", other = ""] = model.requests().map(({ body }) => body)
      const types = (body: string) => responses.items(body).map(({ role, type }) => type ?? role)
      const rest = ["function_call", "function_call", "function_call_output", "function_call_output"]
      assert.deepStrictEqual(
        [types(same), types(other)],
        [
          ["user", "reasoning", ...rest],
          ["user", ...rest]
        ]
      )
      const summary = [{ type: "summary_text", text: "First look." }]
      assert.deepStrictEqual(responses.items(same)[1], {
        type: "reasoning",
        id: "rs_1",
        summary,
        encrypted_content: "sealed"
      })
      assert.include(same, '"store":false,"include":["reasoning.encrypted_content"]')
      assert.notInclude(other, "include")
    })
  )

  it.live("of a server that seals nothing, or that is none of ours, is not sent", () =>
    Effect.gen(function* () {
      const { model, provider } = yield* rig({ api: "responses" })
      model.script(ok, ok, ok)
      for (const reasoning_state of ["{", "null", '{"base_url":"x","model":"fake-model","items":[{}]}']) {
        yield* provider.generate(
          ask("hi", { messages: [{ role: "assistant", content: "a", tool_calls: [], reasoning_state }] })
        )
      }
      assert.deepStrictEqual(
        model.requests().map(({ body }) => responses.items(body).length),
        [1, 1, 1]
      )
    })
  )
})
