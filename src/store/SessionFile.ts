/**
 * A session as a file: what `claw sessions export --json` writes and `import` reads (issue 5). Owns: the format, its
 * version, and the judgement of a foreign file. Does not own: what an import becomes (`runtime/SessionCopy`).
 * Invariants: reading what was written gives the same facts, value for value; a file is taken whole or not at all, and
 * why not is one sentence; what claims authority in it (mode, grants, keys) is for reading only.
 */
import { Result, Schema } from "effect"
import { DurableBody, type ReportBody } from "../domain/Event.ts"
import { EventId, SessionId } from "../domain/Ids.ts"
import * as Order from "../domain/Order.ts"
import type { JournalRecord } from "./Journal.ts"
import type { SessionMeta } from "./SessionIndex.ts"

export const FORMAT = "claw-session"
export const FORMAT_VERSION = 1

/** A file beyond it is refused before it is parsed. */
export const MOST_BYTES = 64 * 1024 * 1024
const MOST_EVENTS = 200_000
const MOST_TITLE = 1024

const optional = Schema.optionalKey
const time = Schema.String.check(
  Schema.isPattern(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?Z$/, {
    expected: "a time as 2026-01-31T12:00:00Z"
  })
)

const Described = Schema.Struct({
  session_id: SessionId,
  workspace: Schema.String,
  title: Schema.String.check(Schema.isMaxLength(MOST_TITLE)),
  model: optional(Schema.String),
  mode: optional(Schema.String),
  created_at: time,
  updated_at: time
})

/** The envelope of a fact and the fact, in one object, as on the wire. */
const Placed = Schema.Struct({ seq: Schema.Int, event_id: EventId, ts: time })

const Head = Schema.Struct({
  format: Schema.Literal(FORMAT),
  version: Schema.Int,
  exported_at: optional(Schema.String),
  session: Described,
  events: Schema.Array(Schema.Record(Schema.String, Schema.Unknown)).check(Schema.isMaxLength(MOST_EVENTS))
})

export interface SessionFile {
  readonly session: typeof Described.Type
  readonly facts: ReadonlyArray<{ readonly ts: string; readonly body: DurableBody }>
}

const isPlaced = Schema.is(Placed)
const isBody = Schema.is(DurableBody)
const readHead = Schema.decodeUnknownResult(Head)

export const write = (
  meta: Omit<SessionMeta, "owner" | "workspace_id">,
  records: ReadonlyArray<JournalRecord>,
  now: string
): string => {
  const { session_id, workspace, title, model, mode, created_at, updated_at } = meta
  const session = { session_id, workspace, title, model, mode, created_at, updated_at }
  const events = records.flatMap(({ seq, event_id, ts, body }) =>
    seq === undefined ? [] : [`    ${JSON.stringify({ seq, event_id, ts, ...(body as ReportBody & object) })}`]
  )
  const head = { format: FORMAT, version: FORMAT_VERSION, exported_at: now, session }
  return `${JSON.stringify(head, undefined, 2).slice(0, -2)},\n  "events": [${events.length === 0 ? "" : `\n${events.join(",\n")}\n  `}]\n}\n`
}

const fault = (value: Readonly<Record<string, unknown>>, expected: number, order: Order.Order): string | undefined => {
  if (!isPlaced(value)) return "its seq, event_id or ts is missing or wrong"
  if (value.seq !== expected) return `its seq is ${value.seq} and must be ${expected}`
  const { seq: _seq, event_id: _id, ts: _ts, ...body } = value
  return isBody(body) ? order(expected, body) : "it is no event that this claw knows"
}

const parse = (text: string): Result.Result<unknown, string> => {
  try {
    return Result.succeed(JSON.parse(text))
  } catch {
    return Result.fail("It is not JSON.")
  }
}

const versionOf = (value: unknown): unknown =>
  typeof value === "object" && value !== null && "format" in value && value.format === FORMAT && "version" in value
    ? value.version
    : undefined

/** The session, or a sentence that says what is wrong with the file. */
export const read = (text: string): Result.Result<SessionFile, string> =>
  Result.gen(function* () {
    const value = yield* parse(text)
    const version = versionOf(value)
    if (version === undefined) return yield* Result.fail(`It has no "format": "${FORMAT}" and "version".`)
    if (version !== FORMAT_VERSION)
      return yield* Result.fail(`It has format version ${JSON.stringify(version)}; this claw knows ${FORMAT_VERSION}.`)
    const head = yield* Result.mapError(readHead(value), (error) => `${error.message.split("\n", 1)[0] ?? ""}.`)
    const order = Order.make()
    for (const [i, event] of head.events.entries()) {
      const why = fault(event, i + 1, order)
      if (why !== undefined) return yield* Result.fail(`Event ${i + 1} is refused: ${why}.`)
    }
    const facts = head.events.map((event) => {
      const { seq: _seq, event_id: _id, ts, ...body } = event
      return { ts: ts as string, body: body as DurableBody }
    })
    return { session: head.session, facts }
  })
