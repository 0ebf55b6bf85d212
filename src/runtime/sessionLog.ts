/**
 * The journaling side of one session: commit, fold, then publish (DESIGN §2, ideas 4 and 5).
 * Owns: positions, the folded state, the visible state's name. Invariants: what a watcher sees is committed; the
 * state is folded whole before any of an append's events is published, so that the session is free when its terminal
 * event arrives (LESSONS 34); a commit that has begun is finished, also under interruption.
 */
import { Clock, Effect, Semaphore } from "effect"
import {
  type DurableBody,
  type DurableEvent,
  isPrivate,
  type LiveBody,
  type LiveEvent,
  type ReportBody,
  type StateName
} from "../domain/Event.ts"
import { fold } from "../domain/Fold.ts"
import { newEventId, type SessionId } from "../domain/Ids.ts"
import { initial, type SessionState } from "../domain/Session.ts"
import { ReportError, Reporter } from "../engine/Reporter.ts"
import { Journal, type JournalRecord, type Tail } from "../store/Journal.ts"
import type { StoreError } from "../store/StoreError.ts"
import * as EventHub from "./EventHub.ts"

export interface SessionLog {
  readonly session_id: SessionId
  readonly hub: EventHub.EventHub
  readonly reporter: Reporter["Service"]
  readonly state: () => SessionState
  readonly stateName: () => StateName
  readonly commit: (bodies: ReadonlyArray<ReportBody>) => Effect.Effect<SessionState, ReportError>
  readonly signal: (bodies: ReadonlyArray<LiveBody>) => void
  /** Public events with `seq` in (after, upTo], page by page. */
  readonly replay: (after: number, upTo: number, sink: EventHub.Sink) => Effect.Effect<void, StoreError>
  /** Positions that could not be read back when the session was opened. */
  readonly damaged: ReadonlyArray<number>
}

const eventOf = (session_id: SessionId, record: JournalRecord): DurableEvent | undefined =>
  record.seq === undefined || isPrivate(record.body)
    ? undefined
    : { v: 1, session_id, seq: record.seq, event_id: record.event_id, ts: record.ts, ...record.body }

const toReport = (error: StoreError): ReportError =>
  new ReportError({ code: error.code === "fenced" ? "fenced" : "storage_unavailable", cause: error })

/** Numbers stay those of the journal, also behind a record that could not be read. */
const foldAt = (state: SessionState, seq: number, body: DurableBody): SessionState =>
  fold(state.seq === seq - 1 ? state : { ...state, seq: seq - 1 }, body)

/** Folds everything stored; a damaged public record costs itself but keeps its number. */
const load = Effect.fnUntraced(function* (journal: Journal["Service"], session_id: SessionId) {
  let state: SessionState = initial
  const damaged: Array<number> = []
  for (let after = 0, more = true; more;) {
    const page = yield* journal.read(session_id, after)
    for (const { body, seq } of page.records) {
      if (seq !== undefined && !isPrivate(body)) state = foldAt(state, seq, body)
    }
    damaged.push(...page.damaged)
    after = Math.max(page.records.at(-1)?.pos ?? after, ...page.damaged.slice(-1), after)
    more = page.more
  }
  return { state, damaged }
})

interface Numbers {
  pos: number
  seq: number
}

const number = (numbers: Numbers, bodies: ReadonlyArray<ReportBody>, ts: string): ReadonlyArray<JournalRecord> => {
  let { pos, seq } = numbers
  return bodies.map((body) => {
    pos += 1
    const record = { pos, event_id: newEventId(), ts, body }
    if (isPrivate(body)) return record
    seq += 1
    return { ...record, seq }
  })
}

const build = (
  journal: Journal["Service"],
  session_id: SessionId,
  tail: Tail,
  found: Effect.Success<ReturnType<typeof load>>
) => {
  const { damaged } = found
  let state: SessionState = { ...found.state, seq: tail.seq }
  const numbers: Numbers = { pos: tail.pos, seq: tail.seq }
  let stateName: StateName = "idle"
  const lock = Semaphore.makeUnsafe(1)
  const now = () => new Date().toISOString()
  const hub = EventHub.make(() => ({ v: 1, session_id, ts: now() }))

  const settle = (records: ReadonlyArray<JournalRecord>): SessionState => {
    numbers.pos += records.length
    const events = records.flatMap((record) => eventOf(session_id, record) ?? [])
    numbers.seq += events.length
    for (const event of events) state = fold(state, event)
    if (state.task === undefined) stateName = "idle"
    if (events.length > 0) hub.publish(events)
    return state
  }
  const append = (bodies: ReadonlyArray<ReportBody>) =>
    Effect.flatMap(Clock.currentTimeMillis, (millis) => {
      const records = number(numbers, bodies, new Date(millis).toISOString())
      return Effect.map(journal.append(session_id, tail.epoch, records), () => settle(records))
    })
  const commit = (bodies: ReadonlyArray<ReportBody>) =>
    bodies.length === 0
      ? Effect.sync(() => state)
      : Effect.uninterruptible(lock.withPermits(1)(append(bodies))).pipe(Effect.mapError(toReport))

  const signal = (bodies: ReadonlyArray<LiveBody>): void => {
    const ts = now()
    for (const body of bodies) if (body.type === "state") stateName = body.state
    hub.publish(bodies.map((body): LiveEvent => ({ v: 1, session_id, ts, ...body })))
  }
  const replay = Effect.fnUntraced(function* (after: number, upTo: number, sink: EventHub.Sink) {
    for (let from = after; from < upTo;) {
      const page = yield* journal.readPublic(session_id, from)
      const events = page.records
        .flatMap((record) => eventOf(session_id, record) ?? [])
        .filter((event) => event.seq <= upTo)
      if (events.length > 0) sink(events)
      from = page.more ? (page.records.at(-1)?.seq ?? upTo) : upTo
    }
  })
  const reporter = Reporter.of({ report: commit, signal, state: Effect.sync(() => state) })
  return { session_id, hub, reporter, commit, signal, replay, damaged, state: () => state, stateName: () => stateName }
}

/** Opens a session's log for writing: whoever wrote before is fenced. */
export const open = Effect.fnUntraced(function* (session_id: SessionId, owner: string) {
  const journal = yield* Journal
  const tail = yield* journal.claim(session_id, owner)
  const found = yield* load(journal, session_id)
  return build(journal, session_id, tail, found) satisfies SessionLog
})
