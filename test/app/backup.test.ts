/** Backup and restore of a store on a disk (issue 5; R323; RELIABILITY 3.5). */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { existsSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import * as Points from "../../src/observability/Points.ts"
import { Journal } from "../../src/store/Journal.ts"
import { commandKit, stories } from "../support/commandKit.ts"
import { mode, sql } from "../support/storeFile.ts"

describe("claw backup and restore", () => {
  it.live("a backup of a store in use is one file of its own, whole, and brings all of it back", () =>
    Effect.gen(function* () {
      const { claw, file, store, workspace } = yield* stories()
      const copy = join(workspace, "claw.backup")
      const made = yield* Effect.provide(Effect.andThen(Journal, claw("backup", copy, "--json")), store)
      assert.deepStrictEqual(made.json, [
        { backup: copy, format: 9, bytes: statSync(copy).size, sessions: 3, records: 26, audit_entries: 2 }
      ])
      assert.deepStrictEqual([mode(copy), readdirSync(workspace)], [0o600, ["claw.backup"]])
      const again = yield* claw("backup", copy)
      assert.deepStrictEqual([again.code, again.err.includes("exists already")], [1, true])
      yield* claw("sessions", "delete", "aa1", "--yes")
      yield* claw("sessions", "rename", "ab2", "changed since")
      const back = (yield* claw("restore", copy, "--yes", "--json")).json[0]
      assert.deepStrictEqual([back.sessions, back.records, back.grants_ended], [3, 26, 2])
      const listed = (yield* claw("sessions", "--json")).json
      assert.deepStrictEqual(
        listed.map(({ title }) => title),
        ["title of terminal-held", "title of terminal-ab2", "title of terminal-aa1"]
      )
      assert.strictEqual((yield* claw("audit", "--verify")).code, 0)
      assert.strictEqual((yield* claw("grants", "list")).out, "")
      assert.strictEqual(mode(file), 0o600)
      const kept = new DatabaseSync(back.kept, { readOnly: true })
      assert.deepStrictEqual<unknown>(
        kept.prepare("SELECT title FROM sessions WHERE session_id = 'terminal-ab2'").all(),
        [Object.assign(Object.create(null), { title: "changed since" })]
      )
      kept.close()
    }).pipe(Effect.scoped)
  )

  it.live("a backup has its name only once it is whole, and what a killed one left goes with the next", () =>
    Effect.gen(function* () {
      const { claw, file, workspace } = yield* stories()
      const [copy, state] = [join(workspace, "claw.backup"), dirname(file)]
      const [gone, alive] = [2 ** 31 - 2, process.ppid]
      const left = [`backup-${gone}.part`, `backup-${gone}.part-wal`].map((name) => join(state, name))
      const half = `${copy}.${gone}.claw-part`
      const kept = [join(state, `backup-${alive}.part`), `${copy}.mine.claw-part`, `${copy}.${alive}.claw-part`]
      for (const path of [...left, half, ...kept]) writeFileSync(path, "half")
      const there: Array<boolean> = []
      Points.watch((point) => {
        if (point === "new file arriving") there.push(existsSync(copy))
      })
      const { code } = yield* Effect.ensuring(
        claw("backup", copy),
        Effect.sync(() => Points.watch(undefined))
      )
      assert.deepStrictEqual([code, there], [0, [false]])
      assert.deepStrictEqual([...left, half].filter(existsSync), [])
      assert.deepStrictEqual(kept.filter(existsSync), kept)
      assert.strictEqual(mode(copy), 0o600)
      assert.deepStrictEqual(
        readdirSync(state).filter((name) => name.startsWith("backup-")),
        [`backup-${alive}.part`]
      )
    }).pipe(Effect.scoped)
  )

  it.live("a place that is none, and a file that is no backup, are told as such", () =>
    Effect.gen(function* () {
      const { claw, workspace } = yield* stories()
      const nowhere = yield* claw("backup", join(workspace, "no", "such"))
      assert.include(nowhere.err, "Check that its directory exists")
      const other = join(workspace, "notes.txt")
      writeFileSync(other, "milk, bread\n".repeat(500))
      const refused = yield* claw("restore", other, "--yes")
      assert.include(refused.err, `${other} is no backup of claw's, or it is damaged. Nothing was changed.`)
      for (const { code, err } of [nowhere, refused]) {
        assert.strictEqual(code, 1)
        assert.notMatch(err, /ENOENT|copyfile|Move it away/)
      }
    }).pipe(Effect.scoped)
  )

  it.live("a restore is refused while another has the store open, and changes nothing", () =>
    Effect.gen(function* () {
      const { claw, file, store, workspace } = yield* stories()
      const copy = join(workspace, "claw.backup")
      yield* claw("backup", copy)
      yield* claw("sessions", "rename", "aa1", "kept")
      const refused = yield* Effect.provide(Effect.andThen(Journal, claw("restore", copy, "--yes")), store)
      assert.strictEqual(refused.code, 1)
      assert.include(refused.err, "is in use by another claw")
      assert.include((yield* claw("sessions")).out, "kept")
      assert.strictEqual((yield* claw("restore", copy)).code, 2)
      assert.deepStrictEqual(
        readdirSync(join(file, "..")).filter((name) => name.includes("restore")),
        []
      )
    }).pipe(Effect.scoped)
  )

  const spoil: ReadonlyArray<readonly [string, (file: string) => Effect.Effect<void>, string]> = [
    ["is no database", (file) => Effect.sync(() => writeFileSync(file, "x".repeat(5000))), "is no backup of claw's"],
    ["is cut short", (file) => Effect.sync(() => truncateSync(file, 8192)), "damaged"],
    [
      "has an audit that was rewritten",
      (file) => sql(file, "DROP TRIGGER audit_is_not_changed; UPDATE audit SET line = replace(line, 'bash', 'sh')"),
      "Its audit is not whole"
    ],
    ["is another program's", (file) => sql(file, "PRAGMA application_id = 7"), "another program"],
    ["is a newer claw's", (file) => sql(file, "PRAGMA user_version = 99"), "newer claw"]
  ]
  it.live.each(spoil)("a file that %s is refused, and the store is as it was", ([, change, sentence]) =>
    Effect.gen(function* () {
      const { claw, workspace } = yield* stories()
      const copy = join(workspace, "claw.backup")
      yield* claw("backup", copy)
      yield* change(copy)
      const refused = yield* claw("restore", copy, "--yes")
      assert.strictEqual(refused.code, 1)
      assert.include(refused.err, sentence)
      assert.strictEqual((yield* claw("sessions", "--json")).json.length, 3)
    }).pipe(Effect.scoped)
  )

  it.live("comes to a machine that has no store, and takes the place of one that cannot be read", () =>
    Effect.gen(function* () {
      const { claw, workspace } = yield* stories()
      const copy = join(workspace, "claw.backup")
      yield* claw("backup", copy)
      const other = yield* commandKit()
      const first = (yield* other.claw("restore", copy, "--yes", "--json")).json[0]
      assert.deepStrictEqual([first.sessions, first.kept, mode(other.file)], [3, undefined, 0o600])
      writeFileSync(other.file, "this was a store once")
      const second = (yield* other.claw("restore", copy, "--yes", "--json")).json[0]
      assert.strictEqual(readFileSync(second.kept, "utf8"), "this was a store once")
      assert.strictEqual((yield* other.claw("sessions", "--json")).json.length, 3)
      const missing = yield* other.claw("restore", join(workspace, "none"), "--yes")
      assert.deepStrictEqual([missing.code, missing.err.includes("There is no file")], [1, true])
    }).pipe(Effect.scoped)
  )
})
