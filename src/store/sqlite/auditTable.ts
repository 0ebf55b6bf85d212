/**
 * The audit chain in SQLite. Owns: the rows of `audit` and `audit_head`. Does not own: what an entry says and how a
 * chain is proved (approval's Audit and AuditLog). Invariants: entries are added inside the transaction of what they are
 * about, in one chain over all writers of the file; nothing here changes or deletes one.
 */
import { Effect } from "effect"
import { type AuditEntry, chain, type Head, type Link, read, type Unchained } from "../../approval/Audit.ts"
import { AuditError, AuditLog, type AuditPage, type AuditQuery, makeVerifier } from "../../approval/AuditLog.ts"
import { scopeKey, sessionOf, type SessionKey } from "../../domain/Principal.ts"
import { REMOVED } from "../appendRule.ts"
import type { StoreError } from "../StoreError.ts"
import type { Access } from "./access.ts"
import type { Statements } from "./sqlClient.ts"

/** Entries that `verify` reads at a time; the event loop has a turn in between. */
const AT_ONCE = 500

interface Columns {
  readonly n: number
  readonly owner: string
  readonly session_id: string
  readonly seq: number | null
  readonly tool_name: string | null
  readonly decision: string | null
  readonly at: string
}

interface Row extends Columns {
  readonly line: string
  readonly hash: string
}

const columnsOf = (entry: AuditEntry): Columns => ({
  n: entry.n,
  owner: scopeKey(entry),
  session_id: entry.session_id,
  seq: entry.seq ?? null,
  tool_name: entry.tool_name ?? null,
  decision: entry.decision ?? null,
  at: entry.when
})

const sameColumns = (row: Row) => (entry: AuditEntry) =>
  Object.entries(columnsOf(entry)).every(([column, value]) => row[column as keyof Columns] === value)

const INSERT = `
  INSERT INTO audit (n, owner, session_id, seq, tool_name, decision, at, line, hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`

/** Adds entries at the end of the chain. A store that lost its head takes no more: nothing could prove what follows. */
export const append = (all: Statements, entries: ReadonlyArray<Unchained>): void => {
  if (entries.length === 0) return
  let [head] = all("SELECT n, hash FROM audit_head") as ReadonlyArray<Head>
  if (head === undefined) throw new Error("the audit has lost the head of its chain (claw audit --verify says more)")
  for (const entry of entries) {
    const link: Link = chain(head, entry)
    const { n, owner, session_id, seq, tool_name, decision, at } = columnsOf({ ...entry, n: link.n })
    all(INSERT, n, owner, session_id, seq, tool_name, decision, at, link.text, link.hash)
    head = link
  }
  all("UPDATE audit_head SET n = ?, hash = ?", head.n, head.hash)
}

const toAudit = (error: StoreError) => new AuditError({ detail: error.detail, cause: error })

const toPage = (rows: ReadonlyArray<Row>, limit: number): AuditPage => {
  const taken = rows.slice(0, limit)
  const entries = taken.flatMap((row) => {
    const entry = read(row.line)
    // A line that stands in another owner's place is nobody's to read.
    return entry !== undefined && sameColumns(row)(entry) ? [{ ...entry, hash: row.hash }] : []
  })
  const good = new Set(entries.map(({ n }) => n))
  const damaged = taken.flatMap(({ n }) => (good.has(n) ? [] : [n]))
  const last = taken.at(-1)?.n
  return { entries, damaged, ...(rows.length > limit && last !== undefined ? { next: last } : {}) }
}

const page = ({ sql, run }: Access, query: AuditQuery) => {
  const { owner, session, tool, decision, since, order, after, limit = 100 } = query
  const newest = order === "newest"
  const wanted = [
    newest ? sql`n < ${after ?? Number.MAX_SAFE_INTEGER}` : sql`n > ${after ?? 0}`,
    ...(owner === undefined ? [] : [sql`owner = ${scopeKey(owner)}`]),
    ...(session === undefined ? [] : [sql`session_id = ${session}`]),
    ...(tool === undefined ? [] : [sql`tool_name = ${tool}`]),
    ...(decision === undefined ? [] : [sql`decision = ${decision}`]),
    ...(since === undefined ? [] : [sql`at >= ${since}`])
  ]
  const rows = sql<Row>`SELECT * FROM audit WHERE ${sql.and(wanted)} ORDER BY n ${newest ? sql.literal("DESC") : sql.literal("ASC")} LIMIT ${limit + 1}`
  return Effect.map(Effect.mapError(run("read the audit", rows), toAudit), (found) => toPage(found, limit))
}

