/**
 * What a task did to the files is taken back and given back in a session with the real tools, the real store and a model
 * that speaks real SSE; also by a later process, and never while a task runs (issue 5).
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect } from "effect"
import type { SessionId } from "../../src/domain/Ids.ts"
import { RuntimeManager } from "../../src/runtime/RuntimeManager.ts"
import type { SessionRuntime } from "../../src/runtime/SessionRuntime.ts"
import * as FakeModel from "../support/fakeModel.ts"
import { calls, stream, text } from "../support/fakeModelScript.ts"
import { answering, folder, layer, newSession, repository } from "../support/realSession.ts"

const tool = (name: string, args: object, id: string) => ({ id, name, arguments: JSON.stringify(args) })
const bash = (command: string, id: string) => tool("bash", { command }, id)

const world = Effect.gen(function* () {
  const model = yield* FakeModel.make()
  const workspace = yield* repository({ a: "one\n", b: "two\n", ".gitignore": "ignored\n" })
  const state = yield* folder("claw-state-")
  const read = (path: string) => readFileSync(join(workspace, path), "utf8")
  const write = (path: string, content: string) => writeFileSync(join(workspace, path), content)
  const has = (path: string) => existsSync(join(workspace, path))
  const process = layer({ base_url: model.base_url, workspace, state, flags: { isolation: { mode: "off" } } })
  return { model, workspace, read, write, has, process }
})

const run = Effect.fnUntraced(function* (session: SessionRuntime, content: string) {
  const { task } = yield* session.prompt({ content })
  return yield* task!.await
})

const refused = <A>(effect: Effect.Effect<A, { readonly code: string }>) =>
  Effect.map(Effect.flip(effect), ({ code }) => code)

describe("undo in a session", () => {
  it.live("puts back what the last task did, keeps what the person did, and tells the model in the next turn", () =>
    Effect.gen(function* () {
      const { model, workspace, read, write, has, process } = yield* world
      model.script(
        calls([tool("write_file", { path: "a", content: "ONE\n" }, "c1"), bash("rm b; mkdir d; echo new > d/c", "c2")]),
        text("Done."),
        text("I see.")
      )
      yield* Effect.gen(function* () {
        const session = yield* newSession(workspace)
        const facts = yield* answering(session, "allow_once")
        assert.strictEqual((yield* run(session, "change things")).status, "completed")
        assert.deepStrictEqual([read("a"), has("b"), read("d/c")], ["ONE\n", false, "new\n"])
        assert.match((yield* session.difference()).text, /^-one\n\+ONE$/m)
        write("mine", "mine\n")
        const undone = yield* session.restore("undo")
        assert.deepStrictEqual([undone.files, undone.kept], [["a", "b", "d/c"], []])
        assert.deepStrictEqual([read("a"), read("b"), has("d"), read("mine")], ["one\n", "two\n", false, "mine\n"])
        assert.strictEqual(yield* refused(session.restore("undo")), "nothing_to_restore")
        assert.strictEqual(facts.at(-1)?.type, "files_restored")
        yield* run(session, "what now?")
        const sent =
          model
            .requests()
            .at(-1)
            ?.messages.map(({ content }) => String(content)) ?? []
        assert.match(
          sent.at(-2) ?? "",
          /^\[Note from claw, not from the user\] The user put files back .*\n- "a"\n- "b"/
        )
        assert.strictEqual(sent.at(-1), "what now?")
      }).pipe(Effect.scoped, Effect.provide(process))
      assert.deepStrictEqual(model.violations(), [])
    }).pipe(Effect.scoped)
  )

  it.live("is there in a later process, task by task, and forgets what can be redone when a task changes files", () =>
    Effect.gen(function* () {
      const { model, workspace, read, process } = yield* world
      model.script(
        calls([bash("echo 1 > a", "c1")]),
        text("First."),
        calls([bash("echo 2 > a", "c2")]),
        text("Second."),
        calls([bash("cat a", "c3")]),
        text("Nothing changed."),
        calls([bash("echo 3 > a", "c4")]),
        text("Third.")
      )
      const id = yield* Effect.gen(function* () {
        const session = yield* newSession(workspace)
        yield* answering(session, "allow_once")
        yield* run(session, "one")
        yield* run(session, "two")
        return session.session_id
      }).pipe(Effect.scoped, Effect.provide(process))
      yield* Effect.gen(function* () {
        const session = yield* Effect.flatMap(RuntimeManager, (manager) => manager.open(id as SessionId))
        yield* answering(session, "allow_once")
        const seen: Array<string> = []
        for (const direction of ["undo", "undo", "redo", "redo", "undo"] as const) {
          yield* session.restore(direction)
          seen.push(read("a"))
        }
        assert.deepStrictEqual(seen, ["1\n", "one\n", "1\n", "2\n", "1\n"])
        yield* run(session, "look")
        yield* session.restore("redo")
        yield* session.restore("undo")
        yield* run(session, "three")
        assert.strictEqual(yield* refused(session.restore("redo")), "nothing_to_restore")
        yield* session.restore("undo")
        assert.strictEqual(read("a"), "1\n")
      }).pipe(Effect.scoped, Effect.provide(process))
    }).pipe(Effect.scoped)
  )

  it.live("is refused while a task runs; what a cancelled task did is undone like any other", () =>
    Effect.gen(function* () {
      const { model, workspace, read, process } = yield* world
      const go = Deferred.makeUnsafe<void>()
      model.script(calls([bash("echo x > a", "c1")]), stream({ until: Deferred.await(go) }))
      yield* Effect.gen(function* () {
        const session = yield* newSession(workspace)
        yield* answering(session, "allow_once")
        const { task } = yield* session.prompt({ content: "go" })
        yield* model.arrived(2)
        assert.strictEqual(yield* refused(session.restore("undo")), "session_busy")
        yield* session.interrupt()
        assert.strictEqual((yield* task!.await).status, "canceled")
        yield* session.restore("undo")
        assert.strictEqual(read("a"), "one\n")
      }).pipe(Effect.scoped, Effect.provide(process))
    }).pipe(Effect.scoped)
  )

  it.live("a command that is stopped in the middle is recorded, as far as it came", () =>
    Effect.gen(function* () {
      const { model, workspace, read, process } = yield* world
      model.script(calls([bash("echo half > a; echo begun; sleep 600", "c1")]))
      yield* Effect.gen(function* () {
        const session = yield* newSession(workspace)
        yield* answering(session, "allow_once")
        const begun = Deferred.makeUnsafe<void>()
        yield* session.subscribe({
          sink: (events) => {
            if (events.some(({ type }) => type === "tool_output_delta")) Deferred.doneUnsafe(begun, Effect.void)
          }
        })
        yield* session.prompt({ content: "go" })
        yield* Deferred.await(begun)
        yield* session.interrupt()
        assert.strictEqual(read("a"), "half\n")
        yield* session.restore("undo")
        assert.strictEqual(read("a"), "one\n")
      }).pipe(Effect.scoped, Effect.provide(process))
    }).pipe(Effect.scoped)
  )
})
