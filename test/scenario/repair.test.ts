/**
 * The main job: a real repository with a failing test, real tools, real stores, a model that speaks real SSE. The model
 * finds the mistake, runs the test, mends the file, runs the test again.
 */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as FakeModel from "../support/fakeModel.ts"
import { calls, text } from "../support/fakeModelScript.ts"
import { answering, folder, layer, newSession, repository } from "../support/realSession.ts"

const files = {
  "package.json": '{ "type": "module" }\n',
  "sum.js": "export const sum = (a, b) => a - b\n",
  "sum.test.js":
    'import assert from "node:assert"\nimport { test } from "node:test"\nimport { sum } from "./sum.js"\n' +
    'test("adds", () => assert.strictEqual(sum(2, 3), 5))\n'
}
const tool = (name: string, args: object, id: string) => ({ id, name, arguments: JSON.stringify(args), pieces: 3 })

describe("a repair in a real repository", () => {
  it.live(
    "reads, runs the failing test, edits after being allowed, runs it green (R082, R091, R140–R143, R305, R306, R316, R319)",
    () =>
      Effect.gen(function* () {
        const model = yield* FakeModel.make()
        const workspace = yield* repository(files)
        const state = yield* folder("claw-state-")
        model.script(
          calls([tool("read_file", { path: "sum.js" }, "c1"), tool("grep", { pattern: "sum\\(" }, "c2")]),
          calls([tool("bash", { command: "node --test 2>&1 | head -40" }, "c3")]),
          calls([tool("edit_file", { path: "sum.js", old_text: "a - b", new_text: "a + b" }, "c4")]),
          calls([tool("bash", { command: "node --test" }, "c5")]),
          text("Fixed.")
        )
        yield* Effect.gen(function* () {
          const session = yield* newSession(workspace)
          const facts = yield* answering(session, "allow_once")
          const { task } = yield* session.prompt({ content: "Make the test pass." })
          assert.strictEqual((yield* task!.await).status, "completed")
          const results = facts.flatMap((event) =>
            event.type === "tool_result" ? [[event.call_id, event.status]] : []
          )
          assert.deepStrictEqual(Object.fromEntries(results), { c1: "ok", c2: "ok", c3: "ok", c4: "ok", c5: "ok" })
          const asked = facts.flatMap((event) => (event.type === "approval_request" ? [event.call_id] : []))
          assert.deepStrictEqual(asked, ["c3", "c4", "c5"])
          const text = (id: string) => facts.find((event) => event.type === "tool_result" && event.call_id === id)
          assert.match(JSON.stringify(text("c3")), /fail 1/)
          assert.match(JSON.stringify(text("c5")), /pass 1/)
        }).pipe(Effect.provide(layer({ base_url: model.base_url, workspace, state })))
        assert.include(readFileSync(join(workspace, "sum.js"), "utf8"), "a + b")
        assert.deepStrictEqual(model.violations(), [])
        const bodies = model.requests().map((request) => request.body)
        for (const [i, body] of bodies.slice(1).entries())
          assert.isTrue(body.startsWith((bodies[i] ?? "?").slice(0, -2)))
      }).pipe(Effect.scoped)
  )

  it.live("goes on without what was denied (R145)", () =>
    Effect.gen(function* () {
      const model = yield* FakeModel.make()
      const workspace = yield* repository(files)
      const state = yield* folder("claw-state-")
      model.script(calls([tool("write_file", { path: "new.txt", content: "x" }, "c1")]), text("As you wish."))
      yield* Effect.gen(function* () {
        const session = yield* newSession(workspace)
        const facts = yield* answering(session, "deny")
        const { task } = yield* session.prompt({ content: "Write a file." })
        assert.strictEqual((yield* task!.await).status, "completed")
        assert.strictEqual(facts.find((event) => event.type === "tool_result")?.status, "denied")
      }).pipe(Effect.provide(layer({ base_url: model.base_url, workspace, state })))
      assert.throws(() => readFileSync(join(workspace, "new.txt")))
      assert.deepStrictEqual(model.violations(), [])
    }).pipe(Effect.scoped)
  )
})
