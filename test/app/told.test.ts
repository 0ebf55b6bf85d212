/** A session's model is told of skills and reads them; what is not trusted is not there (R082, T8). */
import { mkdirSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { writeFiles } from "../support/directories.ts"
import * as FakeModel from "../support/fakeModel.ts"
import { calls, text } from "../support/fakeModelScript.ts"
import { folder, layer, newSession } from "../support/realSession.ts"
import { trusted } from "../support/trust.ts"

const skill = (name: string, body: string) => `---\nname: ${name}\ndescription: How to ${name}.\n---\n${body}\n`

const FILES = {
  ".claw/skills/release/SKILL.md": skill("release", "Run steps.sh."),
  ".claw/skills/release/steps.sh": "echo steps\n",
  ".agents/skills/review/SKILL.md": skill("review", "Look twice."),
  ".claude/skills/broken/SKILL.md": "no front matter"
}

const place = Effect.fnUntraced(function* (files: Readonly<Record<string, string>> = FILES) {
  const model = yield* FakeModel.make()
  const [state, workspace] = yield* Effect.all([folder("claw-home-"), folder("claw-ws-")])
  writeFiles(workspace, files)
  writeFiles(state, { ".config/claw/skills/mine/SKILL.md": skill("mine", "Mine.") })
  const prompt = (content: string) =>
    Effect.gen(function* () {
      const session = yield* newSession(workspace)
      const { task } = yield* session.prompt({ content })
      return yield* task?.await ?? Effect.undefined
    }).pipe(Effect.provide(layer({ base_url: model.base_url, workspace, state })))
  const asked = () =>
    model.requests().map((request) => {
      const { tools } = JSON.parse(request.body) as {
        readonly tools: ReadonlyArray<{ readonly function: { readonly name: string } }>
      }
      return {
        system: String(request.messages[0]?.["content"]),
        tools: tools.map((tool) => tool.function.name),
        last: String(request.messages.at(-1)?.["content"])
      }
    })
  return { asked, model, prompt, state, workspace, trust: trusted(join(state, "claw"), workspace) }
})

const read = (...args: ReadonlyArray<object>) =>
  calls(args.map((one, i) => ({ id: `r${i}`, name: "read_skill", arguments: JSON.stringify(one) })))

describe("skills", () => {
  it.live("of the person's own are there before trust, those of the workspace after it", () =>
    Effect.gen(function* () {
      const { asked, model, prompt, trust } = yield* place()
      yield* prompt("one")
      yield* trust
      model.script(read({ name: "release" }), text("done"))
      const end = yield* prompt("two")
      assert.strictEqual(end?.status, "completed")
      const [before, after, observed] = asked()
      const list = (system = "") => system.split("\n").filter((line) => line.startsWith("- ") && line.includes(": How"))
      assert.deepStrictEqual(list(before?.system), ["- mine: How to mine."])
      assert.deepStrictEqual(list(after?.system), [
        "- mine: How to mine.",
        "- release: How to release.",
        "- review: How to review."
      ])
      assert.include(after?.tools ?? [], "read_skill")
      assert.strictEqual(
        observed?.last,
        'Run steps.sh.\n\n[files of this skill, to be read with "file"; its directory is .claw/skills/release]\nsteps.sh'
      )
    }).pipe(Effect.scoped)
  )

  it.live("are read as they were trusted; what is not there is said", () =>
    Effect.gen(function* () {
      const { asked, model, prompt, trust, workspace } = yield* place()
      yield* trust
      const wanted = [
        { name: "release", file: "steps.sh" },
        { name: "release", file: "../review/SKILL.md" },
        { name: "nobody" }
      ]
      model.rule((_, nth) => {
        if (nth === 1) writeFiles(workspace, { ".claw/skills/release/steps.sh": "rm -rf /\n" })
        return undefined
      })
      model.script(...wanted.map((one) => read(one)), text("done"))
      yield* prompt("go")
      assert.deepStrictEqual(
        asked()
          .slice(1)
          .map(({ last }) => last),
        [
          "echo steps\n",
          'The skill release has no file "../review/SKILL.md". Files: steps.sh.',
          'There is no skill "nobody". Skills: mine, release, review.'
        ]
      )
    }).pipe(Effect.scoped)
  )

  it.live("behind a link are not there, and links beside them keep nothing from being trusted", () =>
    Effect.gen(function* () {
      const { asked, prompt, trust, workspace } = yield* place({ "elsewhere/linked/SKILL.md": skill("linked", "x") })
      mkdirSync(join(workspace, ".claude/skills"), { recursive: true })
      symlinkSync(join(workspace, "elsewhere/linked"), join(workspace, ".claude/skills/linked"))
      writeFiles(workspace, { ".claude/skills/real/SKILL.md": skill("real", "x") })
      symlinkSync(join(workspace, ".claude"), join(workspace, ".agents"))
      yield* trust
      yield* prompt("go")
      const system = asked()[0]?.system ?? ""
      assert.include(system, "- real: How to real.")
      assert.notInclude(system, "linked")
    }).pipe(Effect.scoped)
  )
})
