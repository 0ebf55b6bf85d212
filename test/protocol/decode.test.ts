/** What a text is worth: the complaint it deserves and its sentence, or the message (R185, attacks of family protocol; R203, R206). */
import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import * as fc from "fast-check"
import { type ClientMessage, messages } from "../../src/protocol/ClientMessage.ts"
import { repeatsKey } from "../../src/domain/RepeatedKeys.ts"
import { decode, helloToken, isDeeperThan } from "../../src/protocol/Decode.ts"

const id = (text: string) => text as never
const limits = { depth: 32 }
const said = (text: string): unknown => {
  const decoded = decode(text, limits)
  return Result.isSuccess(decoded) ? decoded.success : decoded.failure
}
const code = (text: string): string => {
  const decoded = decode(text, limits)
  return Result.isSuccess(decoded) ? "ok" : decoded.failure.code
}

describe("what is refused, and why", () => {
  const rows: ReadonlyArray<readonly [text: string, code: string, detail: string]> = [
    ['{"type":"ping","id":', "bad_json", "That is not a JSON object."],
    ["[1,2]", "bad_json", "That is not a JSON object."],
    ["null", "bad_json", "That is not a JSON object."],
    ['"prompt"', "bad_json", "That is not a JSON object."],
    ["", "bad_json", "That is not a JSON object."],
    ['\ufeff{"type":"ping"}', "bad_json", "That is not a JSON object."],
    ['{"type":"ping"}{"type":"ping"}', "bad_json", "That is not a JSON object."],
    [
      '{"type":"approval_response","request_id":"r1","decision":"deny","decision":"allow_once"}',
      "bad_json",
      "It names a key twice."
    ],
    [
      '{"type":"approval_response","decision":"deny","de\\u0063ision":"allow_once"}',
      "bad_json",
      "It names a key twice."
    ],
    ['{"type":"prompt","content":"a","content":"b"}', "bad_json", "It names a key twice."],
    ['{"type":"ping","x":[{"a":":","a":"::"}]}', "bad_json", "It names a key twice."],
    ['{"type":"ping","__proto__":1,"__proto__":2}', "bad_json", "It names a key twice."],
    ["{}", "bad_message", 'The field "type" is missing.'],
    ['{"type":["prompt"],"content":"x"}', "bad_message", 'The field "type" must be text.'],
    ['{"type":"prompt"}', "bad_message", 'The field "content" is missing.'],
    ['{"type":"prompt","content":3}', "bad_message", 'The field "content" must be a string.'],
    ['{"type":"prompt","content":"  \\t "}', "bad_message", 'The field "content" must be text that is not blank.'],
    [
      '{"type":"prompt","content":"x","when_busy":"later"}',
      "bad_message",
      'The field "when_busy" must be "reject" or "queue" or "steer".'
    ],
    [
      '{"type":"prompt","content":"x","idempotency_key":""}',
      "bad_message",
      'The field "idempotency_key" must be text with a length of at least 1.'
    ],
    ['{"type":"hello","after":{"seq":1.5}}', "bad_message", 'The field "after.seq" must be an integer.'],
    [
      '{"type":"hello","after":{"seq":-1}}',
      "bad_message",
      'The field "after.seq" must be a value greater than or equal to 0.'
    ],
    [
      '{"type":"resume","session_id":"a/b"}',
      "bad_message",
      'The field "session_id" must be 1 to 128 letters, digits and . _ : - (not . or .. alone).'
    ],
    [
      '{"type":"approval_response","request_id":"r1","decision":"allow_forever"}',
      "bad_message",
      'The field "decision" must be "allow_once" or "allow_session" or "deny" or "retry" or "skip" or "stop".'
    ],
    [
      '{"type":"command","name":"set_budget","task_cost_usd":-1}',
      "bad_message",
      'The field "task_cost_usd" must be a value between 0 and 1000000000000.'
    ],
    ['{"type":"command","name":"rename"}', "bad_message", 'The field "title" is missing.'],
    [
      '{"type":"command","name":"format_disk"}',
      "bad_message",
      'The field "name" must be "clear" or "resume_queue" or "compact" or "redo" or "undo" or "diff" or "set_mode" or "set_model" or "set_budget" or "rename".'
    ],
    ['{"type":"ping","nonce":null}', "bad_message", 'The field "nonce" must be a string.'],
    ['{"__proto__":{"admin":true},"type":"ping"}', "bad_message", "The message has a key __proto__."],
    ['{"type":"ping","x":[{"\\u005f_proto__":1}]}', "bad_message", "The message has a key __proto__."],
    ['{"type":"prompt","content":"\\ud800"}', "bad_message", "The message holds text with a lone surrogate."],
    ['{"type":"ping","x":{"\\udc00":1}}', "bad_message", "The message holds text with a lone surrogate."],
    [
      '{"type":"resume","session_id":"s","after":{"seq":1e999}}',
      "bad_message",
      "The message holds a number that is too large."
    ],
    ['{"type":"ping","x":-1e999}', "bad_message", "The message holds a number that is too large."],
    ['{"type":"prompt","v":99,"content":"x"}', "unsupported_version", "This server speaks version 1 of the protocol."],
    ['{"type":"ping","v":"1"}', "unsupported_version", "This server speaks version 1 of the protocol."],
    ['{"type":"later","v":2}', "unsupported_version", "This server speaks version 1 of the protocol."],
    ['{"type":"no_such_type","id":"u1"}', "unknown_type", 'Unknown message type "no_such_type".'],
    ['{"type":"promt","content":"x"}', "unknown_type", 'Unknown message type "promt"; did you mean "prompt"?'],
    ['{"type":"task_completed"}', "unknown_type", 'Unknown message type "task_completed".'],
    ['{"type":"text_delta","content":"x"}', "unknown_type", 'Unknown message type "text_delta".'],
    ['{"type":"constructor"}', "unknown_type", 'Unknown message type "constructor".'],
    ['{"type":"__proto__"}', "unknown_type", 'Unknown message type "__proto__".'],
    [`{"type":"${"y".repeat(70_000)}"}`, "unknown_type", `Unknown message type "${"y".repeat(64)}…".`]
  ]
  for (const [text, expected, detail] of rows)
    it(`${text.slice(0, 60)} → ${expected}`, () => {
      const decoded = decode(text, limits)
      assert.isTrue(Result.isFailure(decoded))
      if (Result.isFailure(decoded))
        assert.deepStrictEqual([decoded.failure.code, decoded.failure.detail], [expected, detail])
    })

  it("a complaint names the type that it is about, so that a client can tell which message it was", () => {
    assert.deepStrictEqual(said('{"type":"unqueue"}'), {
      code: "bad_message",
      detail: 'The field "prompt_id" is missing.',
      type: "unqueue"
    })
  })
})

