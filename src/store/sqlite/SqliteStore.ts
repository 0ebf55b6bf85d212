/**
 * Journal, session index, grants, audit and API tokens in one SQLite file (SETTLED 8, 16, 17). Owns: the layer, and the
 * journal over its parts. Invariants: `append` returns when its records
 * are on the disk; several processes may have the file open, and each session obeys only its newest claim.
 */
import { Clock, Context, Effect, Exit, Layer } from "effect"
import * as Reactivity from "effect/reactivity/Reactivity"
import { AuditLog } from "../../approval/AuditLog.ts"
import { GrantStore } from "../../approval/GrantStore.ts"
import type { SessionKey } from "../../domain/Principal.ts"
import { commitTime } from "../../observability/Metrics.ts"
import * as Points from "../../observability/Points.ts"
import { REMOVED, RELEASED, encodeAll, keeps, ownerName, TASK_EDGES } from "../appendRule.ts"
import { Journal, type Tail } from "../Journal.ts"
import { SessionIndex } from "../SessionIndex.ts"
import { LoginStore } from "../LoginStore.ts"
import { StoreError } from "../StoreError.ts"
import { TokenStore } from "../TokenStore.ts"
import * as Access from "./access.ts"
import * as AuditTable from "./auditTable.ts"
import { open } from "./database.ts"
import * as GrantTable from "./grantTable.ts"
import * as GroupCommit from "./groupCommit.ts"
import * as LoginTable from "./loginTable.ts"
import { firstPrompts, readBack, readPage } from "./pageReader.ts"
import * as SessionTable from "./sessionTable.ts"
import * as SqlClient from "./sqlClient.ts"
import * as TokenTable from "./tokenTable.ts"

/** How long a lock of another process is waited for; 5 seconds by default. */
export const LockWait = Access.LockWait

const HELD = "SELECT owner FROM journal_heads WHERE session_id = ?"

/** What a removal did not come to delete must not become the new session's. */
const FORGET_REMOVED = `
  DELETE FROM journal_records
  WHERE session = (SELECT session FROM journal_heads WHERE session_id = ? AND owner = ?)`

const TAKE = `
  INSERT INTO journal_heads (session_id, epoch, owner, claimed_at) VALUES (?, 1, ?, ?)
  ON CONFLICT (session_id) DO UPDATE SET epoch = epoch + 1, owner = excluded.owner, claimed_at = excluded.claimed_at
  RETURNING session, epoch`

interface Taken {
  readonly session: number
  readonly epoch: number
}

const TAIL = `
  SELECT coalesce((SELECT max(pos) FROM journal_records WHERE session = ?1), 0) AS pos,
    coalesce((SELECT max(seq) FROM journal_records WHERE session = ?1 AND seq IS NOT NULL), 0) AS seq`

/** A claim that is lost with the machine's power was its process's, which is gone too: nothing waits for the disk. */
const claim = (access: Access.Access) =>
  Effect.fnUntraced(function* (session: SessionKey, owner: string, mayTake: (owner: string) => boolean = () => true) {
    const at = new Date(yield* Clock.currentTimeMillis).toISOString()
    const claimed = access.atOnce(
      "claim",
      (all): Exit.Exit<Tail, StoreError> => {
        const [held] = all(HELD, session) as ReadonlyArray<{ readonly owner: string }>
        const kept = keeps(session, held?.owner, owner, mayTake)
        if (kept !== undefined) return Exit.fail(kept)
        if (held?.owner === REMOVED) all(FORGET_REMOVED, session, REMOVED)
        const [head] = all(TAKE, session, ownerName(owner), at) as ReadonlyArray<Taken>
        const [last] = all(TAIL, head?.session) as ReadonlyArray<Omit<Tail, "epoch">>
        Points.reach("claim inside")
        return Exit.succeed({ epoch: head?.epoch ?? 0, pos: last?.pos ?? 0, seq: last?.seq ?? 0 })
      },
      true
    )
    return yield* Points.around(() => "claim", Effect.flatten(claimed))
  })

const release =
  ({ sql, run }: Access.Access) =>
  (session: SessionKey, epoch: number) =>
    Points.around(
      () => "release",
      Effect.asVoid(
        run(
          "release",
          sql`
            UPDATE journal_heads SET owner = ${RELEASED}
            WHERE session_id = ${session} AND epoch = ${epoch} AND owner <> ${REMOVED}`
        )
      )
    )

/** From each session's newest public record back to the one that says whether a task runs: mostly that record itself. */
const unfinished = ({ sql, run }: Access.Access) =>
  Effect.map(
    run(
      "unfinished",
      sql<{ readonly session_id: SessionKey }>`
        SELECT session_id FROM journal_heads h WHERE owner <> ${REMOVED} AND (
          SELECT type FROM journal_records r
          WHERE r.session = h.session AND seq IS NOT NULL AND type IN ${sql.in(TASK_EDGES)}
          ORDER BY seq DESC LIMIT 1
        ) = 'task_started'`
    ),
    (rows) => rows.map(({ session_id }) => session_id)
  )

const makeJournal = Effect.fnUntraced(function* (access: Access.Access) {
  const submit = yield* GroupCommit.make(access)
  return Journal.of({
    claim: claim(access),
    release: release(access),
    append: (session, epoch, records, as) =>
      Effect.suspend(() => {
        // Outside the transaction: what cannot be encoded fails alone, and the lock is held for less time.
        const encoded = encodeAll(session, records)
        return encoded instanceof StoreError ? Effect.fail(encoded) : submit({ session, epoch, records, encoded, as })
      }),
    read: Effect.fn("Journal.read")((session, after, limit = 1000) =>
      access.run("read", readPage(access, { session, order: "pos", after, limit }))
    ),
    readPublic: Effect.fn("Journal.readPublic")((session, after, limit = 1000) =>
      access.run("readPublic", readPage(access, { session, order: "seq", after, limit }))
    ),
    readPublicBack: Effect.fn("Journal.readPublicBack")((session, before, limit = 1000) =>
      access.run("readPublicBack", readBack(access, session, before, limit))
    ),
    firstPrompts: Effect.fn("Journal.firstPrompts")((sessions) =>
      access.run("firstPrompts", firstPrompts(access, sessions))
    ),
    unfinished: unfinished(access)
  })
})

const make = Effect.fnUntraced(function* (file: string) {
  const limit = yield* LockWait
  const context = yield* Effect.context<never>()
  const took = (seconds: number) => commitTime.updateUnsafe(seconds, context)
  const client = yield* Access.settle(file, limit)("open", SqlClient.make(open(file), took))
  const access = Access.make(client, file, limit)
  yield* SessionTable.purge(access)
  return Context.make(Journal, yield* makeJournal(access)).pipe(
    Context.add(SessionIndex, SessionTable.make(access)),
    Context.add(TokenStore, TokenTable.make(access)),
    Context.add(LoginStore, LoginTable.make(access)),
    Context.add(GrantStore, GrantTable.make(access)),
    Context.add(AuditLog, AuditTable.make(access))
  )
})

export type Stores = Journal | SessionIndex | TokenStore | LoginStore | GrantStore | AuditLog

/** `file`: made, with its directory, where it does not exist. */
export const layerSqlite = (file: string): Layer.Layer<Stores, StoreError> =>
  Layer.effectContext(make(file)).pipe(Layer.provide(Reactivity.layer))
