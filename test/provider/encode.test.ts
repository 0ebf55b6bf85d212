/** The text of requests: valid for strict servers, stable byte for byte (LESSONS 9, 12, 15). */
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import type { CallId } from "../../src/domain/Ids.ts"
import type { Message, ToolCall } from "../../src/domain/Message.ts"
import { makeEncoder } from "../../src/provider/openai/encode.ts"
import type { Encoded } from "../../src/provider/openai/encoder.ts"
import { type Profile, profiles } from "../../src/provider/Profiles.ts"
import { historyViolations } from "../support/fakeModelHistory.ts"

const call = (id: string, args: string, tool_name = "read"): ToolCall => ({
  call_id: id as CallId,
  tool_name,
  arguments: args
})
const user: Message = { role: "user", content: "hi" }
const assistant = (tool_calls: ReadonlyArray<ToolCall>, content = "", reasoning?: string): Message => ({
  role: "assistant",
  content,
  tool_calls,
  ...(reasoning === undefined ? {} : { reasoning })
})
const result = (id: string, content: string): Message => ({
  role: "tool",
  call_id: id as CallId,
  tool_name: "read",
  content
})
const tools = [{ name: "read", description: "Reads.", parameters: { type: "object", properties: {} } }]

const sent = ({ body }: Encoded) => Buffer.concat(body).toString()
const body = (messages: ReadonlyArray<Message>, profile: Profile = profiles.generic) =>
  JSON.parse(sent(makeEncoder(profile, "m")({ messages, tools: [] }, true))) as {
    readonly messages: ReadonlyArray<unknown>
  }

describe("encode", () => {
  it("a history in the wire's form", () => {
    const history = [
      { role: "system" as const, content: "S" },
      user,
      assistant([call("c1", '{"p":1}')]),
      result("c1", "ok"),
      assistant([], "done")
    ]
    assert.deepStrictEqual(body(history).messages, [
      { role: "system", content: "S" },
      { role: "user", content: "hi" },
      {
        role: "assistant",
        content: null,
        tool_calls: [{ id: "c1", type: "function", function: { name: "read", arguments: '{"p":1}' } }]
      },
      { role: "tool", tool_call_id: "c1", content: "ok" },
      { role: "assistant", content: "done" }
    ])
  })
  it("whatever a model or a tool said, a strict server takes it", () => {
    const nasty = [
      user,
      assistant(
        [call("c1", '{"a":', "functions.read file"), call("c2", "", ""), call("c3", "[]", "x".repeat(99))],
        "half \ud83d"
      ),
      result("c1", "lone \udc00"),
      result("c2", ""),
      result("c3", "😀")
    ]
    assert.deepStrictEqual(historyViolations(body(nasty)), [])
    assert.isFalse(sent(makeEncoder(profiles.generic, "m")({ messages: nasty, tools: [] }, true)).includes("\\ud83d"))
  })
  it("reasoning goes back only to those who want it", () => {
    const history = [user, assistant([], "a", "thought")]
    assert.deepStrictEqual(body(history).messages[1], { role: "assistant", content: "a" })
    assert.deepStrictEqual(body(history, profiles.zhipu).messages[1], {
      role: "assistant",
      content: "a",
      reasoning_content: "thought"
    })
  })
  it("the fields a profile changes", () => {
    const request = { messages: [user], tools, max_output_tokens: 5 }
    const one: Profile = { ...profiles.openai, parallel_tool_calls: false, usage_in_stream: false }
    assert.strictEqual(
      sent(makeEncoder(one, "m")(request, true)),
      '{"model":"m","stream":true,"max_completion_tokens":5,"tools":[{"type":"function","function":{"name":"read","description":"Reads.","parameters":{"type":"object","properties":{}}}}],"parallel_tool_calls":false,"messages":[{"role":"user","content":"hi"}]}'
    )
  })
  it("each message of a conversation is serialised once", () => {
    const encode = makeEncoder(profiles.generic, "m")
    const conversation = {}
    let reads = 0
    const counted = {
      role: "user" as const,
      get content() {
        reads++
        return "hi"
      }
    }
    for (let n = 0; n < 5; n++)
      encode({ messages: [counted, ...Array.from({ length: n }, () => user)], tools, conversation }, true)
    assert.strictEqual(reads, 1)
  })
  it("the first difference from the last request is named", () => {
    const encode = makeEncoder(profiles.generic, "m")
    const conversation = {}
    const send = (messages: ReadonlyArray<Message>, given = tools) =>
      encode({ messages, tools: given, conversation }, true).difference?.where
    assert.deepStrictEqual(
      [
        send([user]),
        send([user, assistant([], "a")]),
        send([{ ...user }, assistant([], "b")]),
        send([user]),
        send([user], [])
      ],
      [undefined, undefined, 1, 1, "head"]
    )
  })
})

