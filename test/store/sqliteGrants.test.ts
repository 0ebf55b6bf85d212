/** Grants on a disk: they outlive the process, are seen by others at once, and damage grants nothing (R151, T15, P12). */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Logger } from "effect"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { AuditLog } from "../../src/approval/AuditLog.ts"
import { GrantStore } from "../../src/approval/GrantStore.ts"
import type { GrantId } from "../../src/domain/Ids.ts"
import { sessionKey } from "../../src/domain/Principal.ts"
import { Journal, type JournalRecord } from "../../src/store/Journal.ts"
import { layerSqlite } from "../../src/store/sqlite/SqliteStore.ts"
import { ada, audited, grant, granted, resolved, s, used, writer } from "../support/decisions.ts"
import { storeChild } from "../support/childProcess.ts"
import { tempDirectory } from "../support/tempStore.ts"

const file = Effect.map(tempDirectory, (directory) => join(directory, "store.db"))

const active = Effect.flatMap(GrantStore, (grants) =>
  Effect.map(grants.for(ada).active(s, "bash"), (found) => found.map(({ grant_id }) => grant_id as string))
)

const change = (path: string, sql: string) => {
  const db = new DatabaseSync(path)
  try {
    db.exec(sql)
  } finally {
    db.close()
  }
}
const spoil = (path: string, sql: string) => Effect.sync(() => change(path, sql))

it.effect("a store opened anew has them; another that is open sees a revocation with its next read", () =>
  Effect.gen(function* () {
    const path = yield* file
    const given = Effect.flatMap(writer(ada), (write) => write(granted(grant("g1")), granted(grant("g2"))))
    yield* Effect.provide(given, layerSqlite(path))
    yield* Effect.gen(function* () {
      assert.deepStrictEqual(yield* active, ["g1", "g2"])
      const elsewhere = Effect.flatMap(GrantStore, ({ everyone }) => everyone.revoke("g1" as GrantId, "operator"))
      assert.isTrue(yield* Effect.provide(elsewhere, layerSqlite(path), { local: true }))
      assert.deepStrictEqual(yield* active, ["g2"])
    }).pipe(Effect.provide(layerSqlite(path)))
  })
)

it.live("a process that is killed leaves the grant and its decision, both (T15, R151)", () =>
  Effect.gen(function* () {
    const path = yield* file
    const child = yield* storeChild("give", path)
    assert.strictEqual(yield* child.line, "granted")
    yield* child.kill
    yield* Effect.gen(function* () {
      assert.deepStrictEqual(yield* audited(), ["1 decision ada allow_session"])
      assert.deepStrictEqual((yield* (yield* AuditLog).verify()).faults, [])
      const kept = yield* (yield* GrantStore).everyone.find("g1" as GrantId)
      assert.deepStrictEqual(kept, { ...ada, session_id: s, grant: grant("g1"), uses: 0 })
    }).pipe(Effect.provide(layerSqlite(path)))
  })
)

describe("a damaged row", () => {
  it.effect.each([
    ["its grant is another", `payload = replace(payload, 'npm', 'rm')`],
    ["it is no JSON", `payload = substr(payload, 1, 20)`],
    ["it is no grant", `payload = '{}'`],
    ["it lasts longer", `expires_at = '2999-01-01T00:00:00.000Z'`],
    ["it looks expired", `expires_at = '1900-01-01T00:00:00.000Z'`],
    ["its revocation is gone", `revoked_at = NULL, revoked_by = NULL`],
    ["it is another owner's", `owner = 'acme/web/ada/', session_id = 's'`]
  ] as ReadonlyArray<readonly [string, string]>)(
    "%s: it grants nothing, is told of once, and hides no other",
    ([, set]) =>
      Effect.gen(function* () {
        const path = yield* file
        const told: Array<unknown> = []
        const logger = Logger.make(({ message }) => void told.push(message))
        yield* Effect.gen(function* () {
          const grants = yield* GrantStore
          yield* (yield* writer(ada))(granted(grant("g2")))
          yield* (yield* writer({ ...ada, user: "eve" }))(granted(grant("g1")))
          if (set.includes("NULL")) yield* grants.everyone.revoke("g1" as GrantId, "bob")
          yield* spoil(path, `UPDATE grants SET ${set} WHERE grant_id = 'g1'`)
          yield* spoil(path, `UPDATE grants SET owner = 'acme/web/ada/' WHERE grant_id = 'g1'`)
          assert.deepStrictEqual([yield* active, yield* active], [["g2"], ["g2"]])
          const page = yield* grants.everyone.page()
          assert.deepStrictEqual([page.grants.length, page.damaged], [1, ["g1"]])
          assert.strictEqual(yield* grants.everyone.find("g1" as GrantId), "damaged")
          assert.isFalse(yield* grants.everyone.revoke("g1" as GrantId, "bob"))
          assert.deepStrictEqual(told, [["stored grants cannot be read and grant nothing", { grants: ["g1"] }]])
        }).pipe(Effect.provide(layerSqlite(path)), Effect.provide(Logger.layer([logger])))
      })
  )
})

