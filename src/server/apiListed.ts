/**
 * Lists over all of a caller's sessions: which there are, what each does, what waits for a person (issue 6; R245, R252).
 * Owns: how a session is told without opening it. Invariants: no session is brought into memory for a list; one that
 * runs in another process is read from its newest task on, never whole.
 */
import { Clock, Effect, Option } from "effect"
import { AppConfig } from "../config/AppConfig.ts"
import type { ApprovalRequest } from "../domain/Approval.ts"
import { isPrivate, type StateName } from "../domain/Event.ts"
import { foldAll } from "../domain/Fold.ts"
import { scopeKey, type SessionKey, sessionKey, sessionOf } from "../domain/Principal.ts"
import { initial, pendingApprovals } from "../domain/Session.ts"
import { RuntimeManager } from "../runtime/RuntimeManager.ts"
import type { SessionStatus } from "../runtime/SessionRuntime.ts"
import { Journal, type JournalRecord } from "../store/Journal.ts"
import type { SessionMeta } from "../store/SessionIndex.ts"
import { type CallerShape, permitted } from "./apiCaller.ts"
import { nameOf } from "./apiHeld.ts"
import { sessionPage } from "./apiPages.ts"
import { indexOf } from "./apiScope.ts"

interface Doing {
  readonly state: StateName
  readonly approvals: ReadonlyArray<ApprovalRequest>
  readonly mode?: string
}

const idle: Doing = { state: "idle", approvals: [] }
const PAGE = 200

/** The facts from the newest `task_started` on. */
const newestTask = Effect.fnUntraced(function* (key: SessionKey) {
  const journal = yield* Journal
  const pages: Array<ReadonlyArray<JournalRecord>> = []
  for (let before = Number.MAX_SAFE_INTEGER; ;) {
    const { records, more } = yield* journal.readPublicBack(key, before, PAGE)
    const start = records.findLastIndex(({ body }) => body.type === "task_started")
    pages.unshift(records.slice(Math.max(0, start)))
    if (start >= 0 || !more) return pages.flat()
    before = records[0]?.seq ?? 0
  }
})

/** Of one whose task another process runs, or nobody. */
const elsewhere = Effect.fnUntraced(function* (key: SessionKey) {
  const records = yield* newestTask(key)
  const facts = records.flatMap(({ body, seq }) => (seq === undefined || isPrivate(body) ? [] : [{ seq, body }]))
  const state = foldAll(initial, facts)
  const doing: Doing = { state: nameOf(state), approvals: pendingApprovals(state) }
  return doing
})

const now = ({ state, pending_approvals, mode }: SessionStatus): Doing => ({
  state,
  approvals: pending_approvals,
  mode
})

interface Looked {
  readonly at: number
  readonly keys: ReadonlySet<SessionKey>
}

/** Looking at all sessions of a store takes milliseconds: what other processes do is known to the second. */
const LOOK_MS = 1000
const looked = new WeakMap<Journal["Service"], Looked>()

const unfinishedIn = Effect.fnUntraced(function* (journal: Journal["Service"]) {
  const at = yield* Clock.currentTimeMillis
  const known = looked.get(journal)
  if (known !== undefined && at - known.at < LOOK_MS) return known.keys
  const keys = new Set(yield* journal.unfinished)
  looked.set(journal, { at, keys })
  return keys
})

/** What sessions of the caller's do now. */
const makeDoing = Effect.fnUntraced(function* (caller: CallerShape) {
  const [manager, journal] = [yield* RuntimeManager, yield* Journal]
  const sessions = manager.for(caller.owner)
  const unfinished = yield* unfinishedIn(journal)
  const own = Array.from(unfinished, sessionOf).filter(({ owner }) => scopeKey(owner) === scopeKey(caller.owner))
  return {
    /** Those that may do something. */
    all: new Set([...(yield* sessions.list), ...own.map(({ session_id }) => session_id)]),
    of: Effect.fnUntraced(function* ({ session_id }: Pick<SessionMeta, "session_id">) {
      const running = yield* Effect.option(sessions.get(session_id))
      if (Option.isSome(running)) return now(yield* running.value.status)
      const key = sessionKey(caller.owner, session_id)
      return unfinished.has(key) ? yield* elsewhere(key) : idle
    })
  }
})

const describe = (meta: SessionMeta, now: Doing, mode: string) => ({
  session_id: meta.session_id,
  workspace: meta.workspace,
  title: meta.title,
  ...(meta.model === undefined ? {} : { model: meta.model }),
  mode: now.mode ?? meta.mode ?? mode,
  created_at: meta.created_at,
  updated_at: meta.updated_at,
  archived: meta.archived === true,
  state: now.state,
  pending_approvals: now.approvals.length
})

/** A session as a list tells it. */
export const describedOne = Effect.fnUntraced(function* (caller: CallerShape, meta: SessionMeta) {
  const { mode } = yield* AppConfig
  return describe(meta, yield* (yield* makeDoing(caller)).of(meta), mode)
})

export interface ListQuery {
  readonly q?: string
  readonly archived?: "true" | "false" | "only"
  readonly limit?: number
  readonly cursor?: string
}

/** Their first prompts are looked at only where nothing else has the text. */
const fitting = (caller: CallerShape, q: string) => {
  const wanted = q.toLowerCase()
  const has = (text: string) => text.toLowerCase().includes(wanted)
  const named = ({ session_id, title, workspace }: SessionMeta) => [session_id, title, workspace].some(has)
  const keyOf = ({ session_id }: SessionMeta) => sessionKey(caller.owner, session_id)
  return Effect.map(Journal, (journal) => (metas: ReadonlyArray<SessionMeta>) => {
    const others = metas.filter((meta) => !named(meta))
    return Effect.map(journal.firstPrompts(others.map(keyOf)), (prompts) =>
      metas.filter((meta) => named(meta) || has(prompts.get(keyOf(meta)) ?? ""))
    )
  })
}

export const list = Effect.fnUntraced(function* ({ q, archived = "false", ...query }: ListQuery) {
  const caller = yield* permitted("read")
  const { metas, next } = yield* sessionPage(yield* indexOf(caller), {
    ...query,
    ...(archived === "true" ? {} : { archived: archived === "only" }),
    ...(q === undefined || q === "" ? {} : { fits: yield* fitting(caller, q) })
  })
  const [{ mode }, doing] = [yield* AppConfig, yield* makeDoing(caller)]
  const sessions = yield* Effect.forEach(metas, (meta) =>
    Effect.map(doing.of(meta), (what) => describe(meta, what, mode))
  )
  return { sessions, ...next }
})

/** Every open question of the caller's, wherever its session runs. */
export const waiting = Effect.gen(function* () {
  const caller = yield* permitted("read")
  const index = yield* indexOf(caller)
  const doing = yield* makeDoing(caller)
  const all = yield* Effect.forEach(
    doing.all,
    Effect.fnUntraced(function* (session_id) {
      const { approvals } = yield* doing.of({ session_id })
      const meta = approvals.length === 0 ? undefined : yield* Effect.option(index.get(session_id))
      if (meta === undefined || Option.isNone(meta)) return []
      const { title, workspace } = meta.value
      return approvals.map((request) => ({ session_id, title, workspace, ...request }))
    })
  )
  const last = "9999"
  return {
    approvals: all.flat().toSorted((a, b) => ((a.expires_at ?? last) < (b.expires_at ?? last) ? -1 : 1))
  }
})
