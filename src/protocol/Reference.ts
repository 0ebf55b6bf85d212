/**
 * The protocol as a page and as JSON Schemas, made from the schemas themselves (`claw protocol`). Owns: the
 * order of the page and how a table is written. Invariant: no name, type or code of a table is written here by hand.
 */
import { Schema } from "effect"
import { codes, table } from "../domain/ErrorCode.ts"
import { DurableBody, Envelope, LiveBody, PROTOCOL_VERSION } from "../domain/Event.ts"
import { type ClientMessageType, Command, messages } from "./ClientMessage.ts"
import { pythonExample, tcpExample, webSocketExample } from "./Example.ts"
import { clientExamples, eventExamples, type EventType } from "./referenceExamples.ts"
import { clientTexts, commandTexts, connecting, eventTexts, opening, promises, sessions } from "./referenceTexts.ts"
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
  const literals = schema["enum"]
  // The one long union stands once, as the table of codes.
  if (Array.isArray(literals) && literals.length === codes.length) return "one of the error codes"
  if (Array.isArray(literals)) return literals.map((one) => JSON.stringify(one)).join(" or ")
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
  const most = schema["maxLength"]
  if (typeof most === "number") return `string of at most ${most}`
  return typeof schema["type"] === "string" ? schema["type"] : "value"
}

const cell = (text: string): string => text.replaceAll("|", "\\|")
const row = (...cells: ReadonlyArray<string>): string => `| ${cells.map(cell).join(" | ")} |`
const heading = (...cells: ReadonlyArray<string>): ReadonlyArray<string> => [
  row(...cells),
  row(...cells.map(() => "---"))
]

type Properties = ReadonlyArray<readonly [name: string, type: string, required: boolean]>

/** Without what all of them have. A client names a session; an event is of one. */
const envelope: ReadonlySet<string> = new Set(["session_id", "ts"])

const propertiesOf = (document: Json, isEvent: boolean): Properties =>
  Object.entries((document["properties"] ?? {}) as Readonly<Record<string, Json>>)
    .filter(([name]) => name !== "type" && name !== "v" && !(isEvent && envelope.has(name)))
    .map(([name, one]) => {
      const required = document["required"]
      return [name, shape(one), Array.isArray(required) && required.includes(name)]
    })

const fieldTable = (schema: Schema.Top, isEvent: boolean): ReadonlyArray<string> => {
  const fields = propertiesOf(documentOf(schema), isEvent)
  if (fields.length === 0) return ["No fields of its own."]
  return [
    ...heading("field", "type", "required"),
    ...fields.map(([name, type, required]) => row(`\`${name}\``, type, required ? "yes" : "no"))
  ]
}

const commandTable = (): ReadonlyArray<string> => [
  ...heading("name", "field", "does"),
  ...Command.members.flatMap((member) => {
    const { name } = member.fields
    const fields = propertiesOf(documentOf(member), false).filter(([field]) => field !== "name")
    const shown = fields.map(([field, type]) => `\`${field}\`: ${type}`).join(", ")
    const names = "literals" in name ? name.literals : [name.literal]
    return names.map((one) => row(`\`${one}\``, shown === "" ? "–" : shown, commandTexts[one]))
  })
]

const section = (type: string, text: string, table: ReadonlyArray<string>, example: unknown) => [
  `### \`${type}\``,
  "",
  text,
  "",
  ...table,
  "",
  ...(example === undefined ? [] : ["```json", JSON.stringify(example), "```", ""])
]

const clientSections = () =>
  Object.entries(messages).flatMap(([name, schema]) => {
    const type = name as ClientMessageType
    const table = type === "command" ? commandTable() : fieldTable(schema, false)
    return section(type, clientTexts[type], table, clientExamples[type])
  })

type Members = ReadonlyArray<Schema.Top & { readonly fields: { readonly type: { readonly literal: EventType } } }>
const eventSections = (members: Members) =>
  members.flatMap((member) => {
    const type = member.fields.type.literal
    return section(type, eventTexts[type], fieldTable(member, true), eventExamples[type])
  })

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
  "All of it, over TCP and over WebSocket, in JavaScript, and over TCP in Python; a server that wants a token is told it",
  'first: `{"type":"hello","token":"…"}`.',
  "",
  ...[tcpExample, webSocketExample].flatMap((code) => ["```js", code, "```", ""]),
  "```python",
  pythonExample,
  "```",
  ""
]

export interface LimitRow {
  readonly value: number
  /** Where the server listens beyond loopback. */
  readonly beyond: number
  readonly text: string
}

const limitRows = (limits: Readonly<Record<string, LimitRow>>): ReadonlyArray<string> => [
  "Of a server that says nothing else, on loopback and beyond it; the units stand in the sentences. Those that a client has",
  "to keep to are in the `limits` of `hello`; the others are met as errors.",
  "",
  ...heading("limit", "default", "beyond loopback", "meaning"),
  ...Object.entries(limits).map(([name, { value, beyond, text }]) => row(`\`${name}\``, `${value}`, `${beyond}`, text))
]

/** The whole page, Markdown; `limits`: those that a client can meet. */
export const reference = (limits: Readonly<Record<string, LimitRow>>): string =>
  [
    opening,
    "",
    ...examples,
    connecting,
    "",
    sessions,
    "",
    promises,
    "",
    "## Client messages",
    "",
    `Each may have \`v\`: ${PROTOCOL_VERSION}; another version is an \`unsupported_version\`. A`,
    "string's length is in UTF-16 code units; what has no length here is bounded by `message_bytes`.",
    "",
    ...clientSections(),
    "## Facts: numbered, stored",
    "",
    `Each also has ${Object.keys(Envelope.fields)
      .map((name) => `\`${name}\``)
      .join(", ")}. Times are RFC 3339 with milliseconds.`,
    "",
    ...eventSections(DurableBody.members),
    "## Live events",
    "",
    "Each also has `v`, `session_id`, `ts`. They are not stored.",
    "",
    ...eventSections(LiveBody.members),
    "## Events of one connection",
    "",
    "Each also has `v`, `ts`, and `session_id` as soon as there is one.",
    "",
    ...eventSections(ConnectionEvent.members),
    "## Limits",
    "",
    ...limitRows(limits),
    "",
    "## Error codes",
    "",
    "`closes with`: the WebSocket close code; the connection ends after the error, over TCP too. –: it lives on.",
    "",
    ...errorRows(),
    ""
  ].join("\n")
