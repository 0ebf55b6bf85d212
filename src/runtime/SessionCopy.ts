/**
 * A session whose past is another's: a fork (issue 3) or a file that was exported (issue 5). Owns: which facts are
 * copied, how the copy ends, and the two writes that make it. Invariants: facts keep their `seq`; private records,
 * grants, keys and what was spent stay behind; a task that was open is closed as canceled and nothing waits, so that
 * the copy is free for its first prompt; a copy that could not be written leaves no session, also where its writer was
 * killed: the journal is whole before anybody can find the session.
 */
import { Effect } from "effect"
import { close } from "../domain/Decide.ts"
import { type DurableBody, isPrivate, type ReportBody } from "../domain/Event.ts"
import { fold } from "../domain/Fold.ts"
import { newEventId, type SessionId } from "../domain/Ids.ts"
import { type Owner, type SessionKey, sessionKey } from "../domain/Principal.ts"
import { initial, type SessionState } from "../domain/Session.ts"
import { none } from "../domain/Usage.ts"
import { isAlive, own } from "../sandbox/ProcessIdentity.ts"
import { Journal, type JournalRecord } from "../store/Journal.ts"
import { type OwnedIndex, SessionIndex, type SessionMeta } from "../store/SessionIndex.ts"
import { StoreError } from "../store/StoreError.ts"
import { RuntimeError } from "./RuntimeError.ts"

const translate = (error: StoreError) => new RuntimeError({ code: error.code, detail: error.detail, cause: error })

/** What another session may have of a fact: neither its authority nor its keys nor its costs. */
const copied = (body: DurableBody): DurableBody => {
  switch (body.type) {
    case "task_started":
    case "prompt_queued": {
      const { idempotency_key: _key, ...rest } = body
      return rest
    }
    case "approval_resolved": {
      const { grant: _grant, grant_id: _id, ...rest } = body
      return rest
    }
    case "usage": {
      const { left: _left, ...rest } = body
      return { ...rest, session_usage: none }
    }
    default:
      return body
  }
}

/** The facts that make the copy free: its task is closed, its waiting prompts are taken back. */
const ending = (state: SessionState, reason: string): ReadonlyArray<DurableBody> => [
  ...close(state, { status: "canceled", reason }),
  ...state.queue.map(({ prompt_id, content }) => ({ type: "prompt_unqueued" as const, prompt_id, content }))
]

/** The whole journal of the copy. */
export const copyOf = (
  facts: ReadonlyArray<{ readonly ts: string; readonly body: ReportBody }>,
  now: string,
  reason = "forked"
): ReadonlyArray<JournalRecord> => {
  let state = initial
  const records: Array<JournalRecord> = []
  const add = (body: DurableBody, ts: string) => {
    state = fold(state, body)
    const at = records.length + 1
    records.push({ pos: at, seq: at, event_id: newEventId(), ts, body })
  }
  for (const { body, ts } of facts) if (!isPrivate(body)) add(copied(body), ts)
  for (const body of ending(state, reason)) add(body, now)
  return records
}

const unreadable = (from: SessionKey) =>
  new RuntimeError({
    code: "storage_unavailable",
    detail: `Session ${from} has records that cannot be read back; copy it up to a point before them (at).`
  })

/** Facts read at a time; never beyond what is copied, for damage behind it is none of the copy. */
const PAGE = 1000

/** Facts with `seq` up to `at`; one that cannot be read back refuses the copy, for its numbers would shift. */
export const factsUpTo = Effect.fnUntraced(function* (from: SessionKey, at: number = Number.MAX_SAFE_INTEGER) {
  const journal = yield* Journal
  const facts: Array<JournalRecord> = []
  for (let after = 0; after < at;) {
    const page = yield* Effect.mapError(journal.readPublic(from, after, Math.min(PAGE, at - after)), translate)
    if (page.damaged.length > 0) return yield* unreadable(from)
    for (const record of page.records) {
      if ((record.seq ?? 0) > at) return facts
      if (record.seq !== facts.length + 1) return yield* unreadable(from)
      facts.push(record)
    }
    if (!page.more) break
    after = page.records.at(-1)?.seq ?? at
  }
  return facts
})

