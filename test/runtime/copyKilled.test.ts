/**
 * A process that dies while it writes a copy (fork, import) leaves no session that is not whole, and nothing that is in
 * the way of the same copy again (issue 5; C20: old or new, never mixed). The store as it stands on disk at each point is
 * what the next process finds.
 */
import { copyFileSync, existsSync, mkdirSync } from "node:fs"
import { dirname, join } from "node:path"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { newEventId, type SessionId } from "../../src/domain/Ids.ts"
import { localOwner, type Owner, sessionKey } from "../../src/domain/Principal.ts"
import * as Points from "../../src/observability/Points.ts"
import { store } from "../../src/runtime/SessionCopy.ts"
import { isAlive } from "../../src/sandbox/ProcessIdentity.ts"
import { Journal } from "../../src/store/Journal.ts"
import { SessionIndex } from "../../src/store/SessionIndex.ts"
import { examine, repair } from "../../src/store/sqlite/Repair.ts"
import { layerSqlite } from "../../src/store/sqlite/SqliteStore.ts"
import { tempDirectory } from "../support/tempStore.ts"

const id = "copy" as SessionId
const now = "2026-01-01T00:00:00.000Z"
const meta = { session_id: id, workspace: "/", title: "t", created_at: now, updated_at: now }
const COUNT = 20
const records = Array.from({ length: COUNT }, (_, i) => ({
  pos: i + 1,
  seq: i + 1,
  event_id: newEventId(),
  ts: now,
  body: { type: "cleared", up_to_seq: i } as const
}))
const DEAD = "process 2147483646@gone"
const somebody: Owner = { tenant: "acme", project: "p", user: "ada" }

const take = (from: string, to: string) => {
  mkdirSync(dirname(to), { recursive: true })
  for (const tail of ["", "-wal"]) if (existsSync(`${from}${tail}`)) copyFileSync(`${from}${tail}`, `${to}${tail}`)
}

/** The store at every point that is reached while `owner`'s copy is written by a process that is dead since. */
const stores = Effect.fnUntraced(function* (owner: Owner) {
  const directory = yield* tempDirectory
  const file = join(directory, "live", "claw.db")
  const found: Array<{ readonly point: string; readonly file: string }> = []
  yield* Effect.gen(function* () {
    yield* (yield* SessionIndex).list()
    Points.watch((point) => {
      const to = join(directory, String(found.length), "claw.db")
      take(file, to)
      found.push({ point, file: to })
    })
    yield* Effect.ensuring(
      store(owner, meta, records, DEAD),
      Effect.sync(() => Points.watch(undefined))
    )
  }).pipe(Effect.provide(layerSqlite(file)), Effect.scoped)
  assert.isAtLeast(found.length, 6)
  return found
})

/** How many facts the session has; undefined: it is not there. */
const facts = Effect.fnUntraced(function* (owner: Owner) {
  const known = yield* (yield* SessionIndex).for(owner).list()
  if (known.length === 0) return undefined
  const { records: read } = yield* (yield* Journal).readPublic(sessionKey(owner, id), 0)
  return read.length
})

for (const owner of [localOwner, somebody]) {
  it.live(`a copy of ${owner.user}'s is whole or not there, and can be written again`, () =>
    Effect.gen(function* () {
      for (const { file, point } of yield* stores(owner)) {
        yield* Effect.gen(function* () {
          const before = yield* facts(owner)
          assert.include([undefined, COUNT], before, point)
          if (before === undefined) yield* store(owner, meta, records)
          assert.strictEqual(yield* facts(owner), COUNT, point)
          const again = yield* Effect.flip(store(owner, meta, records))
          assert.strictEqual(again.code, "session_exists", point)
        }).pipe(Effect.provide(layerSqlite(file)), Effect.scoped)
      }
    }).pipe(Effect.scoped)
  )

  it.live(`what is left of one that is not whole goes with claw doctor --fix; a session stays (${owner.user})`, () =>
    Effect.gen(function* () {
      for (const { file, point } of yield* stores(owner)) {
        yield* repair(file, { isAlive, quarantine: `${file}.quarantine` })
        const { before, left } = yield* Effect.gen(function* () {
          const { records: kept } = yield* (yield* Journal).read(sessionKey(owner, id), 0)
          return { before: yield* facts(owner), left: kept.length }
        }).pipe(Effect.provide(layerSqlite(file)), Effect.scoped)
        assert.strictEqual(left, before ?? 0, point)
        assert.deepStrictEqual(yield* examine(file, isAlive), [], point)
      }
    }).pipe(Effect.scoped)
  )
}
