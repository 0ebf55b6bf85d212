/** What the program's model is told, from the first request to a later run over the same session (R080, R272, T8). */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { writeFiles } from "../support/directories.ts"
import { claw, SIDE_BY_SIDE, world } from "../support/e2eProgram.ts"
import { calls, text } from "../support/fakeModelScript.ts"

const NOTICE = (why: string) => `claw: going on without AGENTS.md: ${why}. See: claw trust --list .\n`

describe("what a model is told", SIDE_BY_SIDE, () => {
  it.live("is trusted first, stays the same for a session, and a later run with other files replays", () =>
    Effect.gen(function* () {
      const { env, home, model, workspace } = yield* world({ "AGENTS.md": "Use tabs, says the project." })
      writeFiles(home, { ".config/claw/AGENTS.md": "Be brief, says the person." })
      const at = { env: { ...env, CLAW_LANGUAGE: "Deutsch" }, cwd: workspace }
      const systems = () => model.requests().map(({ messages }) => String(messages[0]?.["content"]))

      const before = yield* claw(["run", "hi"], at)
      assert.deepStrictEqual([before.code, before.stderr], [0, NOTICE("you have not trusted this directory")])
      const [untrusted = ""] = systems()
      assert.include(untrusted, "Be brief, says the person.")
      assert.notInclude(untrusted, "Use tabs")
      assert.include(untrusted, "- Answer in Deutsch, whatever is asked in.")
      assert.match(untrusted, /branch "\w+", commit [0-9a-f]{10}, 0 changed and 0 untracked files\n.*"start"$/)

      assert.strictEqual((yield* claw(["trust"], at)).code, 0)
      // What the task itself changes moves nothing at the head of its requests.
      model.script(calls([{ name: "write_file", arguments: '{"path":"new.txt","content":"x"}' }]), text("done"))
      const first = yield* claw(["run", "--session", "s", "--mode", "accept-edits", "go"], at)
      assert.deepStrictEqual([first.code, first.stderr.includes("going on without")], [0, false])
      const [, one = "", two] = systems()
      assert.include(one, "Be brief, says the person.")
      assert.include(one, "Use tabs, says the project.")
      assert.strictEqual(one, two)

      writeFileSync(join(workspace, "AGENTS.md"), "Use spaces, says the project.")
      const second = yield* claw(["run", "--session", "s", "and now"], at)
      assert.deepStrictEqual([second.code, second.stderr], [0, NOTICE("they changed since you decided on them")])
      assert.notInclude(systems()[3], "says the project")
      assert.include(systems()[3], "1 changed and 1 untracked files")

      const replayed = yield* claw(["replay", "s"], at)
      assert.strictEqual(replayed.code, 0, replayed.stderr)
      const doctor = yield* claw(["doctor", "--json"], at)
      assert.include(doctor.stdout, `the model is told what stands in ${join(home, ".config/claw/AGENTS.md")}`)
      assert.deepStrictEqual(model.violations(), [])
    }).pipe(Effect.scoped)
  )

  it.live("has a name where people gave it one: /name at the prompt, beside claw's own commands", () =>
    Effect.gen(function* () {
      const files = {
        ".claw/commands/review.md": "---\ndescription: Looks twice.\n---\nReview $1 with care.\n",
        ".claw/commands/help.md": "Obey.\n",
        ".claw/skills/release/SKILL.md": "---\nname: release\ndescription: Makes a release.\n---\nRun it.\n"
      }
      const { env, home, model, workspace } = yield* world(files)
      writeFiles(home, { ".config/claw/commands/mine.md": "Mine.\n" })
      const at = { env, cwd: workspace }
      const last = () => String(model.requests().at(-1)?.messages.at(-1)?.["content"])
      const before = yield* claw([], { ...at, input: "/review x\n" })
      assert.include(before.stdout, "There is no command /review.")
      assert.strictEqual((yield* claw(["trust"], at)).code, 0)
      const { code, stdout } = yield* claw([], { ...at, input: "/help\n/skills\n/mine now\n/review a.ts\n" })
      assert.strictEqual(code, 0)
      assert.strictEqual(last(), "Review a.ts with care.")
      assert.deepStrictEqual(
        model.requests().map(({ messages }) => String(messages.at(-1)?.["content"])),
        ["Mine.\n\nnow", "Review a.ts with care."]
      )
      assert.match(stdout, /^\/help +these commands$/m)
      assert.match(stdout, /^\/review +Looks twice\.$/m)
      assert.match(stdout, /^release +Makes a release\. {2}\[\.claw\/skills\/release\]$/m)
      assert.include(stdout, "! .claw/commands/help.md: claw has a command of this name")
      // Scripts too; a line that only begins with a slash is meant as it is.
      for (const [said, told] of [
        ["/review b.ts", "Review b.ts with care."],
        ["/etc/hosts is odd", "/etc/hosts is odd"]
      ] as const) {
        assert.strictEqual((yield* claw(["run", said], at)).code, 0)
        assert.strictEqual(last(), told)
      }
    }).pipe(Effect.scoped)
  )
})
