/** `claw protocol` names everything that is on the wire, from the schemas themselves, and its examples fit them. */
import { assert, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import { codes } from "../../src/domain/ErrorCode.ts"
import { DurableBody, Envelope, LiveBody } from "../../src/domain/Event.ts"
import { messages } from "../../src/protocol/ClientMessage.ts"
import { decode } from "../../src/protocol/Decode.ts"
import { jsonSchemas, reference } from "../../src/protocol/Reference.ts"
import { ConnectionEvent } from "../../src/protocol/ServerEvent.ts"

const events = [...DurableBody.members, ...LiveBody.members, ...ConnectionEvent.members].map(
  ({ fields }) => fields.type.literal
)
const page = reference({ message_bytes: { value: 65_536, beyond: 4096, text: "Bytes of one message." } })
const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null

const examples = Array.from(page.matchAll(/^### `(\w+)`\n[^#]*?```json\n(.*)\n```$/gm), ([, type, text]) => ({
  type,
  text: text ?? ""
}))
const [said, told] = [
  examples.filter(({ text }) => !text.includes('"ts"')),
  examples.filter(({ text }) => text.includes('"ts"'))
]

it("the page has a section of every message and event, and a row of every code and command", () => {
  for (const type of [...Object.keys(messages), ...events]) assert.include(page, `### \`${type}\`\n`)
  for (const code of codes) assert.strictEqual(page.split(`| \`${code}\` |`).length, 2, code)
  assert.include(page, "| `message_bytes` | 65536 | 4096 | Bytes of one message. |")
  assert.include(page, '| `when_busy` | "reject" or "queue" or "steer" | no |')
  assert.include(page, "| `idempotency_key` | string of at most 256 | no |")
  assert.include(page, "| `resume_queue` | – | The queue goes on")
  assert.include(page, '| `set_mode` | `mode`: "ask" or')
  assert.notInclude(page, "| value |")
})

it("the union of all codes stands nowhere but in their table", () => {
  assert.notInclude(page, '"bad_json" or')
  assert.include(page, "| `error` | { code: one of the error codes, message: string")
})

it("every client message has an example that a server takes, field for field", () => {
  assert.deepStrictEqual(
    said.map(({ type }) => type),
    Object.keys(messages)
  )
  for (const { type, text } of said) {
    const taken = decode(text, { depth: 32 })
    assert.deepStrictEqual(Result.getOrUndefined(taken), JSON.parse(text), type)
  }
})

it("every example of an event is what its schema says, with no field too many", () => {
  const bodies: ReadonlyArray<Schema.Decoder<unknown>> = [DurableBody, LiveBody, ConnectionEvent]
  const important = ["task_started", "approval_request", "tool_result", "text_delta", "hello", "status", "error"]
  assert.includeMembers(
    told.map(({ type }) => type),
    important
  )
  const envelope = new Set(Object.keys(Envelope.fields))
  for (const { type, text } of told) {
    const event: unknown = JSON.parse(text)
    assert.isTrue(isObject(event) && event["type"] === type, type)
    if (!isObject(event)) continue
    const isOwn = ConnectionEvent.members.some(({ fields }) => fields.type.literal === type)
    const body = isOwn ? event : Object.fromEntries(Object.entries(event).filter(([name]) => !envelope.has(name)))
    if ("seq" in event) Schema.decodeUnknownSync(Envelope)(event)
    const fitting = bodies.filter((schema) =>
      Result.isSuccess(Schema.decodeUnknownResult(schema, { onExcessProperty: "error" })(body))
    )
    assert.lengthOf(fitting, 1, type)
    assert.strictEqual("seq" in event, fitting[0] === bodies[0], type)
  }
})

it("the page says how to connect, sign in, leave and come back, in English and a summary in Chinese", () => {
  const headings = ["Connect", "Sign in", "Sessions and who sees them", "Tasks, queue, approvals", "Closing", "Resume"]
  for (const heading of headings) assert.include(page, `\n## ${heading}\n`)
  for (const word of ["127.0.0.1:8080", "ws://127.0.0.1:8081/ws", "Authorization: Bearer", "> 摘要："]) {
    assert.include(page, word)
  }
})

it("the page says what a resume repeats, and that who may not answer makes nothing go unasked", () => {
  assert.match(
    page,
    /each once per connection,\s+unless it is asked for again: a `resume`, also to the session one is on, replays/
  )
  assert.match(page, /^\| `requester` \| yes \| yes, but no mode .*`set_mode`, `create`.* \| – \|$/m)
})

it("there is a JSON Schema of each", () => {
  const { client, server } = jsonSchemas() as Record<"client" | "server", object>
  assert.deepStrictEqual(Object.keys(client), Object.keys(messages))
  assert.deepStrictEqual(new Set(Object.keys(server)), new Set(["envelope", ...events]))
})
