/**
 * Hostile and awkward lines as a server meets them: framing, then decoding (attacks of family protocol, case H11).
 * What depends on a session (approvals, states, resume) is the channel's and stands there.
 */
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { decode } from "../../src/protocol/Decode.ts"
import { make } from "../../src/protocol/Framing.ts"

/** What came of each line: the message, or the code of the complaint. */
const outcome = (packets: ReadonlyArray<Uint8Array>): ReadonlyArray<unknown> => {
  const framing = make({ bytes: 65_536 })
  return [...packets.flatMap((packet) => framing.push(packet)), ...framing.end()].map((frame) => {
    if (frame.kind === "broken") return frame.code
    const decoded = decode(frame.text, { depth: 32 })
    return Result.isSuccess(decoded) ? decoded.success : decoded.failure.code
  })
}
const sent = (text: string) => outcome([new TextEncoder().encode(text)])

describe("attacks", () => {
  const rows: ReadonlyArray<readonly [id: string, why: string, text: string, expected: unknown]> = [
    ["R001", "over the line limit", `{"type":"prompt","content":"${"x".repeat(70_000)}"}\n`, "too_large"],
    ["R003", "half a line, then the end: no task", '{"type":"prompt","content":"a"}', "bad_json"],
    ["R005", "byte order mark", '\ufeff{"type":"ping"}\n', "bad_json"],
    ["R009", "prototype key", '{"__proto__":{"admin":true},"type":"ping"}\n', "bad_message"],
    ["R011", "type is not a string", '{"type":["prompt"],"content":"x"}\n', "bad_message"],
    ["R013", "not an object", "null\n", "bad_json"],
    ["R015", "lone surrogate", '{"type":"prompt","content":"\\ud800"}\n', "bad_message"],
    ["R017", "an event of the server", '{"type":"task_completed"}\n', "unknown_type"],
    ["R019", "white space only", '{"type":"prompt","content":"  \\t "}\n', "bad_message"],
    [
      "R021",
      "unknown decision",
      '{"type":"approval_response","request_id":"r1","decision":"allow_forever"}\n',
      "bad_message"
    ],
    ["R033", "unknown version", '{"type":"prompt","v":99,"content":"x"}\n', "unsupported_version"],
    ["R037", "number overflow", '{"type":"resume","session_id":"s1","epoch":"e1","offset":1e400}\n', "bad_message"],
    [
      "R043",
      "benign: CR LF and an escaped newline",
      '{"type":"prompt","content":"你好 🚀 \\n ok"}\r\n',
      { type: "prompt", content: "你好 🚀 \n ok" }
    ],
    ["R045", "benign: interrupt", '{"type":"interrupt"}\n', { type: "interrupt" }]
  ]
  for (const [id, why, text, expected] of rows)
    it(`${id}: ${why}`, () => assert.deepStrictEqual(sent(text), [expected]))

  it("R007: bytes that are not UTF-8", () => {
    const raw = Uint8Array.from('{"type":"prompt","content":"\xff\xfe"}\n', (char) => char.charCodeAt(0))
    assert.deepStrictEqual(outcome([raw]), ["bad_utf8"])
  })
})

describe("H11", () => {
  const before = new TextEncoder().encode('{"type":"ping","nonce":"p1"}\n{"type":"ping","nonce":"p-é🌍')
  const after = new TextEncoder().encode('"}\n\n')
  // The four bytes of the globe: two in the first packet, two in the second.
  const packets = [
    before.subarray(0, -2),
    Uint8Array.of(...before.subarray(-2), ...after),
    ...[
      '{"type":"ping","nonce":\n',
      '[1,2]\n{"type":"no_such_type","nonce":"u1"}\n',
      '{"type":"ping","nonce":"p3"}\r',
      '\n{"type":"ping","nonce":"p4"}'
    ].map((text) => new TextEncoder().encode(text))
  ]

  it("bad lines are answered one by one, good ones are taken, the cut last one is not", () => {
    assert.deepStrictEqual(outcome(packets), [
      { type: "ping", nonce: "p1" },
      { type: "ping", nonce: "p-é🌍" },
      "bad_json",
      "bad_json",
      "unknown_type",
      { type: "ping", nonce: "p3" },
      "bad_json"
    ])
  })
})