/** Decisions that a stored session's journal holds and the chain does not; what a fork copied was not decided there. */
const unaudited = Effect.fnUntraced(function* ({ sql }: Access, key: SessionKey, session: number) {
  const { owner, session_id } = sessionOf(key)
  const place = sql`owner = ${scopeKey(owner)} AND session_id = ${session_id}`
  // What is no decision is about a session as a whole.
  const others = yield* sql<Row>`SELECT * FROM audit WHERE ${place} AND decision IS NULL ORDER BY n`
  const marks = others.flatMap(({ line }) => read(line) ?? [])
  const removed = marks.findLast(({ kind }) => kind === "session_removed")?.n ?? 0
  const copied = marks.findLast(({ kind, n }) => kind === "session_copied" && n > removed)?.seq ?? 0
  const found = yield* sql<{ readonly seq: number }>`
    SELECT seq FROM journal_records WHERE session = ${session} AND type = 'approval_resolved' AND seq > ${copied}
    EXCEPT SELECT seq FROM audit WHERE ${place} AND n > ${removed} ORDER BY seq`
  return found.map(({ seq }) => ({ session_id, seq }))
})

const heads = ({ sql }: Access) =>
  sql<{ readonly session: number; readonly session_id: SessionKey }>`
    SELECT session, session_id FROM journal_heads WHERE owner <> ${REMOVED} ORDER BY session`

const verify = (access: Access) =>
  Effect.fnUntraced(function* (anchor?: Head) {
    const { sql, run, transact } = access
    const [start] = yield* run("prove the audit", sql<{ readonly first: string }>`SELECT first FROM audit_head`)
    const verifier = makeVerifier(start?.first ?? "", anchor)
    const take = (rows: ReadonlyArray<Row>) => {
      for (const row of rows) verifier.take({ n: row.n, text: row.line, hash: row.hash }, sameColumns(row))
      return rows.at(-1)?.n
    }
    const behind = (n: number, limit: number) => sql<Row>`SELECT * FROM audit WHERE n > ${n} ORDER BY n LIMIT ${limit}`
    let last = 0
    for (let full = true; full; yield* Effect.yieldNow) {
      const rows = yield* run("prove the audit", behind(last, AT_ONCE))
      last = take(rows) ?? last
      full = rows.length === AT_ONCE
    }
    for (const { session, session_id } of yield* run("prove the audit", heads(access))) {
      for (const { seq, session_id: id } of yield* run("prove the audit", unaudited(access, session_id, session)))
        verifier.say({
          kind: "unaudited",
          session_id: id,
          detail: `decision ${seq} of session ${id} is in its journal only`
        })
    }
    // What came in the meantime, and the head, as they are at one moment.
    const end = Effect.all([behind(last, -1), sql<Head>`SELECT n, hash FROM audit_head`])
    const [rest, [head]] = yield* transact("prove the audit", end)
    take(rest)
    return verifier.end(head)
  }, Effect.mapError(toAudit))

export const make = (access: Access) => AuditLog.of({ page: (query) => page(access, query), verify: verify(access) })

/** An entry of its own, inside the caller's transaction that goes through `sql`. */
export const appendWith = ({ sql }: Access, entry: Unchained) =>
  Effect.gen(function* () {
    const [head] = yield* sql<Head>`SELECT n, hash FROM audit_head`
    if (head === undefined) return
    const link = chain(head, entry)
    yield* sql`INSERT INTO audit ${sql.insert({ ...columnsOf({ ...entry, n: link.n }), line: link.text, hash: link.hash })}`
    yield* sql`UPDATE audit_head SET n = ${link.n}, hash = ${link.hash}`
  })