describe("requests of one conversation", () => {
  const texts = ["a", "\u00e9", "\u5de5\u5177", "\ud83d\ude00", "x".repeat(5000), "\ud800"]
  const step = fc.record({
    keep: fc.nat(8),
    more: fc.array(fc.constantFrom(...texts), { maxLength: 4 }),
    offered: fc.boolean()
  })
  it("are what they would be alone, also while an earlier one is still being sent", () => {
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 12 }), (steps) => {
        const encode = makeEncoder(profiles.generic, "m")
        const conversation = {}
        let messages: ReadonlyArray<Message> = []
        const checks = steps.map(({ keep, more, offered }) => {
          messages = [...messages.slice(0, keep), ...more.map((content) => ({ role: "user" as const, content }))]
          const request = { messages, tools: offered ? tools : [] }
          const kept = encode({ ...request, conversation }, true)
          const alone = sent(makeEncoder(profiles.generic, "m")(request, true))
          assert.strictEqual(sent(kept), alone)
          return { kept, alone }
        })
        for (const { kept, alone } of checks) assert.strictEqual(sent(kept), alone)
      })
    )
  })
  it("share the bytes of what they have in common", () => {
    const encode = makeEncoder(profiles.generic, "m")
    const conversation = {}
    const messages = Array.from({ length: 50 }, () => user)
    const first = encode({ messages: messages.slice(0, 40), tools, conversation }, true).body[0]
    const second = encode({ messages: messages.slice(0, 41), tools, conversation }, true).body[0]
    assert.strictEqual(first?.buffer, second?.buffer)
  })
})

describe("the checker itself refuses", () => {
  const wire = (messages: ReadonlyArray<unknown>, more = {}) => historyViolations({ messages, ...more })
  const made = (...ids: ReadonlyArray<string>) => ({
    role: "assistant",
    content: null,
    tool_calls: ids.map((id) => ({ id, type: "function", function: { name: "t", arguments: "{}" } }))
  })
  const u = { role: "user", content: "hi" }
  const t = (id: string) => ({ role: "tool", tool_call_id: id, content: "x" })
  it.each<[string, ReadonlyArray<unknown>, RegExp]>([
    ["no messages", [], /empty/],
    ["a result first", [t("a")], /follows no call/],
    ["an assistant first", [{ role: "assistant", content: "x" }], /starts with/],
    ["a call without a result", [u, made("a"), u], /the results that follow are $/],
    ["results out of order", [u, made("a", "b"), t("b"), t("a")], /results that follow are b,a/],
    ["two results for one call", [u, made("a"), t("a"), t("a")], /results that follow are a,a/],
    ["an empty id", [u, made(""), t("")], /empty id/],
    ["a repeated id", [u, made("a"), t("a"), made("a"), t("a")], /repeats/],
    ["an empty tool_calls", [u, { role: "assistant", content: "x", tool_calls: [] }], /tool_calls is empty/],
    ["no content", [u, { role: "assistant", content: null }], /no content/],
    ["a lone surrogate", [{ role: "user", content: "\ud800" }], /lone surrogate/]
  ])("%s", (_, messages, says) => assert.match(wire(messages).join("; "), says))
  it("and takes what is good", () =>
    assert.deepStrictEqual(wire([u, made("a", "b"), t("a"), t("b"), { role: "assistant", content: "done" }]), []))
})
