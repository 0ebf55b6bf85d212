/** Repair and retention of a store on a disk (issue 5; R323; RELIABILITY 3.5). */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { chmodSync, existsSync, readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import type { SessionId } from "../../src/domain/Ids.ts"
import { sessionKey, localOwner } from "../../src/domain/Principal.ts"
import { Journal } from "../../src/store/Journal.ts"
import { compact } from "../../src/store/sqlite/Compact.ts"
import { commandKit, stories } from "../support/commandKit.ts"
import type { Json } from "../support/httpKit.ts"
import { mode, sql } from "../support/storeFile.ts"
import { publicRecord } from "../support/storeRecords.ts"
import { story, tell } from "../support/story.ts"

const words = { prompt: "mend the heron", result: "1 passing", answer: "It is whole." }
describe("claw doctor --fix", () => {
  const stores = (out: string): ReadonlyArray<Json> =>
    JSON.parse(out).findings.filter(({ name }: Json) => name === "store")

  it.live("moves damaged records out, releases dead holders, and shuts what others could read", () =>
    Effect.gen(function* () {
      const { claw, file, state_dir, store, workspace } = yield* stories({ isolation: { mode: "off" } })
      yield* Effect.provide(
        tell("dead", story(words, "grant_d"), { workspace, holder: "process 999999@1@boot" }),
        store
      )
      yield* sql(
        file,
        "UPDATE journal_records SET payload = replace(payload, 'heron', 'crane') WHERE session = 1 AND pos = 1"
      )
      chmodSync(file, 0o644)
      const before = yield* claw("doctor", "--json", "--provider", "demo")
      const found = stores(before.out)
      assert.strictEqual(found.length, 3)
      assert.include(found[0].detail, "Others on this machine may read")
      assert.include(found[1].detail, "1 record is damaged and cannot be read. Where they may still count")
      assert.match(found[1].detail, /their session can only be read\. Mend it: claw doctor --fix$/)
      assert.include(found[2].detail, "1 session is held by processes that are gone.")
      assert.strictEqual(before.code, 1)
      chmodSync(file, 0o644)
      const mended = stores((yield* claw("doctor", "--fix", "--json", "--provider", "demo")).out)
      assert.deepStrictEqual(
        mended.map(({ status }) => status),
        ["ok", "ok", "ok"]
      )
      assert.strictEqual(mode(file), 0o600)
      const quarantined = readdirSync(state_dir).filter((name) => name.startsWith("quarantine-"))
      assert.strictEqual(quarantined.length, 1)
      const [row] = readFileSync(join(state_dir, quarantined[0] ?? ""), "utf8")
        .trim()
        .split("\n")
      const { session_id, pos, payload } = JSON.parse(row ?? "{}")
      assert.deepStrictEqual(
        [session_id, pos, JSON.parse(payload).content],
        ["terminal-aa1", 1, "please MEND the crane"]
      )
      assert.strictEqual(mode(join(state_dir, quarantined[0] ?? "")), 0o600)
      const clean = stores((yield* claw("doctor", "--json", "--provider", "demo")).out)
      assert.deepStrictEqual(clean, [{ name: "store", status: "ok", detail: file }])
      const shown = yield* claw("sessions", "show", "aa1")
      assert.deepStrictEqual(
        [shown.code, shown.err],
        [1, "claw: 1 record of this session cannot be read; the conversation goes on without it.\n"]
      )
      assert.strictEqual((yield* claw("sessions", "delete", "held", "--yes")).code, 1)
      assert.strictEqual((yield* claw("fork", "aa1", "--json")).code, 1)
    }).pipe(Effect.scoped)
  )
})

describe("claw sessions prune", () => {
  const filled = Effect.fnUntraced(function* (retention: object) {
    const kit = yield* commandKit({ retention })
    const { store, workspace } = kit
    const at = (days: number) => ({ workspace, updated_at: new Date(Date.now() - days * 86_400_000).toISOString() })
    yield* Effect.provide(
      Effect.gen(function* () {
        yield* tell("young", story(words, "g1"), at(1))
        yield* tell("old", story(words, "g2"), at(40))
        yield* tell("running", story(words, "g3").slice(0, 6), at(50))
      }),
      store
    )
    return kit
  })

  it.live("removes nothing by default; what is beyond a limit with it, and only says so with --dry-run", () =>
    Effect.gen(function* () {
      const kept = yield* filled({})
      const all = yield* kept.claw("sessions", "prune")
      const keeps = "claw: nothing is removed: set retention.days, retention.max_sessions or retention.max_bytes.\n"
      assert.deepStrictEqual([all.code, all.out, all.err], [0, "", keeps])
      assert.strictEqual((yield* kept.claw("sessions", "prune", "--dry-run")).err, keeps)
      const { claw } = yield* filled({ days: 30 })
      const dry = (yield* claw("sessions", "prune", "--dry-run", "--json")).json
      assert.deepStrictEqual(
        dry.map(({ session_id, because, removed }) => [session_id, because, removed]),
        [["old", "days", false]]
      )
      assert.strictEqual((yield* claw("sessions", "--json")).json.length, 3)
      const done = (yield* claw("sessions", "prune", "--json")).json
      assert.deepStrictEqual([done[0].session_id, done[0].removed, done.at(-1).removed], ["old", true, 1])
      assert.deepStrictEqual(
        (yield* claw("sessions", "--json")).json.map(({ session_id }) => session_id),
        ["young", "running"]
      )
      assert.strictEqual(
        (yield* claw("sessions", "prune", "--dry-run")).err,
        "claw: 1 session stays beyond the limits: open elsewhere, or with a task that can go on.\nclaw: 0 sessions would be removed.\n"
      )
      assert.strictEqual((yield* claw("audit", "--verify")).code, 0)
    }).pipe(Effect.scoped)
  )

  it.live("space goes back in steps while another writes, and that one's records are whole", () =>
    Effect.gen(function* () {
      const { claw, file, store, workspace } = yield* commandKit()
      const large = Array.from({ length: 60 }, () => ({ ...story(words)[0]!, content: "x".repeat(20_000) }))
      yield* Effect.provide(tell("large", large, { workspace }), store)
      const key = yield* Effect.provide(tell("live", [], { workspace }), store)
      yield* claw("sessions", "delete", "large", "--yes")
      const before = statSync(file).size
      const done = yield* Effect.provide(
        Effect.gen(function* () {
          const journal = yield* Journal
          const { epoch } = yield* journal.claim(key, "writer", () => true)
          const writing = Effect.gen(function* () {
            for (let i = 1; i <= 50; i++) yield* journal.append(key, epoch, [publicRecord(i, i)])
          })
          const [given] = yield* Effect.all([compact(file), writing], { concurrency: 2 })
          const page = yield* journal.read(sessionKey(localOwner, "live" as SessionId), 0)
          assert.deepStrictEqual([page.records.length, page.damaged], [50, []])
          return given
        }),
        store
      )
      assert.deepStrictEqual([done.how, done.free], ["steps", 0])
      assert.isBelow(statSync(file).size, before / 4)
      assert.isFalse(existsSync(`${file}-journal`))
    }).pipe(Effect.scoped)
  )

  it.live(
    "a store of an older claw is made anew where nobody else has it open, and gives back in steps from then on",
    () =>
      Effect.gen(function* () {
        const { claw, file, store, workspace } = yield* commandKit()
        const large = Array.from({ length: 60 }, () => ({ ...story(words)[0]!, content: "x".repeat(20_000) }))
        yield* Effect.provide(tell("large", large, { workspace }), store)
        yield* claw("sessions", "delete", "large", "--yes")
        yield* sql(file, "PRAGMA journal_mode = DELETE; PRAGMA auto_vacuum = NONE; VACUUM")
        yield* Effect.provide(tell("more", large, { workspace }), store)
        yield* claw("sessions", "delete", "more", "--yes")
        const busy = yield* Effect.provide(Effect.andThen(Journal, compact(file)), store)
        assert.deepStrictEqual([busy.how, busy.bytes_after], ["in_use", busy.bytes_before])
        const alone = yield* compact(file)
        assert.deepStrictEqual([alone.how, alone.free], ["anew", 0])
        assert.isBelow(alone.bytes_after, alone.bytes_before / 4)
        yield* Effect.provide(tell("again", large, { workspace }), store)
        yield* claw("sessions", "delete", "again", "--yes")
        assert.strictEqual((yield* compact(file)).how, "steps")
      }).pipe(Effect.scoped)
  )
})
