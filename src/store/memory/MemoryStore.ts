/**
 * Journal, session index, grants, audit and API tokens in memory, for tests and for programs that keep nothing.
 * Owns: the drivers over one map, so that removing a session removes its records. Does not own: durability; all of it
 * goes with the layer. Invariant: a reader gets values of its own, as it would from a disk.
 */
import { Context, Effect, Layer } from "effect"
import { AuditLog } from "../../approval/AuditLog.ts"
import { GrantStore } from "../../approval/GrantStore.ts"
import type { CallId, SessionId } from "../../domain/Ids.ts"
import type { ToolCall } from "../../domain/Message.ts"
import { localOwner, type Owner, scopeKey, type SessionKey, sessionKey } from "../../domain/Principal.ts"
import { traced } from "../../observability/Telemetry.ts"
import {
  admit,
  encodeAll,
  keeps,
  ownerName,
  RELEASED,
  REMOVED,
  takesNone,
  type Head,
  TASK_EDGES
} from "../appendRule.ts"
import { FIRST_PROMPT, Journal, type JournalRecord, type Page } from "../Journal.ts"
import { decode } from "../recordBody.ts"
import { type OwnedIndex, SessionIndex, type SessionMeta } from "../SessionIndex.ts"
import { alreadyThere, changed, newestFirst, notFound, wellFormed } from "../sessionRule.ts"
import { LoginStore } from "../LoginStore.ts"
import { StoreError } from "../StoreError.ts"
import { TokenStore } from "../TokenStore.ts"
import { makeLogins } from "./memoryLogins.ts"
import { makeTokens } from "./memoryTokens.ts"
import * as Projection from "./memoryProjection.ts"
import * as MemorySpent from "./memorySpent.ts"
import * as Segments from "./segments.ts"

interface Entry {
  head: Head
  lines: Segments.Segments
}

type Line = readonly [pos: number, seq: number, event_id: JournalRecord["event_id"], ts: string, body: string]

const toLine = (record: JournalRecord, body: string): string =>
  JSON.stringify([record.pos, record.seq ?? 0, record.event_id, record.ts, body] satisfies Line)

const toRecord = ([pos, seq, event_id, ts, text]: Line): JournalRecord | undefined => {
  const body = decode(text)
  return body === undefined ? undefined : { pos, ...(seq === 0 ? {} : { seq }), event_id, ts, body }
}

/** Takes lines until there are enough, in the order in which it is given them. */
const collector = (limit: number) => {
  const records: Array<JournalRecord> = []
  const damaged: Array<number> = []
  let more = false
  const take = (line: Line): boolean => {
    more = records.length + damaged.length >= limit
    if (more) return false
    const record = toRecord(line)
    if (record === undefined) damaged.push(line[0])
    else records.push(record)
    return true
  }
  return { take, page: (): Page => ({ records, damaged, more }) }
}

const pageOf = (entry: Entry | undefined, from: number, limit: number, wanted: (line: Line) => boolean): Page => {
  const { take, page } = collector(limit)
  entry?.lines.walk(from, (text) => {
    const line = JSON.parse(text) as Line
    return !wanted(line) || take(line)
  })
  return page()
}

