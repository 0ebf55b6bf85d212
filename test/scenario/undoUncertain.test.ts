/**
 * A task that was killed in a command, behind another one that ended: `/undo` takes back what is certain and names the
 * rest, and `/undo uncertain` takes back that rest, not another task's work (issue 5).
 */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import type { PrivateBody } from "../../src/domain/Event.ts"
import { newEventId } from "../../src/domain/Ids.ts"
import { localOwner, sessionKey } from "../../src/domain/Principal.ts"
import { RuntimeManager } from "../../src/runtime/RuntimeManager.ts"
import { Journal } from "../../src/store/Journal.ts"
import { SessionIndex } from "../../src/store/SessionIndex.ts"
import * as FakeModel from "../support/fakeModel.ts"
import { calls, text } from "../support/fakeModelScript.ts"
import { answering, folder, layer, newSession, repository } from "../support/realSession.ts"

const bash = (id: string, command: string) => ({ id, name: "bash", arguments: JSON.stringify({ command }) })

it.live("what /undo leaves as uncertain is what /undo uncertain takes back", () =>
  Effect.gen(function* () {
    const model = yield* FakeModel.make()
    const workspace = yield* repository({ a: "old\n", b: "old\n", c: "old\n" })
    const state = yield* folder("claw-state-")
    const now = () => ["a", "b", "c"].map((name) => readFileSync(join(workspace, name), "utf8").trim()).join(" ")
    const process_ = layer({ base_url: model.base_url, workspace, state, flags: { isolation: { mode: "off" } } })
    const within = <A, E, R>(use: Effect.Effect<A, E, R>) => use.pipe(Effect.scoped, Effect.provide(process_))
    model.script(calls([bash("c1", "echo ONE > a")]), text("Done."))
    model.script(calls([bash("c2", "echo TWO > b")]), calls([bash("c3", "echo THREE > c")]), text("Done."))
    const id = yield* Effect.gen(function* () {
      const session = yield* newSession(workspace)
      yield* answering(session, "allow_once")
      for (const content of ["one", "two"]) yield* (yield* session.prompt({ content })).task!.await
      return session.session_id
    }).pipe(within)

    // The last step is told once more by a copy that says: the process died in it.
    const key = sessionKey(localOwner, id)
    const stored = yield* Effect.gen(function* () {
      const journal = yield* Journal
      const { records } = yield* journal.read(key, 0)
      const fork = sessionKey(localOwner, "killed" as typeof id)
      const tail = yield* journal.claim(fork, "test")
      const last = records.findLast(({ body }) => body.type === "checkpoint")
      const cut = records.map((record) => {
        const body =
          record === last ? ({ ...(record.body as PrivateBody), uncertain: true } as PrivateBody) : record.body
        return { ...record, event_id: newEventId(), body }
      })
      yield* journal.append(fork, tail.epoch, cut, "copy")
      yield* journal.release(fork, tail.epoch)
      return "killed" as typeof id
    }).pipe(within)

    yield* Effect.gen(function* () {
      const manager = yield* RuntimeManager
      const meta = { session_id: stored, workspace, title: "", created_at: "", updated_at: "" }
      const index = yield* SessionIndex
      yield* index.create(meta)
      const session = yield* manager.open(stored)
      const partly = yield* session.restore("undo")
      assert.deepStrictEqual([partly.files, partly.kept], [["b"], [{ path: "c", reason: "uncertain" }]])
      assert.strictEqual(now(), "ONE old THREE")
      assert.deepStrictEqual((yield* session.restore("undo", { uncertain: true })).files, ["c"])
      assert.strictEqual(now(), "ONE old old")
      yield* session.restore("redo")
      assert.strictEqual(now(), "ONE old THREE")
      yield* session.restore("redo")
      assert.strictEqual(now(), "ONE TWO THREE")
      yield* session.restore("undo")
      // Something else to ask than its rest.
      assert.deepStrictEqual((yield* session.restore("undo")).files, ["a"])
    }).pipe(within)
  }).pipe(Effect.scoped)
)
