/** Mode `plan` writes its plan into a new file, and nothing of what is there is ever replaced (issue 7). */
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as FakeModel from "../support/fakeModel.ts"
import { calls, text } from "../support/fakeModelScript.ts"
import { folder, layer, newSession } from "../support/realSession.ts"

const plan = (kind: string, content: string) => ({ name: "write_plan", arguments: JSON.stringify({ kind, content }) })

/** What the model was told of each of these calls, made one after the other in mode `plan`. */
const inPlanMode = Effect.fnUntraced(function* (
  workspace: string,
  ...asked: ReadonlyArray<{ readonly name: string; readonly arguments: string }>
) {
  const model = yield* FakeModel.make()
  const state = yield* folder("claw-home-")
  model.script(...asked.map((one) => calls([one])), text("done"))
  const end = yield* Effect.gen(function* () {
    const session = yield* newSession(workspace)
    const { task } = yield* session.prompt({ content: "plan it" })
    return yield* task?.await ?? Effect.undefined
  }).pipe(Effect.provide(layer({ base_url: model.base_url, workspace, state, flags: { mode: "plan" } })))
  assert.strictEqual(end?.status, "completed")
  return model
    .requests()
    .slice(1)
    .map(({ messages }) => String(messages.at(-1)?.["content"]))
})

describe("a plan", () => {
  it.live("is a new file, also beside other ones, links and folders of that name", () =>
    Effect.gen(function* () {
      const workspace = yield* folder("claw-ws-")
      writeFileSync(join(workspace, "PLAN.md"), "mine\n")
      symlinkSync("/etc/hostname", join(workspace, "TODO.md"))
      mkdirSync(join(workspace, "todo-2.md"))
      const said = yield* inPlanMode(
        workspace,
        plan("plan", "first\n"),
        plan("plan", "second\n"),
        plan("todo", "- [ ] a\n"),
        { name: "write_file", arguments: '{"path":"PLAN.md","content":"x"}' },
        { name: "write_file", arguments: '{"path":"PLAN-9.md","content":"x"}' }
      )
      assert.deepStrictEqual(said.slice(0, 3), [
        "Created PLAN-2.md (6 bytes).",
        "Created PLAN-3.md (7 bytes).",
        "Created TODO-3.md (8 bytes)."
      ])
      for (const denied of said.slice(3)) assert.include(denied, "plan mode changes nothing")
      assert.deepStrictEqual(readdirSync(workspace).toSorted(), [
        "PLAN-2.md",
        "PLAN-3.md",
        "PLAN.md",
        "TODO-3.md",
        "TODO.md",
        "todo-2.md"
      ])
      assert.strictEqual(readFileSync(join(workspace, "PLAN.md"), "utf8"), "mine\n")
    }).pipe(Effect.scoped)
  )
})