describe("keys that stand twice", () => {
  it("are in nothing that JSON.stringify wrote (SECURITY P3)", () => {
    fc.assert(fc.property(fc.json(), (json) => !repeatsKey(JSON.stringify(JSON.parse(json)), JSON.parse(json))))
  })

  it("are found at whatever place the second one stands", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue(), { minKeys: 1 }), fc.nat(), (fields, nth) => {
        const members = Object.entries(fields).map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`)
        const text = `{${[...members, members[nth % members.length]].join(",")}}`
        return repeatsKey(text, JSON.parse(text))
      })
    )
  })

  it("make no token of a hello", () => {
    assert.isUndefined(helloToken('{"type":"hello","token":"a","token":"b"}', limits))
    assert.strictEqual(helloToken('{"type":"hello","token":"a","x":1}', limits), "a")
  })
})

describe("nesting", () => {
  const nested = (depth: number) => `{"type":"ping","x":${"[".repeat(depth - 1)}${"]".repeat(depth - 1)}}`

  it("32 levels are taken, 33 are not", () => {
    assert.deepStrictEqual([code(nested(32)), code(nested(33))], ["ok", "too_deep"])
  })

  it("it is counted before anything is parsed: a text that never closes is too deep, not bad JSON", () => {
    assert.strictEqual(code("[".repeat(30_000)), "too_deep")
    assert.strictEqual(code('{"a":'.repeat(5000)), "too_deep")
  })

  it("brackets within strings do not count", () => {
    assert.strictEqual(code(JSON.stringify({ type: "prompt", content: '[{"\\'.repeat(500) })), "ok")
    assert.strictEqual(code(JSON.stringify({ type: "prompt", content: "x", "[[\\": "\\" })), "ok")
  })

  it("it is the depth of the value, for any value", () => {
    const depthOf = (value: unknown): number =>
      typeof value === "object" && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), fc.nat(7), (value, depth) => {
        assert.strictEqual(isDeeperThan(JSON.stringify(value), depth), depthOf(value) > depth)
      })
    )
  })
})

describe("what is taken", () => {
  it("unknown fields are ignored, in nested places too", () => {
    assert.deepStrictEqual(said('{"type":"hello","v":1,"colour":"red","after":{"seq":4,"epoch":"old"}}'), {
      type: "hello",
      v: 1,
      after: { seq: 4 }
    })
  })

  it("the smallest client's message", () => {
    assert.deepStrictEqual(said('{"type":"prompt","content":"你好 🚀 \\n ok"}'), {
      type: "prompt",
      content: "你好 🚀 \n ok"
    })
  })

  it("every message, whole, comes back as it was", () => {
    const whole: ReadonlyArray<ClientMessage> = [
      {
        type: "hello",
        v: 1,
        token: "secret",
        client: { name: "test", version: "1" },
        session_id: id("s:1"),
        after: { seq: 3, stream_id: "str_1", offset: 4 },
        detach: true,
        create: { workspace: "/w", mode: "accept-edits", model: "m", title: "t" }
      },
      { type: "prompt", content: "x", idempotency_key: "k", when_busy: "steer" },
      { type: "unqueue", prompt_id: id("p") },
      { type: "interrupt" },
      { type: "interrupt", task_id: id("t") },
      { type: "approval_response", request_id: id("r"), decision: "allow_session", grant_option: "g", reason: "ok" },
      { type: "resume", session_id: id("s"), after: { seq: 0 }, detach: false },
      { type: "resume", session_id: id("s"), detach: "until_done" },
      { type: "status" },
      { type: "ping", nonce: "n" },
      { type: "pong", nonce: "" },
      { type: "close" },
      { type: "command", name: "clear" },
      { type: "command", name: "compact", focus: "the paint" },
      { type: "command", name: "resume_queue" },
      { type: "command", name: "set_mode", mode: "plan" },
      { type: "command", name: "set_model", model: "m" },
      { type: "command", name: "set_budget", task_cost_usd: 1.5, session_tokens: 0 },
      { type: "command", name: "rename", title: "" }
    ]
    for (const message of whole) assert.deepStrictEqual(said(JSON.stringify(message)), message)
    assert.deepStrictEqual(new Set(whole.map(({ type }) => type)), new Set(Object.keys(messages)))
  })

  it("the short way says what the schema says", () => {
    const part = fc.record(
      {
        type: fc.constantFrom("prompt", "ping"),
        content: fc.oneof(fc.string(), fc.constantFrom(" ", "", "\n", 3, null)),
        nonce: fc.oneof(fc.string(), fc.constant(1))
      },
      { requiredKeys: ["type"] }
    )
    fc.assert(
      fc.property(part, (fields) => {
        const schema: Schema.Codec<unknown> = fields.type === "ping" ? messages.ping : messages.prompt
        const judged = Schema.decodeUnknownResult(schema)(fields)
        assert.deepStrictEqual(code(JSON.stringify(fields)), Result.isSuccess(judged) ? "ok" : "bad_message")
        if (Result.isSuccess(judged)) assert.deepStrictEqual(said(JSON.stringify(fields)), judged.success)
      })
    )
  })

  it("any text gets an answer", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: "binary" }), fc.json()), (text) => {
        assert.notStrictEqual(said(text), undefined)
      })
    )
  })
})
