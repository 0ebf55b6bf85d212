/**
 * A process that died behind the intent of an undo, before or amid its files: the next one finishes it when it opens the
 * session, tells it once, and goes on from there (issue 5; I of RELIABILITY 3.2: nothing half done is left).
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
import { build } from "../support/checkpointKit.ts"
import * as FakeModel from "../support/fakeModel.ts"
import { calls, text } from "../support/fakeModelScript.ts"
import { answering, folder, layer, newSession, repository } from "../support/realSession.ts"

type Step = Extract<PrivateBody, { readonly type: "checkpoint" }>

it.live("an undo that was intended is done by the next process", () =>
  Effect.gen(function* () {
    const model = yield* FakeModel.make()
    const workspace = yield* repository({ a: "one\n", b: "two\n" })
    const state = yield* folder("claw-state-")
    const read = (path: string) => readFileSync(join(workspace, path), "utf8")
    const process_ = layer({ base_url: model.base_url, workspace, state, flags: { isolation: { mode: "off" } } })
    const command = JSON.stringify({ command: "echo ONE > a; echo TWO > b" })
    model.script(calls([{ id: "c1", name: "bash", arguments: command }]), text("Done."))

    const id = yield* Effect.gen(function* () {
      const session = yield* newSession(workspace)
      yield* answering(session, "allow_once")
      const { task } = yield* session.prompt({ content: "go" })
      yield* task!.await
      return session.session_id
    }).pipe(Effect.scoped, Effect.provide(process_))

    const key = sessionKey(localOwner, id)
    yield* Effect.gen(function* () {
      const journal = yield* Journal
      const { records } = yield* journal.read(key, 0)
      const step = records.map(({ body }) => body).find((body): body is Step => body.type === "checkpoint")
      assert.isDefined(step)
      const base = join(state, "claw", "checkpoints")
      const checkpoints = yield* build({ base, workspace, session: key })
      const { plan } = yield* checkpoints.plan({ direction: "undo", steps: [step as Step], uncertain: false })
      const tail = yield* journal.claim(key, "a process that dies", () => false)
      const body = {
        type: "restore_started",
        direction: "undo",
        restored_task_id: (step as Step).task_id,
        plan
      } as const
      const ts = new Date().toISOString()
      yield* journal.append(key, tail.epoch, [{ pos: tail.pos + 1, event_id: newEventId(), ts, body }])
      yield* journal.release(key, tail.epoch)
    }).pipe(Effect.scoped, Effect.provide(process_))

    yield* Effect.gen(function* () {
      const manager = yield* RuntimeManager
      const session = yield* manager.open(id)
      const facts = yield* answering(session, "allow_once")
      assert.deepStrictEqual([read("a"), read("b")], ["one\n", "two\n"])
      const told = facts.flatMap((event) => (event.type === "files_restored" ? [event.files] : []))
      assert.deepStrictEqual(told, [["a", "b"]])
      // Whoever asked the process that died asks again, and has its answer; the next one asks for more.
      assert.deepStrictEqual((yield* session.restore("undo")).files, ["a", "b"])
      assert.strictEqual((yield* Effect.flip(session.restore("undo"))).code, "nothing_to_restore")
      yield* session.restore("redo")
      assert.strictEqual(read("a"), "ONE\n")
      yield* manager.destroy(id)
      const again = yield* answering(yield* manager.open(id), "allow_once")
      assert.strictEqual(again.filter(({ type }) => type === "files_restored").length, 2)
    }).pipe(Effect.scoped, Effect.provide(process_))
  }).pipe(Effect.scoped)
)