/** Of a line, without what it holds. */
const seqOf = (text: string): number => Number(/^\[\d+,(\d+)/.exec(text)?.[1])

/** From the end back. */
const pageBack = (entry: Entry | undefined, before: number, limit: number): Page => {
  const { take, page } = collector(limit)
  entry?.lines.walkBack((text) => {
    const seq = seqOf(text)
    return seq === 0 || seq >= before || take(JSON.parse(text) as Line)
  })
  const { records, damaged, more } = page()
  return { records: records.toReversed(), damaged: damaged.toReversed(), more }
}

const firstPrompt = (entry: Entry | undefined): string | undefined => {
  let found: string | undefined
  entry?.lines.walk(0, (text) => {
    const line = JSON.parse(text) as Line
    const body = line[1] === 0 ? undefined : toRecord(line)?.body
    if (body?.type === "task_started") found = body.content.slice(0, FIRST_PROMPT.chars)
    return found === undefined && line[1] < FIRST_PROMPT.seq
  })
  return found
}

const runsTask = (entry: Entry): boolean => {
  let edge: string | undefined
  entry.lines.walk(0, (text) => {
    const type = toRecord(JSON.parse(text) as Line)?.body.type
    if (TASK_EDGES.some((known) => known === type)) edge = type
    return true
  })
  return edge === "task_started"
}

/** The newest call of this id: mostly of the last turn. */
const callIn = (entry: Entry | undefined) => (id: CallId) => {
  let found: ToolCall | undefined
  entry?.lines.walkBack((text) => {
    const body = toRecord(JSON.parse(text) as Line)?.body
    if (body?.type === "tool_call" && body.call_id === id)
      found = { call_id: id, tool_name: body.tool_name, arguments: body.content }
    return found === undefined
  })
  return found
}

const makeJournal = (
  entries: Map<SessionKey, Entry>,
  projection: Projection.Projection,
  spent: MemorySpent.MemorySpent
) =>
  Journal.of({
    claim: (session, owner, mayTake = () => true) =>
      Effect.suspend(() => {
        const entry = entries.get(session)
        const kept = keeps(session, entry?.head.owner, owner, mayTake)
        if (kept !== undefined) return Effect.fail(kept)
        const before = entry?.head ?? { epoch: 0, pos: 0, seq: 0 }
        const head = { ...before, epoch: before.epoch + 1, owner: ownerName(owner) }
        if (entry === undefined) entries.set(session, { head, lines: Segments.make() })
        else entry.head = head
        return Effect.succeed({ epoch: head.epoch, pos: head.pos, seq: head.seq })
      }),
    release: (session, epoch) =>
      Effect.sync(() => {
        const entry = entries.get(session)
        if (entry?.head.epoch === epoch && entry.head.owner !== REMOVED) entry.head = { ...entry.head, owner: RELEASED }
      }),
    append: (session, epoch, records, as) =>
      Effect.suspend(() => {
        const encoded = encodeAll(session, records)
        if (encoded instanceof StoreError) return Effect.fail(encoded)
        const entry = entries.get(session)
        const next = admit(entry?.head, session, epoch, records)
        if (next instanceof StoreError) return Effect.fail(next)
        if (entry !== undefined) {
          for (const { record, text } of encoded) entry.lines.push(toLine(record, text))
          entry.head = next
        }
        projection.append(session, records, callIn(entry), as)
        if (as !== "copy") spent.append(session, records)
        return Effect.void
      }),
    read: Effect.fn("Journal.read")((session, after, limit = 1000) =>
      Effect.sync(() => pageOf(entries.get(session), Math.max(0, after), limit, () => true))
    ),
    // `seq` is at most `pos`: a public record behind `after` cannot stand before line `after`.
    readPublic: Effect.fn("Journal.readPublic")((session, after, limit = 1000) =>
      Effect.sync(() =>
        pageOf(entries.get(session), Math.max(0, after), limit, (line) => line[1] > after && line[1] > 0)
      )
    ),
    readPublicBack: Effect.fn("Journal.readPublicBack")((session, before, limit = 1000) =>
      Effect.sync(() => pageBack(entries.get(session), before, Math.max(1, limit)))
    ),
    firstPrompts: (sessions) =>
      Effect.sync(() => {
        const found = sessions.map((session) => [session, firstPrompt(entries.get(session))] as const)
        return new Map(found.flatMap(([session, text]) => (text === undefined ? [] : [[session, text] as const])))
      }),
    unfinished: Effect.sync(() => Array.from(entries).flatMap(([session, entry]) => (runsTask(entry) ? [session] : [])))
  })

interface Tables {
  readonly entries: Map<SessionKey, Entry>
  readonly metas: Map<SessionKey, SessionMeta>
  readonly numbers: Map<string, number>
  readonly bury: Projection.Projection["bury"]
  readonly spent: MemorySpent.MemorySpent
}

const find = ({ metas }: Tables, operation: string, owner: Owner, id: SessionId) => {
  const meta = metas.get(sessionKey(owner, id))
  return meta === undefined ? Effect.fail(notFound(operation, id)) : Effect.succeed(meta)
}

const remove = (
  { entries, metas, bury, spent }: Tables,
  owner: Owner,
  id: SessionId,
  mayTake: (holder: string) => boolean
) => {
  const key = sessionKey(owner, id)
  const entry = entries.get(key)
  const kept = keeps(key, entry?.head.owner, undefined, mayTake)
  if (kept !== undefined) return Effect.fail(kept)
  const known = metas.delete(key) || (entry !== undefined && entry.head.owner !== REMOVED)
  if (!known) return Effect.fail(notFound("remove", id))
  bury(key, entry?.head.seq ?? 0)
  spent.forget(key)
  // The epoch outlives the records: whoever still writes is fenced, also after the id was claimed again.
  if (entry !== undefined) {
    entries.set(key, { head: { ...entry.head, owner: REMOVED, pos: 0, seq: 0 }, lines: Segments.make() })
  }
  return Effect.void
}

const ownedIndex = (tables: Tables, owner: Owner): OwnedIndex => {
  const { metas, numbers, spent } = tables
  const scope = scopeKey(owner)
  return {
    create: Effect.fn("SessionIndex.create")((meta) =>
      Effect.suspend(() => {
        const key = sessionKey(owner, meta.session_id)
        if (metas.has(key)) return Effect.fail(alreadyThere(meta.session_id))
        metas.set(key, wellFormed(meta, owner))
        return Effect.void
      })
    ),
    get: Effect.fn("SessionIndex.get")((id) => Effect.suspend(() => find(tables, "get", owner, id))),
    update: (id, change) =>
      Effect.suspend(() => find(tables, "update", owner, id)).pipe(
        Effect.map((meta) => {
          const next = changed(meta, change)
          metas.set(sessionKey(owner, id), next)
          return next
        }),
        traced("SessionIndex.update")
      ),
    list: Effect.fn("SessionIndex.list")((options = {}) =>
      Effect.sync(() =>
        [...metas.values()]
          .filter((meta) => scopeKey(meta.owner) === scope)
          .filter((meta) => options.workspace === undefined || meta.workspace === options.workspace)
          .filter((meta) => options.archived === undefined || (meta.archived === true) === options.archived)
          .toSorted(newestFirst)
          .filter((meta) => options.after === undefined || newestFirst(options.after, meta) < 0)
          .slice(0, options.limit ?? 100)
      )
    ),
    remove: Effect.fn("SessionIndex.remove")((id, mayTake = takesNone) =>
      Effect.suspend(() => remove(tables, owner, id, mayTake))
    ),
    spentBy: (ids) =>
      Effect.sync(() => {
        const found = ids.map((id) => [id, spent.total(sessionKey(owner, id))] as const)
        return new Map(found.flatMap(([id, total]) => (total === undefined ? [] : [[id, total] as const])))
      }),
    spentDays: Effect.sync(() => spent.days(owner)),
    spentModels: Effect.sync(() => spent.models(owner)),
    nextNumber: Effect.fn("SessionIndex.nextNumber")((counter, count = 1) =>
      Effect.sync(() => {
        const key = JSON.stringify([scope, counter])
        const last = numbers.get(key) ?? 0
        numbers.set(key, last + count)
        return last + 1
      })
    )
  }
}

const makeIndex = (parts: Pick<Tables, "entries" | "bury" | "spent">) => {
  const tables: Tables = { ...parts, metas: new Map(), numbers: new Map() }
  return SessionIndex.of({
    ...ownedIndex(tables, localOwner),
    for: (owner) => ownedIndex(tables, owner),
    spentOn: (tenant, day) => Effect.sync(() => parts.spent.on(tenant, day)),
    owners: Effect.sync(() => [
      ...new Map([...tables.metas.values()].map(({ owner }) => [scopeKey(owner), owner])).values()
    ])
  })
}

export const layerMemory: Layer.Layer<Journal | SessionIndex | TokenStore | LoginStore | GrantStore | AuditLog> =
  Layer.effectContext(
    Effect.sync(() => {
      const entries = new Map<SessionKey, Entry>()
      const [projection, spent] = [Projection.make(), MemorySpent.make()]
      return Context.make(Journal, makeJournal(entries, projection, spent)).pipe(
        Context.add(SessionIndex, makeIndex({ entries, bury: projection.bury, spent })),
        Context.add(TokenStore, makeTokens()),
        Context.add(LoginStore, makeLogins()),
        Context.add(GrantStore, projection.grants),
        Context.add(AuditLog, projection.audit)
      )
    })
  )
