/** `claw sessions` and `claw fork`: finding, naming, deleting, copying; and what became of a directory (issue 5; R044). */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { mkdirSync, renameSync } from "node:fs"
import { join } from "node:path"
import { fold } from "../../src/domain/Fold.ts"
import { newEventId, type SessionId } from "../../src/domain/Ids.ts"
import { localOwner, sessionKey } from "../../src/domain/Principal.ts"
import { initial } from "../../src/domain/Session.ts"
import { Journal } from "../../src/store/Journal.ts"
import { SessionIndex } from "../../src/store/SessionIndex.ts"
import { layerSqlite } from "../../src/store/sqlite/SqliteStore.ts"
import { stories } from "../support/commandKit.ts"

describe("claw sessions", () => {
  it.live("finds by title, prompt and answer, whatever the case, and says where", () =>
    Effect.gen(function* () {
      const { claw } = yield* stories()
      const found = yield* claw("sessions", "search", "mend", "the", "--json")
      assert.deepStrictEqual(found.json, [
        {
          session_id: "terminal-aa1",
          title: "title of terminal-aa1",
          updated_at: "2026-03-01T10:00:00.000Z",
          hits: [{ in: "prompt", seq: 1, text: "please MEND the heron" }]
        }
      ])
      const answers = yield* claw("sessions", "search", "BIRD is")
      assert.include(answers.out, "      11 answer: The bird is whole.\n")
      assert.include((yield* claw("sessions", "search", "of terminal-ab")).out, "terminal-ab2")
      assert.deepStrictEqual(
        yield* claw("sessions", "search", "unicorn").pipe(Effect.map(({ code, out }) => [code, out])),
        [0, ""]
      )
    }).pipe(Effect.scoped)
  )

  it.live("takes the start or the end of an id where it is one session's alone", () =>
    Effect.gen(function* () {
      const { claw } = yield* stories()
      const { out } = yield* claw("sessions", "show", "terminal-aa")
      assert.include(out, "terminal-aa1")
      for (const said of [
        "thinking           turn 1",
        "10 → 5 tokens",
        'bash {"command":"npm test"}',
        'tool_started       bash {"command":"npm test"}\n',
        "via user",
        "bash ok: "
      ])
        assert.include(out, said)
      assert.include((yield* claw("sessions", "show", "ab2")).out, "another thing")
      const both = yield* claw("sessions", "show", "terminal-a")
      assert.strictEqual(both.code, 2)
      assert.include(both.err, '"terminal-a" could be 2 sessions:')
      const none = yield* claw("sessions", "show", "zzz")
      assert.deepStrictEqual([none.code, none.err], [1, "claw: There is no session zzz. [session_not_found]\n"])
      assert.strictEqual((yield* claw("sessions", "what")).code, 2)
    }).pipe(Effect.scoped)
  )

  it.live("reads along with a process that writes, each event once, until the session is gone (SETTLED 16)", () =>
    Effect.gen(function* () {
      const { claw, file } = yield* stories()
      const id = "terminal-aa1" as SessionId
      const reading = yield* Effect.forkChild(claw("sessions", "show", "aa1", "--follow", "--json"))
      const before = (yield* claw("sessions", "show", "aa1", "--json")).json.length
      yield* Effect.gen(function* () {
        const [journal, index] = [yield* Journal, yield* SessionIndex]
        const { epoch, pos, seq } = yield* journal.claim(sessionKey(localOwner, id), "somebody else", () => true)
        for (let n = 1; n <= 3; n++) {
          const body = { type: "cleared", up_to_seq: seq } as const
          const record = { pos: pos + n, seq: seq + n, event_id: newEventId(), ts: "2026-01-01T00:00:00.000Z", body }
          yield* journal.append(sessionKey(localOwner, id), epoch, [record])
        }
        // Long enough for a look, then it is deleted, which ends the reader.
        yield* Effect.sleep(1_200)
        yield* index.remove(id, () => true)
      }).pipe(Effect.provide(layerSqlite(file)))
      const { code, json } = yield* Fiber.join(reading)
      assert.deepStrictEqual(
        [code, json.map(({ seq }) => seq)],
        [0, Array.from({ length: before + 3 }, (_, i) => i + 1)]
      )
    }).pipe(Effect.scoped)
  )

  it.live("a session of the same id that is made in its place is not read along with", () =>
    Effect.gen(function* () {
      const { claw, file } = yield* stories()
      const id = "terminal-aa1" as SessionId
      const before = (yield* claw("sessions", "show", "aa1", "--json")).json.length
      const reading = yield* Effect.forkChild(claw("sessions", "show", "aa1", "--follow", "--json"))
      yield* Effect.gen(function* () {
        const [journal, index] = [yield* Journal, yield* SessionIndex]
        // It has read what there is.
        yield* Effect.sleep(700)
        const meta = yield* index.get(id)
        yield* index.remove(id, () => true)
        const now = "2026-05-05T05:05:05.000Z"
        yield* index.create({ ...meta, created_at: now, updated_at: now })
        const key = sessionKey(localOwner, id)
        const { epoch } = yield* journal.claim(key, "somebody else", () => true)
        const records = Array.from({ length: before + 3 }, (_, n) => ({
          pos: n + 1,
          seq: n + 1,
          event_id: newEventId(),
          ts: now,
          body: { type: "cleared", up_to_seq: 0 } as const
        }))
        yield* journal.append(key, epoch, records)
      }).pipe(Effect.provide(layerSqlite(file)))
      const { code, json } = yield* Fiber.join(reading)
      assert.deepStrictEqual([code, json.length], [0, before])
    }).pipe(Effect.scoped)
  )

  it.live("renames, and refuses what is no title", () =>
    Effect.gen(function* () {
      const { claw, list } = yield* stories()
      const named = yield* claw("sessions", "rename", "aa1", "The", "heron", "--json")
      assert.deepStrictEqual([named.json[0].title, named.json[0].workspace_state], ["The heron", "there"])
      assert.strictEqual((yield* claw("sessions", "rename", "aa1", "two\nlines")).code, 2)
      assert.strictEqual((yield* claw("sessions", "rename", "aa1", "  ")).code, 2)
      assert.include(
        (yield* list()).map(({ title }) => title),
        "The heron"
      )
    }).pipe(Effect.scoped)
  )

  it.live("deletes with --yes alone, and nothing that a living process has", () =>
    Effect.gen(function* () {
      const { claw, list } = yield* stories()
      const unasked = yield* claw("sessions", "delete", "aa1")
      assert.deepStrictEqual([unasked.code, unasked.out], [2, ""])
      assert.include(unasked.err, "claw sessions delete terminal-aa1 --yes")
      const held = yield* claw("sessions", "delete", "held", "--yes")
      assert.strictEqual(held.code, 1)
      assert.match(held.err, /open in another claw \(process \d+\).*\[session_moved\]/)
      assert.strictEqual((yield* list()).length, 3)
      assert.deepStrictEqual((yield* claw("sessions", "delete", "aa1", "--yes", "--json")).json, [
        { deleted: "terminal-aa1" }
      ])
      assert.deepStrictEqual(
        (yield* list()).map(({ session_id }) => session_id),
        ["terminal-held", "terminal-ab2"]
      )
    }).pipe(Effect.scoped)
  )

  it.live("says of a directory that it is gone, or another one", () =>
    Effect.gen(function* () {
      const { claw, workspace } = yield* stories()
      const states = () => Effect.map(claw("sessions", "--json"), ({ json }) => json.map((one) => one.workspace_state))
      assert.deepStrictEqual(yield* states(), ["there", "there", "there"])
      const moved = `${workspace}-moved`
      renameSync(workspace, moved)
      assert.deepStrictEqual(yield* states(), ["gone", "gone", "gone"])
      assert.include(
        (yield* claw("sessions", "show", "aa1")).err,
        "is gone: it was moved or deleted. To go on elsewhere: claw fork"
      )
      const resumed = yield* claw("--resume", "aa1", "--cwd", moved, "--provider", "demo")
      assert.strictEqual(resumed.code, 1)
      assert.include(resumed.err, "[workspace_unreadable]")
      const [{ session_id = "" } = {}] = (yield* claw("sessions", "--json")).json
      const run = yield* claw("run", "--session", String(session_id), "--cwd", moved, "--provider", "demo", "hello")
      assert.strictEqual(run.code, 1)
      assert.match(run.err, /was moved or deleted[^]*claw fork \S+ --cwd DIR/)
      mkdirSync(workspace)
      assert.deepStrictEqual(yield* states(), ["replaced", "replaced", "replaced"])
      renameSync(moved, join(workspace, "inside"))
    }).pipe(Effect.scoped)
  )
})

