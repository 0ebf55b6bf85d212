/**
 * Inputs of the fuzz as arbitraries: messages that are valid, nearly valid, and nothing at all, as bytes. Owns: what is
 * sent; and the oracle, which says what may happen because of it. Invariant: a case is a function of seed and number.
 */
import fc from "fast-check"

const encode = (text: string): Uint8Array => new TextEncoder().encode(text)
const json = (value: unknown): Uint8Array => encode(JSON.stringify(value))

export const LINE_BYTES = 65_536

const id = fc.constantFrom("fuzz-1", "x", "", "tcp-channel-session-999999", "a/../b", "é", "a".repeat(129))
const position = fc.record({ seq: fc.constantFrom(0, 1, -1, 1.5, 1e21, 999), offset: fc.constantFrom(0, 5, -1) })
const content = fc.oneof(fc.constantFrom("hello", " ", "", "你好 🚀", "\u0000", "\ud800"), fc.string({ maxLength: 40 }))

/** The messages of PROTOCOL §1, with good and bad values. */
const message: fc.Arbitrary<unknown> = fc.oneof(
  fc.record({ type: fc.constant("ping"), nonce: content }, { requiredKeys: ["type"] }),
  fc.record({ type: fc.constant("pong"), nonce: content }, { requiredKeys: ["type"] }),
  fc.record({ type: fc.constant("status") }),
  fc.record({ type: fc.constant("prompt"), content: fc.oneof(content, fc.jsonValue()), v: fc.constantFrom(1, 2, "1") }),
  fc.record({ type: fc.constant("interrupt"), task_id: id }, { requiredKeys: ["type"] }),
  fc.record(
    { type: fc.constant("hello"), session_id: id, after: position, detach: fc.boolean() },
    { requiredKeys: [] }
  ),
  fc.record({ type: fc.constant("resume"), session_id: id, after: position }, { requiredKeys: ["type"] }),
  fc.record({ type: fc.constant("unqueue"), prompt_id: id }),
  fc.record({
    type: fc.constant("approval_response"),
    request_id: id,
    decision: fc.constantFrom("allow_once", "allow_forever", "deny", 1)
  }),
  fc.record({
    type: fc.constant("command"),
    name: fc.constantFrom("clear", "set_mode", "rename", "boom"),
    title: content
  }),
  fc.record({ type: fc.constantFrom("task_completed", "", "Ping", "__proto__", "constructor") }),
  fc.constant({ type: "close" }),
  fc.record({ type: fc.jsonValue() }),
  fc.jsonValue()
)

interface Edit {
  readonly what: "flip" | "insert" | "remove" | "repeat" | "cut"
  /** Where, as a part of the whole. */
  readonly at: number
  readonly bytes: Uint8Array
}

const telling = fc.constantFrom(
  "{",
  "}",
  "[",
  '"',
  "\\",
  "\\u0000",
  "\u0000",
  "\r",
  "\ufeff",
  "null",
  "1e999",
  '"type":"ping",',
  "\u2028",
  " "
)
const edit: fc.Arbitrary<Edit> = fc.record({
  what: fc.constantFrom("flip", "insert", "remove", "repeat", "cut"),
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  bytes: fc.oneof(telling.map(encode), fc.uint8Array({ minLength: 1, maxLength: 6 }))
})

const edited = (bytes: Uint8Array, { what, at, bytes: more }: Edit): Uint8Array => {
  const index = Math.floor(at * bytes.length)
  const [head, tail] = [bytes.subarray(0, index), bytes.subarray(index)]
  if (what === "insert") return Buffer.concat([head, more, tail])
  if (what === "remove") return Buffer.concat([head, tail.subarray(more.length)])
  if (what === "repeat") return Buffer.concat([head, tail, tail])
  if (what === "cut") return head
  return Buffer.concat([head, more, tail.subarray(more.length)])
}

const mutated = fc
  .tuple(message.map(json), fc.array(edit, { minLength: 1, maxLength: 4 }))
  .map(([bytes, edits]) => edits.reduce(edited, bytes))

const nested = fc
  .tuple(fc.constantFrom("[", '{"a":'), fc.constantFrom(1, 31, 32, 33, 100, 5000), fc.boolean())
  .map(([open, depth, closed]) => {
    const inner = open.repeat(depth) + (closed ? "1" + (open === "[" ? "]" : "}").repeat(depth) : "")
    return encode(`{"type":"ping","nonce":"n","more":${inner}}`)
  })

const badUtf8 = fc
  .constantFrom([0xff], [0xc0, 0xaf], [0xed, 0xa0, 0x80], [0xf5, 0x80, 0x80, 0x80], [0xe2, 0x82], [0x80])
  .map((bad) => Buffer.concat([encode('{"type":"prompt","content":"'), Uint8Array.from(bad), encode('"}')]))

const huge = fc
  .tuple(fc.constantFrom(LINE_BYTES - 60, LINE_BYTES, LINE_BYTES + 1, 3 * LINE_BYTES), fc.boolean())
  .map(([size, whole]) => encode(`{"type":"prompt","content":"${"x".repeat(size)}${whole ? '"}' : ""}`))

/** What one frame or line may hold. */
export const payload: fc.Arbitrary<Uint8Array> = fc.oneof(
  { weight: 6, arbitrary: mutated },
  { weight: 3, arbitrary: message.map(json) },
  { weight: 2, arbitrary: fc.uint8Array({ maxLength: 200 }) },
  { weight: 1, arbitrary: nested },
  { weight: 1, arbitrary: badUtf8 },
  { weight: 1, arbitrary: huge },
  { weight: 1, arbitrary: fc.constantFrom("", " ", "\r", "GET / HTTP/1.1\r\nHost: x\r\n\r").map(encode) }
)

/** Bytes in pieces, cut anywhere: also inside a character. */
export const inPieces = (bytes: fc.Arbitrary<Uint8Array>): fc.Arbitrary<ReadonlyArray<Uint8Array>> =>
  fc.tuple(bytes, fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 6 })).map(([whole, cuts]) => {
    const at = [0, ...cuts.map((cut) => Math.floor(cut * whole.length)).toSorted((a, b) => a - b), whole.length]
    return at.slice(1).flatMap((end, i) => {
      const piece = whole.subarray(at[i], end)
      return piece.length === 0 ? [] : [piece]
    })
  })

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

const textOf = (bytes: Uint8Array): string | undefined => {
  try {
    return decoder.decode(bytes)
  } catch {
    return undefined
  }
}

const objectOf = (text: string): Readonly<Record<string, unknown>> | undefined => {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : undefined
  } catch {
    return undefined
  }
}

/** What one message may bring about: a task, and the end of its connection. */
export const judged = (bytes: Uint8Array): { readonly task: boolean; readonly end: boolean } => {
  const text = textOf(bytes)
  if (text === undefined || bytes.length > LINE_BYTES) return { task: false, end: true }
  const value = objectOf(text)
  const said = value?.["content"]
  const task =
    value?.["type"] === "prompt" &&
    typeof said === "string" &&
    said.isWellFormed() &&
    said.trim() !== "" &&
    (value["v"] === undefined || value["v"] === 1)
  // A token of a `hello` may be wrong; the inputs have none, but an edit may make one.
  return { task, end: value?.["type"] === "close" || value?.["token"] !== undefined }
}
