/**
 * The journaling side of one session: commit, fold, then publish (DESIGN §2, ideas 4 and 5).
 * Owns: positions, the folded state, the visible state's name. Invariants: what a watcher sees is committed; the
 * state is folded whole before any of an append's events is published, so that the session is free when its terminal
 * event arrives (LESSONS 34); a commit that has begun is finished, also under interruption.
 */
import { Effect } from "effect"
import {
  type DurableEvent,
  isPrivate,
  type LiveBody,
  type LiveEvent,
  type ReportBody,
  type StateName
} from "../domain/Event.ts"
import { fold, foldAll } from "../domain/Fold.ts"
import { newEventId, type SessionId } from "../domain/Ids.ts"
import { type SessionKey, sessionKey } from "../domain/Principal.ts"
import type { SessionState } from "../domain/Session.ts"
import { ReportError, type Reported, Reporter } from "../engine/Reporter.ts"
import * as Points from "../observability/Points.ts"
import { Journal, type JournalRecord, type Tail } from "../store/Journal.ts"
import type { SessionMeta } from "../store/SessionIndex.ts"
import type { StoreError } from "../store/StoreError.ts"
import { isAlive } from "../sandbox/ProcessIdentity.ts"
import type * as CallMarks from "./callMarks.ts"
import * as CommitQueue from "./commitQueue.ts"
import * as EventHub from "./EventHub.ts"
import { type Found, load } from "./loaded.ts"
import { measured } from "./measuredJournal.ts"
import * as ReplayWindow from "./replayWindow.ts"
import * as UndoLog from "./undoLog.ts"
import * as Ungranted from "./ungranted.ts"

export interface SessionLog {
  readonly session_id: SessionId
  readonly hub: EventHub.EventHub
  readonly reporter: Reporter["Service"]
  readonly state: () => SessionState
  readonly stateName: () => StateName
  readonly commit: (bodies: Reported) => Effect.Effect<SessionState, ReportError>
  /** Facts that go in front of the next commit; one of nothing commits them alone. */
  readonly later: (bodies: ReadonlyArray<ReportBody>) => void
  /** The state to decide on: after a doubtful append, only once what it stored is known. */
  readonly certain: Effect.Effect<SessionState, ReportError>
  readonly isCertain: () => boolean
  readonly signal: (bodies: ReadonlyArray<LiveBody>) => void
  /** Public events with `seq` in (after, upTo], page by page. */
  readonly replay: (
    after: number,
    upTo: number,
    sink: EventHub.Sink,
    pace: Effect.Effect<void>
  ) => Effect.Effect<void, StoreError>
  /** Positions that could not be read back when the session was opened. */
  readonly damaged: ReadonlyArray<number>
  /** Among them may be what counts still: nothing is ever committed. */
  readonly isReadOnly: boolean
  /** What is known of calls and of the task beside the state. */
  readonly marks: CallMarks.CallMarks
  /** What can be taken back. */
  readonly undo: () => UndoLog.UndoState
}

/** What events call the session, and what the journal does. */
interface Name {
  readonly session_id: SessionId
  readonly key: SessionKey
}

const eventOf = (session_id: SessionId, record: JournalRecord): DurableEvent | undefined =>
  record.seq === undefined || isPrivate(record.body)
    ? undefined
    : { v: 1, session_id, seq: record.seq, event_id: record.event_id, ts: record.ts, ...record.body }

const toReport = (error: StoreError): ReportError =>
  new ReportError({
    code: error.code === "fenced" || error.code === "session_moved" ? "fenced" : "storage_unavailable",
    cause: error
  })

interface Numbers {
  pos: number
  seq: number
}

const number = (numbers: Numbers, facts: ReadonlyArray<CommitQueue.Reported>): ReadonlyArray<JournalRecord> => {
  let { pos, seq } = numbers
  return facts.map(({ ts, body }) => {
    pos += 1
    const record = { pos, event_id: newEventId(), ts, body }
    if (isPrivate(body)) return record
    seq += 1
    return { ...record, seq }
  })
}

