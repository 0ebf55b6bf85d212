/**
 * The protocol as a page and as JSON Schemas, made from the schemas themselves (`claw protocol`). Owns: the sentences on
 * order and resume, and how a table is written. Invariant: no name, type or code is written here by hand.
 */
import { Schema } from "effect"
import { codes, table } from "../domain/ErrorCode.ts"
import { DurableBody, Envelope, LiveBody } from "../domain/Event.ts"
import { messages } from "./ClientMessage.ts"
import { tcpExample, webSocketExample } from "./Example.ts"
import { ConnectionEvent } from "./ServerEvent.ts"
import { closeCode, httpStatus } from "./WireError.ts"

type Json = Readonly<Record<string, unknown>>

const documentOf = (schema: Schema.Top): Json => {
  const { schema: root, definitions } = Schema.toJsonSchemaDocument(schema)
  return Object.keys(definitions).length === 0 ? root : { ...root, $defs: definitions }
}

export const jsonSchemas = (): Json => ({
  $schema: "https://json-schema.org/draft/2020-12/schema",
  client: Object.fromEntries(Object.entries(messages).map(([type, schema]) => [type, documentOf(schema)])),
  server: {
    envelope: documentOf(Envelope),
    ...Object.fromEntries(
      [...DurableBody.members, ...LiveBody.members, ...ConnectionEvent.members].map((member) => [
        member.fields.type.literal,
        documentOf(member)
      ])
    )
  }
})

const shape = (schema: Json): string => {
  if (Array.isArray(schema["enum"])) return schema["enum"].map((one) => JSON.stringify(one)).join(" or ")
  const anyOf = schema["anyOf"]
  if (Array.isArray(anyOf)) return Array.from(new Set(anyOf.map((one: Json) => shape(one)))).join(" or ")
  if (schema["type"] === "array") return `list of ${shape((schema["items"] ?? {}) as Json)}`
  const inner = schema["properties"]
  if (typeof inner === "object" && inner !== null) {
    const required = schema["required"]
    const names = Object.entries(inner).map(([name, one]) => {
      const mark = Array.isArray(required) && required.includes(name) ? "" : "?"
      return `${name}${mark}: ${shape(one as Json)}`
    })
    return `{ ${names.join(", ")} }`
  }
  return typeof schema["type"] === "string" ? schema["type"] : "value"
}

const cell = (text: string): string => text.replaceAll("|", "\\|")
const row = (...cells: ReadonlyArray<string>): string => `| ${cells.map(cell).join(" | ")} |`
const heading = (...cells: ReadonlyArray<string>): ReadonlyArray<string> => [
  row(...cells),
  row(...cells.map(() => "---"))
]

const fieldsOf = (schema: Schema.Top): ReadonlyArray<string> => {
  const document = documentOf(schema)
  const variants = (document["anyOf"] ?? [document]) as ReadonlyArray<Json>
  return variants.flatMap((variant) => {
    const required = variant["required"]
    return Object.entries((variant["properties"] ?? {}) as Readonly<Record<string, Json>>)
      .filter(([name]) => name !== "type")
      .map(([name, one]) =>
        row(`\`${name}\``, shape(one), Array.isArray(required) && required.includes(name) ? "yes" : "no")
      )
  })
}

const section = (type: string, schema: Schema.Top): ReadonlyArray<string> => {
  const fields = fieldsOf(schema)
  return [
    `### \`${type}\``,
    "",
    ...(fields.length === 0 ? ["No fields."] : [...heading("field", "type", "required"), ...fields]),
    ""
  ]
}

type Members = ReadonlyArray<Schema.Top & { readonly fields: { readonly type: { readonly literal: string } } }>
const sections = (members: Members) => members.flatMap((member) => section(member.fields.type.literal, member))

const promises = `## Order

1. Facts (events with \`seq\`) come in the order of \`seq\`, which counts from 1 without gaps; each once per connection.
2. Deltas of a stream come behind the fact that opened it and before its \`text_completed\`; joined they are its \`content\`.
3. Approval requests come one at a time. A \`tool_result\` comes when its tool ends and names its \`call_id\`.
4. A task has exactly one of \`task_completed\`, \`task_canceled\`, \`task_failed\`, and it is the task's last event.
5. What was seen is stored.

## Resume

\`after: {seq, stream_id?, offset?}\` in \`hello\` or \`resume\` replays every fact behind \`seq\`, then one delta of what is
missing of each open stream (from \`offset\` of the named one, else from 0), then \`status\`, then what happens from there on.
\`hello\` without \`after\` begins live; \`resume\` without \`after\` begins at the first fact.`

const errorRows = (): ReadonlyArray<string> => [
  ...heading("code", "HTTP", "closes with", "retryable", "meaning"),
  ...codes.map((code) =>
    row(
      `\`${code}\``,
      `${httpStatus(code)}`,
      `${closeCode(code) ?? "–"}`,
      table[code].retryable ? "yes" : "no",
      table[code].en
    )
  )
]

const examples = [
  "## A client",
  "",
  "All of it, over TCP and over WebSocket; a server that wants a token is told it first:",
  '`{"type":"hello","token":"…"}`.',
  "",
  ...[tcpExample, webSocketExample].flatMap((code) => ["```js", code, "```", ""])
]

/** The whole page, Markdown; `limits`: those that a client can meet. */
export const reference = (limits: Readonly<Record<string, number>>): string =>
  [
    "# claw wire protocol, version 1",
    "",
    "A message is one JSON object: one line over TCP (LF, an optional CR before it), one text frame over WebSocket.",
    "Unknown fields are ignored; an unknown type is answered with an error. A bad message never ends the connection, a",
    "line that is too long or no UTF-8 does.",
    "",
    ...examples,
    "## Client messages",
    "",
    ...Object.entries(messages).flatMap(([type, schema]) => section(type, schema)),
    "## Facts: numbered, stored",
    "",
    `Each also has ${Object.keys(Envelope.fields)
      .map((name) => `\`${name}\``)
      .join(", ")}.`,
    "",
    ...sections(DurableBody.members),
    "## Live events",
    "",
    ...sections(LiveBody.members),
    "## Events of one connection",
    "",
    ...sections(ConnectionEvent.members),
    promises,
    "",
    "## Limits",
    "",
    "What a server says nothing else about; those that a client has to know are in the `limits` of `hello`.",
    "",
    ...heading("limit", "default"),
    ...Object.entries(limits).map(([name, value]) => row(`\`${name}\``, `${value}`)),
    "",
    "## Error codes",
    "",
    ...errorRows(),
    ""
  ].join("\n")