describe("claw fork", () => {
  it.live("copies up to a point, in the session's directory or another, and is free", () =>
    Effect.gen(function* () {
      const { claw, list, workspace } = yield* stories()
      const forked = (yield* claw("fork", "aa1", "--at", "6", "--json")).json[0]
      assert.match(forked.session_id, /^fork-/)
      assert.deepStrictEqual([forked.workspace, forked.title], [workspace, "title of terminal-aa1"])
      const facts = (yield* claw("sessions", "show", forked.session_id, "--json")).json
      assert.deepStrictEqual(
        facts.slice(6).map(({ type }) => type),
        ["approval_resolved", "tool_result", "task_canceled"]
      )
      assert.strictEqual(facts.at(-1).reason, "forked")
      const state = facts.reduce((folded, body) => fold(folded, body), initial)
      assert.strictEqual(state.task, undefined)
      const elsewhere = join(workspace, "else")
      mkdirSync(elsewhere)
      assert.strictEqual((yield* claw("fork", "aa1", "--cwd", elsewhere, "--json")).json[0].workspace, elsewhere)
      const newest = (yield* claw("fork", "--json")).json[0]
      assert.strictEqual(newest.workspace, workspace)
      const before = (yield* list()).length
      const ahead = yield* claw("fork", "aa1", "--at", "99")
      assert.deepStrictEqual([ahead.code, ahead.err.includes("[position_ahead]")], [1, true])
      assert.strictEqual((yield* claw("fork", "aa1", "--at", "x")).code, 2)
      assert.strictEqual((yield* list()).length, before)
      assert.match((yield* claw("fork", "aa1")).out, /^fork-[0-9a-f-]+\n$/)
    }).pipe(Effect.scoped)
  )
})