/** Facts that a replay hands over at a time. */
const PAGE = 1000

/** Public events with `seq` in (after, upTo], page by page; from memory where others have just caught up. */
const replayer = (journal: Journal["Service"], { session_id, key }: Name, recent: ReplayWindow.ReplayWindow) =>
  Effect.fnUntraced(function* (after: number, upTo: number, sink: EventHub.Sink, pace: Effect.Effect<void>) {
    for (let from = after; from < upTo;) {
      const kept = recent.take(from, Math.min(upTo, from + PAGE))
      if (kept === undefined) {
        const page = yield* journal.readPublic(key, from, PAGE)
        const events = page.records.flatMap((record) => eventOf(session_id, record) ?? [])
        recent.fill(events)
        const wanted = events.filter((event) => event.seq <= upTo)
        if (wanted.length > 0) sink(wanted)
        from = page.more ? (page.records.at(-1)?.seq ?? upTo) : upTo
      } else {
        sink(kept)
        from = kept.at(-1)?.seq ?? upTo
      }
      yield* pace
    }
  })

/** The time as events carry it; made once a millisecond, since deltas come faster than that. */
const clock = (): (() => string) => {
  let millis = 0
  let text = ""
  return () => {
    const current = Date.now()
    if (current !== millis) {
      millis = current
      text = new Date(current).toISOString()
    }
    return text
  }
}

interface Doubtful {
  readonly facts: ReadonlyArray<CommitQueue.Reported>
  readonly records: ReadonlyArray<JournalRecord>
}

interface Owned {
  epoch: number
  readonly numbers: Numbers
  /** The last append, where its outcome is not known: what is stored is looked at before the next. */
  doubtful: Doubtful | undefined
}

/**
 * After a failed append: what did arrive is taken in, under a claim of our own, behind which nothing late can arrive. A
 * newer owner is never displaced. Gives the facts that are stored after all.
 */
const resync = Effect.fnUntraced(function* (
  journal: Journal["Service"],
  key: SessionKey,
  owner: string,
  owned: Owned,
  settle: (records: ReadonlyArray<JournalRecord>) => SessionState
) {
  const { doubtful } = owned
  const tail = yield* journal.claim(key, owner, () => false)
  owned.epoch = tail.epoch
  const page = yield* journal.read(key, owned.numbers.pos)
  owned.doubtful = undefined
  if (page.records.length > 0) settle(page.records)
  const first = doubtful?.records[0]?.event_id
  return page.records.some(({ event_id }) => event_id === first) ? (doubtful?.facts ?? []) : []
})

/** Stores facts behind what is known to be stored. */
const appender = (
  journal: Journal["Service"],
  key: SessionKey,
  owner: string,
  owned: Owned,
  settle: (records: ReadonlyArray<JournalRecord>) => SessionState
) =>
  Effect.fnUntraced(function* (gather: CommitQueue.Gather) {
    // What was put off and stored after all comes again.
    const facts = gather(owned.doubtful === undefined ? [] : yield* resync(journal, key, owner, owned, settle))
    if (facts.length === 0) return settle([])
    const records = number(owned.numbers, facts)
    const stored = yield* Effect.tapError(Ungranted.append(journal, key, owned.epoch, records), (error) =>
      Effect.sync(() => {
        if (error.code === "storage_unavailable") owned.doubtful = { facts, records }
      })
    )
    return settle(stored)
  })

const publish = (hub: EventHub.EventHub, events: ReadonlyArray<DurableEvent>): void => {
  hub.publish(events)
  if (Points.isWatched()) Points.reach(`published ${events.at(-1)?.type}`)
}

const nothingMore = Effect.fail(new ReportError({ code: "session_damaged" }))

