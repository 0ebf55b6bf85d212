/** What the doctor prints of a repository's names is text, whatever stands in them (R272, LESSONS 29). */
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { doctor } from "../../src/app/doctor.ts"
import { Output } from "../../src/cli/Output.ts"
import { load } from "../../src/config/AppConfig.ts"
import { captured } from "../support/capturedOutput.ts"
import { directoryWith, writeFiles } from "../support/directories.ts"
import { trusted } from "../support/trust.ts"

const EVIL = "a\u001b]0;PWN\u0007\u009b31m\u202eb"

it.live("shows no control character and nothing that reorders", () =>
  Effect.gen(function* () {
    const [home, workspace] = yield* Effect.all([directoryWith(), directoryWith()])
    const hooks = { after_task: [{ command: ["sh", ".claw/hooks/note.sh", "tools/x.sh"] }] }
    writeFiles(workspace, {
      [`.claw/skills/${EVIL}/SKILL.md`]: "no front matter",
      [`.claw/commands/${EVIL}.md`]: "hello",
      ".claw/config.json": JSON.stringify({ hooks }),
      ".claw/hooks/note.sh": "exit 0\n",
      "tools/x.sh": "exit 0\n",
      "AGENTS.md": "# hi\n"
    })
    const flags = { provider: "demo", isolation: { mode: "off" } } as const
    const env = { HOME: home, PATH: process.env["PATH"], CLAW_STATE_DIR: join(home, "state") }
    yield* trusted(join(home, "state"), workspace)
    const config = Result.getOrThrow(load({ workspace, env, flags }))
    const { out, service } = captured()
    yield* doctor(config, false, false).pipe(Effect.provideService(Output, service), Effect.orDie)
    assert.include(out(), "a\\x1b]0;PWN\\x07\\x9b31m\\u{202e}b")
    assert.notMatch(out(), /[^\P{C}\n]/u)
    // What would not run is said before it is missed.
    assert.match(out(), /PROBLEM +hooks +hook workspace hooks.after_task\[0\] \(sh\) is not run: "tools\/x.sh"/)
  }).pipe(Effect.scoped)
)
