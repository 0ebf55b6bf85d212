/**
 * `claw sessions show`: every public event of a session. Owns: its two forms, and reading along while another process
 * writes (`--follow`). Changes nothing and holds nothing: the session stays whose it is (SETTLED 16).
 * Invariants: each event once and in order; a session that is deleted meanwhile ends it, also where its id is made again.
 */
import { Effect } from "effect"
import type { CommandLine } from "../cli/CommandLine.ts"
import { EXIT, type Locale } from "../cli/Commands.ts"
import { describe } from "../cli/Complaint.ts"
import { Output } from "../cli/Output.ts"
import { sanitise } from "../cli/Sanitise.ts"
import { cut } from "../cli/Width.ts"
import { sessionKey } from "../domain/Principal.ts"
import { Journal, type JournalRecord } from "../store/Journal.ts"
import { SessionIndex, type SessionMeta } from "../store/SessionIndex.ts"
import { sessionNamed, sessionRow, standingNote } from "./sessionNamed.ts"

/** Milliseconds between two looks at what another process has stored. */
const LOOK_MS = 500

const asJson = ({ session_id }: SessionMeta, { seq, event_id, ts, body }: JournalRecord): string =>
  `${JSON.stringify({ v: 1, session_id, seq, event_id, ts, ...body })}\n`

const joined = (...parts: ReadonlyArray<string | undefined>): string =>
  parts.filter((part) => part !== undefined && part !== "").join(" ")

/** What the calls are that have no result so far. */
type Calls = Map<string, string>

/** What an event says, by its kind. */
const saidOf = (body: JournalRecord["body"], calls: Calls): string => {
  switch (body.type) {
    case "tool_call":
      calls.set(body.call_id, joined(body.tool_name, body.content))
      return joined(body.tool_name, body.content)
    case "tool_result":
      calls.delete(body.call_id)
      return joined(body.tool_name, `${body.status}:`, body.result)
    case "tool_started":
      return joined(body.attempt > 1 ? `(${body.attempt})` : "", calls.get(body.call_id) ?? body.call_id)
    case "approval_request":
      return joined(body.tool_name, body.content)
    case "approval_resolved":
      return joined(
        body.decision,
        `via ${body.via}`,
        body.rule && `(${body.rule})`,
        body.by && `by ${body.by}`,
        body.shown
      )
    case "usage":
      return `${body.usage.input_tokens} → ${body.usage.output_tokens} tokens`
    case "thinking":
      return `turn ${body.turn}`
    case "task_failed":
      return joined(body.error.code, body.error.message)
    case "task_canceled":
      return body.reason ?? ""
    default:
      return "content" in body && typeof body.content === "string" ? body.content : ""
  }
}

const asText = ({ seq, body }: JournalRecord, calls: Calls): string => {
  const said = saidOf(body, calls)
  return `${String(seq).padStart(4)} ${body.type.padEnd(18)} ${cut(sanitise(said).replaceAll("\n", "⏎"), 100)}\n`
}

interface Read {
  readonly pos: number
  readonly damaged: number
  /** Nobody reads the output any more. */
  readonly unread: boolean
  readonly calls: Calls
}

const readOn = Effect.fnUntraced(function* (meta: SessionMeta, from: Read, json: boolean) {
  const [journal, output] = [yield* Journal, yield* Output]
  const { calls } = from
  let { pos, damaged } = from
  for (let more = true; more;) {
    const page = yield* journal.read(sessionKey(meta.owner, meta.session_id), pos)
    damaged += page.damaged.length
    const shown = page.records.filter(({ seq }) => seq !== undefined)
    const text = shown.map((record) => (json ? asJson(meta, record) : asText(record, calls))).join("")
    pos = Math.max(pos, page.records.at(-1)?.pos ?? 0, ...page.damaged.slice(-1))
    if (text !== "" && !(yield* output.out(text))) return { pos, damaged, unread: true, calls } satisfies Read
    more = page.more
  }
  return { pos, damaged, unread: false, calls } satisfies Read
})

/** Another one of the same id is not this one. */
const isThere = ({ owner, session_id, created_at }: SessionMeta) =>
  Effect.flatMap(SessionIndex, (index) => index.for(owner).get(session_id)).pipe(
    Effect.map((found) => found.created_at === created_at),
    Effect.catchIf(
      ({ code }) => code === "session_not_found",
      () => Effect.succeed(false)
    )
  )

/** Until Ctrl-C, the end of the reader, or of the session. */
const follow = Effect.fnUntraced(function* (meta: SessionMeta, begun: Read, json: boolean) {
  let read = begun
  while (!read.unread) {
    yield* Effect.sleep(LOOK_MS)
    if (!(yield* isThere(meta))) break
    read = yield* readOn(meta, read, json)
  }
  return read
})

export const showSession = Effect.fnUntraced(function* (text: string, line: CommandLine, locale: Locale) {
  const output = yield* Output
  const json = line.switches.has("json")
  const meta = yield* sessionNamed(text)
  if (!json) yield* output.out(sessionRow(meta, output.columns(), locale))
  const note = standingNote(meta, locale)
  if (note !== undefined) yield* output.err(`claw: ${note}\n`)
  const begun = yield* readOn(meta, { pos: 0, damaged: 0, unread: false, calls: new Map() }, json)
  const { damaged } = line.switches.has("follow") ? yield* follow(meta, begun, json) : begun
  if (damaged === 0) return EXIT.done
  yield* output.err(`claw: ${describe.damaged(damaged, locale)}\n`)
  return EXIT.failed
})
