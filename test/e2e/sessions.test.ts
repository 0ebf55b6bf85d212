/** The program over its stored sessions: a fork goes on, a deletion is asked about, a replay asks nobody (issue 5; R050, R323, R324). */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { join } from "node:path"
import { claw, type FakeWorld, SIDE_BY_SIDE, world } from "../support/e2eProgram.ts"
import * as Terminal from "../support/e2eTerminal.ts"
import { SETTLE_MS } from "../../src/cli/question.ts"
import { text } from "../support/fakeModelScript.ts"

/** A key that comes before the question was seen answers nothing. */
const settled = Effect.sleep(SETTLE_MS + 20)

const at = ({ env, workspace }: FakeWorld) => ({ env, cwd: workspace })

/** Two tasks by a script. */
const told = Effect.fnUntraced(function* () {
  const scene = yield* world()
  scene.model.script(text("The word is heron."), text("It has two legs."), text("Yes."))
  for (const said of ["find the word", "how many legs?"]) {
    assert.strictEqual((yield* claw(["run", "--session", "birds", said], at(scene))).code, 0)
  }
  return scene
})

describe("stored sessions", SIDE_BY_SIDE, () => {
  it.live("claw fork goes on in the copy, as far as it was taken", () =>
    Effect.gen(function* () {
      const scene = yield* told()
      const shown = yield* claw(["sessions", "show", "birds", "--json"], at(scene))
      const facts = shown.stdout
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line) as { seq: number; type: string })
      const first = facts.find(({ type }) => type === "task_completed")?.seq
      const tty = yield* Terminal.start({ ...at(scene), args: ["fork", "birds", "--at", String(first)] })
      yield* tty.shows("The word is heron.")
      tty.enter("and the legs?")
      yield* tty.until(() => scene.model.requests().length === 3)
      const said = (scene.model.requests().at(-1)?.messages ?? []).filter(({ role }) => role !== "system")
      assert.deepStrictEqual(
        said.map(({ content }) => content),
        ["find the word", "The word is heron.", "and the legs?"]
      )
      assert.deepStrictEqual(scene.model.violations(), [])
    })
  )

  it.live("claw sessions delete asks; only y deletes", () =>
    Effect.gen(function* () {
      const scene = yield* told()
      const count = Effect.map(claw(["sessions", "--json"], at(scene)), ({ stdout }) => stdout.split("\n").length - 1)
      const asked = Effect.fnUntraced(function* (answer: string) {
        const tty = yield* Terminal.start({ ...at(scene), args: ["sessions", "delete", "bird"] })
        yield* tty.shows("y delete · n keep")
        yield* settled
        tty.type(answer)
        return yield* tty.exited
      })
      assert.deepStrictEqual([yield* asked("n"), yield* count], [130, 1])
      assert.deepStrictEqual([yield* asked("y"), yield* count], [0, 0])
    })
  )

  it.live("claw replay, backup and restore ask no model, and the session goes on afterwards", () =>
    Effect.gen(function* () {
      const scene = yield* told()
      const file = join(scene.workspace, "claw.backup")
      const replayed = yield* claw(["replay", "birds"], at(scene))
      assert.deepStrictEqual([replayed.code, replayed.stderr], [0, ""])
      assert.match(replayed.stdout, /^the same: \d+ events, 2 requests to the model\.\n$/)
      assert.strictEqual((yield* claw(["backup", file], at(scene))).code, 0)
      assert.strictEqual((yield* claw(["sessions", "delete", "birds", "--yes"], at(scene))).code, 0)
      assert.strictEqual((yield* claw(["restore", file, "--yes"], at(scene))).code, 0)
      assert.strictEqual(scene.model.requests().length, 2)
      const again = yield* claw(["run", "--session", "birds", "sure?"], at(scene))
      assert.deepStrictEqual([again.code, again.stdout], [0, "Yes.\n"])
      assert.match((yield* claw(["replay", "birds"], at(scene))).stdout, / 3 requests to the model\.\n$/)
      assert.deepStrictEqual(scene.model.violations(), [])
    })
  )
})
