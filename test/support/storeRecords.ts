/** Records, sessions and whole journals for tests of the store. */
import { Effect } from "effect"
import type { ReportBody } from "../../src/domain/Event.ts"
import { CallId, EventId, PromptId, SessionId, TaskId } from "../../src/domain/Ids.ts"
import { localOwner, type SessionKey } from "../../src/domain/Principal.ts"
import { Journal, type JournalRecord, type Page } from "../../src/store/Journal.ts"
import type { SessionMeta } from "../../src/store/SessionIndex.ts"

export const TS = "2026-03-01T10:00:00.000Z"

/** The local owner's keys are the ids. */
export const sessionId = (name: string): SessionId & SessionKey => SessionId.make(name) as SessionId & SessionKey

export const record = (pos: number, seq: number | undefined, body: ReportBody): JournalRecord => ({
  pos,
  ...(seq === undefined ? {} : { seq }),
  event_id: EventId.make(`evt_${pos}`),
  ts: TS,
  body
})

export const publicRecord = (pos: number, seq: number, content = `prompt ${pos}`): JournalRecord =>
  record(pos, seq, {
    type: "task_started",
    task_id: TaskId.make("task_1"),
    prompt_id: PromptId.make("prompt_1"),
    content
  })

export const privateRecord = (pos: number): JournalRecord =>
  record(pos, undefined, {
    type: "process_started",
    task_id: TaskId.make("task_1"),
    call_id: CallId.make("call_1"),
    pid: 1000 + pos,
    start_time: "12345"
  })

/** `count` public records that follow `after`, where pos and seq are equal. */
export const run = (after: number, count: number): ReadonlyArray<JournalRecord> =>
  Array.from({ length: count }, (_, i) => publicRecord(after + i + 1, after + i + 1))

/** Public at odd positions, private at even ones. */
export const mixed = (count: number): ReadonlyArray<JournalRecord> =>
  Array.from({ length: count }, (_, i) => (i % 2 === 0 ? publicRecord(i + 1, i / 2 + 1) : privateRecord(i + 1)))

export const meta = (name: string, change: Partial<SessionMeta> = {}): SessionMeta => ({
  session_id: sessionId(name),
  owner: localOwner,
  workspace: "/home/ada/project",
  title: `title of ${name}`,
  created_at: TS,
  updated_at: TS,
  ...change
})

/** Everything a journal holds, page by page. */
export const readAll = Effect.fnUntraced(function* (session: SessionKey, limit?: number) {
  const journal = yield* Journal
  const records: JournalRecord[] = []
  const damaged: number[] = []
  while (true) {
    const page = yield* journal.read(session, records.at(-1)?.pos ?? 0, limit)
    records.push(...page.records)
    damaged.push(...page.damaged)
    const all: Pick<Page, "records" | "damaged"> = { records, damaged }
    if (!page.more) return all
  }
})

/** A claimed session with these records in it. */
export const filled = Effect.fnUntraced(function* (name: string, records: ReadonlyArray<JournalRecord>) {
  const journal = yield* Journal
  const session = sessionId(name)
  const { epoch } = yield* journal.claim(session, "filler")
  yield* journal.append(session, epoch, records)
  return { session, epoch }
})
