/** A conversation over a real socket: the parts that come out, and the request that goes in. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { calls, text } from "../support/fakeModelScript.ts"
import { ask, completedOf, outcome, rig } from "../support/fakeModelProvider.ts"
import type { CallId } from "../../src/domain/Ids.ts"

const usage = { input_tokens: 10, output_tokens: 5 }

describe("wire", () => {
  it.live("a text answer is deltas and one completion at the end (R096, R097, R300)", () =>
    Effect.gen(function* () {
      const { model, provider } = yield* rig()
      model.script(text("Hello, world", 3))
      const { parts, error } = yield* outcome(provider.stream(ask()))
      assert.strictEqual(error, undefined)
      const shown = parts
        .slice(0, -1)
        .map((part) => (part.type === "text_delta" ? part.text : `unexpected ${part.type}`))
      assert.strictEqual(shown.join(""), "Hello, world")
      assert.deepStrictEqual(parts.at(-1), {
        type: "completed",
        message: { role: "assistant", content: "Hello, world", tool_calls: [] },
        bad_calls: [],
        finish_reason: "stop",
        usage,
        model: "fake-model"
      })
    })
  )

  it.live("generate gives the same completion without a stream (R095, R100)", () =>
    Effect.gen(function* () {
      const { model, provider } = yield* rig()
      const call = { id: "call_x", name: "read", arguments: '{"path":"a"}' }
      model.script(calls([call], "Reading."), calls([call], "Reading."))
      const whole = yield* provider.generate(ask())
      const streamed = yield* outcome(provider.stream(ask()))
      assert.deepStrictEqual(whole, completedOf(streamed.parts))
      assert.deepStrictEqual(whole.message.tool_calls, [
        { call_id: "call_x", tool_name: "read", arguments: '{"path":"a"}' } as never
      ])
      assert.isFalse(model.requests()[0]?.body.includes('"stream"'))
    })
  )

  it.live("the key, the model and the messages arrive; nothing about this machine does", () =>
    Effect.gen(function* () {
      const { model, provider } = yield* rig({ key: Redacted.make("sk-test-0123456789") })
      yield* outcome(provider.stream(ask("hi", { model: "other", max_output_tokens: 7 })))
      const request = yield* model.arrived(1)
      assert.strictEqual(request?.path, "/v1/chat/completions")
      assert.strictEqual(request.headers.authorization, "Bearer sk-test-0123456789")
      assert.deepStrictEqual(Object.keys(request.headers).toSorted(), [
        "accept",
        "authorization",
        "connection",
        "content-length",
        "content-type",
        "host",
        "user-agent"
      ])
      assert.strictEqual(
        request.body,
        '{"model":"other","stream":true,"stream_options":{"include_usage":true},"max_tokens":7,"messages":[{"role":"user","content":"hi"}]}'
      )
    })
  )

  it.live("without a key no authorization is sent", () =>
    Effect.gen(function* () {
      const { model, provider } = yield* rig()
      yield* outcome(provider.stream(ask()))
      assert.isUndefined(model.requests()[0]?.headers.authorization)
    })
  )

  it.live("a model that cannot use tools is found out before the call (R113)", () =>
    Effect.gen(function* () {
      const { model, provider } = yield* rig({ capabilities: { tools: false } })
      const tool = { name: "read", description: "", parameters: { type: "object" } }
      const { error } = yield* outcome(provider.stream(ask("hi", { tools: [tool] })))
      assert.strictEqual(error?.code, "provider_capability")
      assert.deepStrictEqual(model.requests(), [])
    })
  )

  it.live("request n+1 begins with request n, byte for byte (R080, LESSONS 15)", () =>
    Effect.gen(function* () {
      const { model, provider } = yield* rig()
      const conversation = {}
      const tools = [{ name: "read", description: "Reads.", parameters: { type: "object" } }]
      const call = { call_id: "c1" as CallId, tool_name: "read", arguments: "{}" }
      const first = ask("hi", { conversation, tools })
      const second = {
        ...first,
        messages: [
          ...first.messages,
          { role: "assistant" as const, content: "", tool_calls: [call] },
          { role: "tool" as const, call_id: call.call_id, tool_name: "read", content: "x\ud83d" }
        ]
      }
      yield* outcome(provider.stream(first))
      yield* outcome(provider.stream(second))
      const [one, two] = model.requests().map(({ body }) => body)
      assert.isTrue(two?.startsWith(one?.slice(0, -"]}".length) ?? "?"))
      assert.deepStrictEqual(model.violations(), [])
    })
  )
})