/** The state as it will be behind facts that are about to be stored. */
const ahead = (state: SessionState, facts: ReadonlyArray<CommitQueue.Reported>): SessionState => {
  const bodies = facts.flatMap(({ body }) => (isPrivate(body) ? [] : [body]))
  return bodies.length === 0
    ? state
    : foldAll(
        state,
        bodies.map((body, i) => ({ seq: state.seq + 1 + i, body }))
      )
}

/** What is reported together happened at one time. */
const stampBy = (now: () => string) => (bodies: ReadonlyArray<ReportBody>) => {
  const ts = now()
  return bodies.map((body) => ({ ts, body }))
}

const committing =
  (queue: CommitQueue.CommitQueue, stamp: ReturnType<typeof stampBy>, state: () => SessionState) =>
  (bodies: Reported) =>
    Effect.suspend(() => {
      if (typeof bodies !== "function") return queue.commit(stamp(bodies))
      return queue.commit((before) => stamp(bodies(ahead(state(), before))))
    })

const build = (journal: Journal["Service"], name: Name, owner: string, tail: Tail, found: Found) => {
  const { session_id, key } = name
  let state: SessionState = { ...found.state, seq: tail.seq }
  const owned: Owned = { epoch: tail.epoch, numbers: { pos: tail.pos, seq: tail.seq }, doubtful: undefined }
  let { undo } = found
  let stateName: StateName = "idle"
  const [now, recent] = [clock(), ReplayWindow.make()]
  const hub = EventHub.make(() => ({ v: 1, session_id, ts: now() }))
  const settle = (records: ReadonlyArray<JournalRecord>): SessionState => {
    owned.numbers.pos += records.length
    const events = records.flatMap((record) => eventOf(session_id, record) ?? [])
    owned.numbers.seq += events.length
    for (const event of events) state = fold(state, event)
    for (const { body, ts } of records) undo = UndoLog.fold(undo, body, ts)
    found.marks.take(records)
    if (state.task === undefined) stateName = "idle"
    recent.push(events)
    if (events.length > 0) publish(hub, events)
    return state
  }
  const append = appender(journal, key, owner, owned, settle)
  const isCertain = () => owned.doubtful === undefined
  const queue = CommitQueue.make(
    (gather) => (found.isReadOnly ? nothingMore : Effect.mapError(append(gather), toReport)),
    () => state,
    isCertain
  )
  const stamp = stampBy(now)
  const commit = committing(queue, stamp, () => state)
  const certain = Effect.suspend(() => (isCertain() ? Effect.succeed(state) : commit([])))
  const later = (bodies: ReadonlyArray<ReportBody>) => queue.later(stamp(bodies))
  const signal = (bodies: ReadonlyArray<LiveBody>): void => {
    const ts = now()
    for (const body of bodies) if (body.type === "state") stateName = body.state
    hub.publish(bodies.map((body): LiveEvent => ({ v: 1, session_id, ts, ...body })))
  }
  const reporter = Reporter.of({ report: commit, later, signal, state: Effect.sync(() => state) })
  const read = {
    ...found,
    state: () => state,
    undo: () => undo,
    stateName: () => stateName,
    replay: replayer(journal, name, recent)
  }
  const release = Effect.suspend(() => Effect.ignore(journal.release(key, owned.epoch)))
  return {
    log: {
      session_id,
      hub,
      reporter,
      commit,
      later,
      certain,
      isCertain,
      signal,
      ...read
    } satisfies SessionLog,
    release
  }
}

/**
 * Opens a session's log for writing until the scope ends. A living process that has it keeps it; a dead one is fenced.
 */
export const open = Effect.fnUntraced(function* (meta: Pick<SessionMeta, "session_id" | "owner">, owner: string) {
  const journal = yield* measured(yield* Journal)
  const name: Name = { session_id: meta.session_id, key: sessionKey(meta.owner, meta.session_id) }
  const tail = yield* journal.claim(name.key, owner, (holder) => !isAlive(holder))
  const found = yield* load(journal, name.key)
  const { log, release } = build(journal, name, owner, tail, found)
  yield* Effect.addFinalizer(() => release)
  return log
})