/** The id's empty journal, held: what a writer that died left of a copy is cleared away. */
const claimed = Effect.fnUntraced(function* (index: OwnedIndex, to: SessionKey, id: SessionId, writer: string) {
  const journal = yield* Journal
  // A living process that has it is making a session of that id.
  const claim = journal.claim(to, writer, (holder) => !isAlive(holder))
  const tail = yield* claim
  if (tail.pos === 0) return tail
  yield* index.remove(id, (holder) => holder === writer)
  return yield* claim
})

const isThere = (index: OwnedIndex, id: SessionId) =>
  Effect.as(index.get(id), true).pipe(
    Effect.catchIf(
      ({ code }) => code === "session_not_found",
      () => Effect.succeed(false)
    )
  )

/** Makes the session and stores its journal, or neither; `session_exists` where the id is taken. */
export const store = (
  owner: Owner,
  meta: Omit<SessionMeta, "owner">,
  records: ReadonlyArray<JournalRecord>,
  writer: string = own()
) =>
  Effect.gen(function* () {
    const [journal, index] = [yield* Journal, (yield* SessionIndex).for(owner)]
    const id = meta.session_id
    const to = sessionKey(owner, id)
    if (yield* isThere(index, id)) {
      const detail = `Session ${id} exists already.`
      return yield* new StoreError({ code: "session_exists", operation: "create", detail })
    }
    const { epoch } = yield* claimed(index, to, id, writer)
    const append = records.length > 0 ? journal.append(to, epoch, records, "copy") : Effect.void
    const undo = Effect.ignore(index.remove(id, (holder) => holder === writer))
    yield* Effect.onError(Effect.andThen(append, index.create(meta)), () => undo)
    yield* Effect.ignore(journal.release(to, epoch))
  }).pipe(Effect.uninterruptible, Effect.mapError(translate))

export interface ForkOptions<E = never, R = never> {
  /** Whether the copy may have the mode that was set there; absent: it may. */
  readonly keepsMode?: (mode: string) => boolean
  /** The copy holds the facts up to and including this `seq`; absent: all there are. */
  readonly at?: number
  /** The copy's id; asked for once it is sure that there is something to copy. */
  readonly to: Effect.Effect<SessionId, E, R>
  readonly title?: string
  /** How it is stored; absent: here (`store`). A process that serves others hides it until it is whole. */
  readonly stored?: (
    meta: Omit<SessionMeta, "owner">,
    records: ReadonlyArray<JournalRecord>
  ) => Effect.Effect<void, RuntimeError>
  /** Another directory than the session's own. */
  readonly place?: Pick<SessionMeta, "workspace" | "workspace_id">
}

/** Reads what is stored, so that a session that another process has can be copied too; `position_ahead` beyond its end. */
export const fork = Effect.fnUntraced(function* <E, R>(owner: Owner, from: SessionId, options: ForkOptions<E, R>) {
  const index = (yield* SessionIndex).for(owner)
  const { owner: _owner, archived: _archived, mode, ...past } = yield* Effect.mapError(index.get(from), translate)
  const facts = yield* factsUpTo(sessionKey(owner, from), options.at)
  if ((options.at ?? 0) > facts.length) return yield* new RuntimeError({ code: "position_ahead" })
  const session_id = yield* options.to
  const now = new Date().toISOString()
  const title = options.title ?? past.title
  const kept = mode === undefined || options.keepsMode?.(mode) === false ? {} : { mode }
  const meta = { ...past, ...kept, ...options.place, session_id, title, created_at: now, updated_at: now }
  const records = copyOf(facts, now)
  yield* options.stored?.(meta, records) ?? store(owner, meta, records)
  return { ...meta, owner } satisfies SessionMeta
})