it.effect(
  "a grant that its table refuses is told apart: nothing is stored, and the rest can be without it (SETTLED 8)",
  () =>
    Effect.gen(function* () {
      const path = yield* file
      yield* Effect.gen(function* () {
        const write = yield* writer(ada)
        yield* spoil(path, "CREATE TRIGGER no BEFORE INSERT ON grants BEGIN SELECT raise(ABORT, 'no'); END")
        const error = yield* Effect.flip(write(resolved(), granted(grant("g1"))))
        assert.deepStrictEqual([error.code, error.part], ["storage_unavailable", "grants"])
        const journal = yield* Journal
        assert.deepStrictEqual((yield* journal.read(sessionKey(ada, s), 0)).records, [])
        assert.deepStrictEqual([yield* active, yield* audited()], [[], []])
        yield* write(resolved())
        assert.deepStrictEqual(yield* audited(), ["1 decision ada allow_once"])
      }).pipe(Effect.provide(layerSqlite(path)))
    })
)

describe("a chain on a disk (T23)", () => {
  const six = Effect.gen(function* () {
    const write = yield* writer(ada)
    yield* write(granted(grant("g1")), used("g1"), resolved())
    yield* write(resolved(), resolved({ decision: "deny" }), resolved())
  })
  const loose = "DROP TRIGGER audit_is_not_changed; DROP TRIGGER audit_is_not_cut;"
  const cutHead = "UPDATE audit_head SET n = 5, hash = (SELECT hash FROM audit WHERE n = 5);"

  it.effect("may not be changed or cut by a statement of ours", () =>
    Effect.gen(function* () {
      const path = yield* file
      yield* Effect.provide(six, layerSqlite(path))
      for (const sql of ["DELETE FROM audit WHERE n = 6", "UPDATE audit SET line = '' WHERE n = 6"])
        assert.throws(() => change(path, sql), /only grows/)
    })
  )

  it.effect.each([
    ["nothing", "", []],
    ["a line", `${loose} UPDATE audit SET line = replace(line, 'allow_once', 'deny') WHERE n = 3`, ["changed 3"]],
    ["a column", `${loose} UPDATE audit SET owner = 'acme/web/eve/' WHERE n = 3`, ["changed 3", "unaudited"]],
    ["one cut out", `${loose} DELETE FROM audit WHERE n = 2`, ["missing 2", "unaudited"]],
    ["the last cut off", `${loose} DELETE FROM audit WHERE n = 6`, ["unaudited", "missing 6"]],
    ["the last cut off, and the head set back", `${loose} DELETE FROM audit WHERE n = 6; ${cutHead}`, ["unaudited"]],
    [
      "one put in",
      `INSERT INTO audit SELECT 7, owner, session_id, seq, tool_name, decision, at, line, hash FROM audit WHERE n = 6`,
      ["moved 7", "extra 7"]
    ],
    [
      "two exchanged",
      `${loose} UPDATE audit SET n = 9 WHERE n = 2; UPDATE audit SET n = 2 WHERE n = 3; UPDATE audit SET n = 3 WHERE n = 9`,
      ["moved 2", "moved 3", "changed 4"]
    ],
    ["the head gone", "DELETE FROM audit_head", ["changed 1", "anchor"]]
  ] as ReadonlyArray<readonly [string, string, ReadonlyArray<string>]>)("changed: %s", ([, sql, expected]) =>
    Effect.gen(function* () {
      const path = yield* file
      yield* Effect.provide(six, layerSqlite(path))
      if (sql !== "") yield* spoil(path, sql)
      const proof = yield* Effect.provide(
        Effect.flatMap(AuditLog, (audit) => audit.verify()),
        layerSqlite(path)
      )
      assert.deepStrictEqual(
        proof.faults.map(({ kind, n }) => [kind, ...(n === undefined ? [] : [n])].join(" ")),
        expected
      )
    })
  )
})

it.effect("hosts that a command asked for stand in the audit, reached or not, and the chain is whole (T7, R168)", () =>
  Effect.gen(function* () {
    const path = yield* file
    yield* Effect.gen(function* () {
      const [journal, key] = [yield* Journal, sessionKey(ada, s)]
      const { epoch } = yield* journal.claim(key, "writer")
      const at = { task_id: "task_1", turn: 1, call_id: "call_1", port: 443, times: 1 }
      const visits = [
        { ...at, host: "good.example" },
        { ...at, host: "evil.test", times: 3, refused: "not_listed" }
      ]
      const records = visits.map((visit, i) => ({
        pos: i + 1,
        event_id: `evt_${i + 1}`,
        ts: "1970-01-01T00:00:00.000Z",
        body: { type: "host_visited", ...visit }
      }))
      yield* journal.append(key, epoch, records as unknown as ReadonlyArray<JournalRecord>)
      const { entries } = yield* (yield* AuditLog).page({ tool: "network" })
      assert.deepStrictEqual(
        entries.map((one) => [one.kind, one.call_id, one.decision, one.via, one.rule, one.shown, one.reason]),
        [
          ["network", "call_1", "allow_once", "policy", "isolation.hosts", "good.example:443", undefined],
          ["network", "call_1", "deny", "policy", "isolation.hosts", "evil.test:443 (3 times)", "not_listed"]
        ]
      )
      assert.deepStrictEqual((yield* (yield* AuditLog).verify()).faults, [])
    }).pipe(Effect.provide(layerSqlite(path)))
  })
)
