/** Stores of every released format open, whole, and are written on with (R050, SETTLED 23). The fixtures were made by the claws of their time. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { AuditLog } from "../../src/approval/AuditLog.ts"
import { GrantStore } from "../../src/approval/GrantStore.ts"
import { fold } from "../../src/domain/Fold.ts"
import { type Owner, sessionKey } from "../../src/domain/Principal.ts"
import { initial } from "../../src/domain/Session.ts"
import { Journal } from "../../src/store/Journal.ts"
import { SessionIndex } from "../../src/store/SessionIndex.ts"
import { migrations } from "../../src/store/sqlite/schema.ts"
import { layerSqlite } from "../../src/store/sqlite/SqliteStore.ts"
import { TokenStore } from "../../src/store/TokenStore.ts"
import { audited } from "../support/decisions.ts"
import { meta, readAll, sessionId } from "../support/storeRecords.ts"
import { tempDirectory } from "../support/tempStore.ts"

/** The released first step, in short. It may never change: stores made by it are out there. */
const FIRST = "12918b0bd2b6b25d"

/** The steps that were released after it, likewise. */
const LATER = [
  "a8b12606387246ca",
  "31b9bce3793c2da2",
  "96fad1c59dd1dd61",
  "f3e35af725bb0bff",
  "bd1091ea1609d60d",
  "f29704372b4e6d1e",
  "55978b27e1ea1186"
]

const digest = async (text: string) =>
  Buffer.from(await crypto.subtle.digest("SHA-256", Buffer.from(text))).toString("hex")

it.effect("has not edited a released step", () =>
  Effect.gen(function* () {
    const found = yield* Effect.forEach(migrations.slice(0, 8), (step) => Effect.promise(() => digest(step)))
    assert.deepStrictEqual(
      found.map((text) => text.slice(0, FIRST.length)),
      [FIRST, ...LATER]
    )
  })
)

/** The store that the claw of this format left. */
const storeOf = Effect.fnUntraced(function* (format: number) {
  const file = join(yield* tempDirectory, "store.db")
  const db = new DatabaseSync(file)
  db.exec(readFileSync(new URL(`./fixtures/format-${format}.sql`, import.meta.url), "utf8"))
  // Older versions wrote `bypass` too; nobody who comes back to such a session has it (R273).
  db.exec("UPDATE sessions SET mode = 'bypass' WHERE session_id = 'bare'")
  db.close()
  return file
})

const eve: Owner = { tenant: "acme", project: "web", user: "eve" }
const older = { workspace: "/home/ada/project" }
const told = { ...older, title: "title of s", model: "m-1", mode: "ask", updated_at: "2026-03-01T10:00:02.000Z" }

const sessionsAndRecords = Effect.gen(function* () {
  const [index, journal] = [yield* SessionIndex, yield* Journal]
  assert.deepStrictEqual(yield* index.list(), [meta("s", told), meta("bare", older)])
  const spent = { input_tokens: 20, output_tokens: 10, cached_tokens: 0, reasoning_tokens: 0, cost_usd: null }
  const ids = [sessionId("s"), sessionId("bare")]
  assert.deepStrictEqual(yield* index.spentBy(ids), new Map([[sessionId("s"), spent]]))
  assert.deepStrictEqual(yield* index.spentDays, [{ day: "2026-03-01", usage: spent }])
  assert.deepStrictEqual(yield* index.spentModels, [{ day: "2026-03-01", model: "", usage: spent }])
  const { records, damaged } = yield* readAll(sessionId("s"))
  assert.deepStrictEqual([records.length, damaged], [15, []])
  assert.deepStrictEqual(
    records.filter(({ seq }) => seq === undefined).map(({ body }) => body.type),
    ["process_started"]
  )
  const state = records.reduce(
    (folded, { body, seq }) => (seq === undefined ? folded : fold(folded, body as never)),
    initial
  )
  assert.deepStrictEqual(
    [state.seq, state.task?.task_id, state.usage],
    [14, "task_2", { input_tokens: 20, output_tokens: 10 }]
  )
  assert.strictEqual(records[0]?.body.type === "task_started" && records[0].body.content, "mend the heron 鷺")
  assert.deepStrictEqual(yield* journal.unfinished, [sessionId("s")])
  const { epoch } = yield* journal.claim(sessionId("s"), "now", () => true)
  assert.strictEqual(epoch, 2)
  const last = { pos: 16, seq: 15, event_id: "evt_new", ts: "2026-03-01T11:00:00.000Z" }
  const cleared = { ...last, body: { type: "cleared", up_to_seq: 14 } } as never
  yield* journal.append(sessionId("s"), epoch, [cleared])
  assert.strictEqual((yield* readAll(sessionId("s"))).records.length, 16)
  assert.strictEqual(yield* index.nextNumber("tcp"), 42)
  assert.isAbove((yield* journal.claim(sessionId("gone"), "again")).epoch, 1)
  yield* index.remove(sessionId("bare"), () => true)
  assert.deepStrictEqual(
    (yield* index.list()).map(({ session_id }) => session_id),
    ["s"]
  )
})

const othersAndTokens = (format: number) =>
  Effect.gen(function* () {
    const index = (yield* SessionIndex).for(eve)
    const titles = (yield* index.list()).map(({ title }) => title)
    assert.deepStrictEqual(titles, format >= 2 ? ["eve's"] : [])
    if (format >= 2) assert.strictEqual((yield* (yield* Journal).claim(sessionKey(eve, sessionId("s")), "z")).epoch, 2)
    const tokens = yield* (yield* TokenStore).list
    assert.deepStrictEqual(
      tokens.map(({ name, role, user }) => [name, role, user]),
      format >= 3 ? [["ci", "member", "eve"]] : []
    )
  })

/** Grants of before there was a table for them ended with their process; decisions begin the audit. */
const decisions = (format: number) =>
  Effect.gen(function* () {
    const grants = (yield* (yield* GrantStore).everyone.page()).grants.map(({ grant }) => grant.grant_id)
    assert.deepStrictEqual<ReadonlyArray<string>>(grants, format >= 4 ? ["grant_1"] : [])
    const { faults } = yield* (yield* AuditLog).verify()
    assert.deepStrictEqual(faults, [])
    assert.include(yield* audited(), `1 decision local allow_session`)
  })

describe("a store of an earlier format", () => {
  it.live.each([1, 2, 3, 4, 5, 6])("format %i opens with all that was in it", (format) =>
    Effect.gen(function* () {
      const file = yield* storeOf(format)
      const layer = layerSqlite(file)
      yield* Effect.provide(Effect.andThen(decisions(format), othersAndTokens(format)), layer)
      // The second start finds the newest format and moves nothing.
      yield* Effect.provide(sessionsAndRecords, layer)
      const db = new DatabaseSync(file)
      const value = (sql: string) => Object.values(db.prepare(sql).get() ?? {})[0]
      assert.deepStrictEqual([value("PRAGMA user_version"), value("PRAGMA integrity_check")], [migrations.length, "ok"])
      db.close()
    }).pipe(Effect.scoped)
  )
})
