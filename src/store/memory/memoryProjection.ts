/**
 * What an append in memory writes beside its records: grants and the audit chain, as the one on a disk does (SETTLED 8).
 * Owns: both, over the lines of one store. Invariant: the chain is the same code as on a disk; its entries are held
 * deflated, since a store in memory may hold many sessions.
 */
import { Effect } from "effect"
import {
  type AuditEntry,
  begin,
  chain,
  copied,
  decision,
  type Head,
  read,
  removed,
  revoked,
  type Unchained
} from "../../approval/Audit.ts"
import { AuditLog, type AuditPage, type AuditQuery, makeVerifier } from "../../approval/AuditLog.ts"
import { GrantStore } from "../../approval/GrantStore.ts"
import * as MemoryGrants from "../../approval/MemoryGrants.ts"
import type { Durable } from "../../domain/Event.ts"
import type { CallId } from "../../domain/Ids.ts"
import type { ToolCall } from "../../domain/Message.ts"
import { type Owner, scopeKey, sessionOf, type SessionKey } from "../../domain/Principal.ts"
import type { JournalRecord } from "../Journal.ts"
import * as Segments from "./segments.ts"

export interface Projection {
  readonly grants: GrantStore["Service"]
  readonly audit: AuditLog["Service"]
  readonly append: (
    session: SessionKey,
    records: ReadonlyArray<JournalRecord>,
    callOf: (id: CallId) => ToolCall | undefined,
    as: "copy" | undefined
  ) => void
  /** The session is removed; `seq`: its last public record. */
  readonly bury: (session: SessionKey, seq: number) => void
}

const isBehind = (n: number, { order, after }: AuditQuery): boolean =>
  after === undefined || (order === "newest" ? n < after : n > after)

const fits = (entry: AuditEntry, query: AuditQuery): boolean => {
  const { owner, session, tool, decision: wanted, since } = query
  return (
    isBehind(entry.n, query) &&
    (owner === undefined || scopeKey(entry) === scopeKey(owner)) &&
    (session === undefined || entry.session_id === session) &&
    (tool === undefined || entry.tool_name === tool) &&
    (wanted === undefined || entry.decision === wanted) &&
    (since === undefined || entry.when >= since)
  )
}

type Line = readonly [hash: string, text: string]

const makeChain = () => {
  const first = begin(crypto.getRandomValues(new Uint8Array(32)))
  const lines = Segments.make()
  let head: Head = first
  const add = (entry: Unchained): void => {
    const link = chain(head, entry)
    head = { n: link.n, hash: link.hash }
    lines.push(JSON.stringify([link.hash, link.text] satisfies Line))
  }
  const page = (query: AuditQuery): AuditPage => {
    const { limit = 100, after = 0 } = query
    const newest = query.order === "newest"
    const found: Array<AuditPage["entries"][number]> = []
    lines.walk(newest ? 0 : after, (text) => {
      const [hash, line] = JSON.parse(text) as Line
      const entry = read(line)
      if (entry !== undefined && fits(entry, query)) found.push({ ...entry, hash })
      if (newest && found.length > limit + 1) found.shift()
      return newest || found.length <= limit
    })
    if (newest) found.reverse()
    const entries = found.slice(0, limit)
    const last = entries.at(-1)?.n
    return { entries, damaged: [], ...(found.length > limit && last !== undefined ? { next: last } : {}) }
  }
  const verify = (anchor?: Head) => {
    const verifier = makeVerifier(first.hash, anchor)
    let n = 0
    lines.walk(0, (line) => {
      const [hash, text] = JSON.parse(line) as Line
      n += 1
      verifier.take({ n, hash, text }, () => true)
      return true
    })
    return verifier.end(head)
  }
  return { add, page, verify }
}

type Decided = JournalRecord & { readonly body: Durable<"approval_resolved"> }
const isDecided = (record: JournalRecord): record is Decided => record.body.type === "approval_resolved"

/** Uses and grants of what was decided. */
const grant = (
  grants: MemoryGrants.MemoryGrants,
  place: { owner: Owner } & ReturnType<typeof sessionOf>,
  { ts, body }: Decided
) => {
  const { owner, session_id } = place
  if (body.grant !== undefined) grants.put(owner, session_id, body.grant)
  else if (body.grant_id !== undefined && body.decision !== "deny") grants.use(owner, session_id, body.grant_id, ts)
}

export const make = (): Projection => {
  const audit = makeChain()
  const grants = MemoryGrants.make(({ grant: { grant_id, tool_name }, revoked_at = "", revoked_by = "", ...kept }) =>
    audit.add(revoked({ owner: kept, session_id: kept.session_id }, revoked_at, grant_id, tool_name, revoked_by))
  )
  const unsaved = <A extends object>(owned: A) => ({ ...owned, save: () => Effect.void })
  const { store } = grants
  return {
    grants: GrantStore.of({ ...unsaved(store), for: (owner) => unsaved(store.for(owner)) }),
    audit: AuditLog.of({
      page: (query) => Effect.sync(() => audit.page(query)),
      verify: (anchor) => Effect.sync(() => audit.verify(anchor))
    }),
    append: (session, records, callOf, as) => {
      const place = sessionOf(session)
      const last = records.findLast(({ seq }) => seq !== undefined)
      if (as === "copy") {
        if (last?.seq !== undefined) audit.add(copied(place, last.ts, last.seq))
        return
      }
      for (const record of records.filter(isDecided)) {
        grant(grants, place, record)
        const { call_id, digest } = record.body
        audit.add(decision(place, record, record.body, digest === undefined ? callOf(call_id) : undefined))
      }
    },
    bury: (session, seq) => {
      const place = sessionOf(session)
      grants.end(place.owner, place.session_id)
      audit.add(removed(place, new Date().toISOString(), seq))
    }
  }
}
