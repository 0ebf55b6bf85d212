/** `claw policy check` and `explain` as commands: what a script reads of them, and what a person (R139, R160). */
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { checkLine } from "../../src/app/policyCheck.ts"
import { check, policyCommand } from "../../src/app/policyCommands.ts"
import { parse } from "../../src/cli/CommandLine.ts"
import { commands } from "../../src/cli/Commands.ts"
import { commandHelp } from "../../src/cli/Help.ts"
import { Output } from "../../src/cli/Output.ts"
import { load } from "../../src/config/AppConfig.ts"
import type { ConfigFile } from "../../src/config/Settings.ts"
import { captured } from "../support/capturedOutput.ts"
import { directoryWith } from "../support/directories.ts"

const configured = Effect.fnUntraced(function* (flags: ConfigFile = {}) {
  const root = yield* directoryWith({ "ws/.git/config": "" })
  const given = { workspace: join(root, "ws"), flags, env: { HOME: root }, operator: join(root, "operator.json") }
  return Result.getOrThrow(load(given))
})

const explained = Effect.fnUntraced(function* (words: ReadonlyArray<string>, flags: ConfigFile = {}) {
  const output = captured()
  const line = Result.getOrThrow(parse(["policy", "explain", ...words]))
  yield* Effect.provideService(policyCommand(line, yield* configured(flags)), Output, output.service)
  return output.out()
})

async function* bytes(text: string) {
  yield new TextEncoder().encode(text)
}

describe("claw policy check", () => {
  it.effect("answers every line; a bad one makes the exit code 1, and is told which kinds there are", () =>
    Effect.gen(function* () {
      const good = '{"id":"1","kind":"bash","input":"ls"}\n'
      const run = Effect.fnUntraced(function* (text: string) {
        const output = captured()
        const code = yield* Effect.provideService(check(yield* configured(), bytes(text)), Output, output.service)
        return { code, lines: output.out().trimEnd().split("\n") }
      })
      assert.deepStrictEqual(yield* Effect.map(run(good), ({ code, lines }) => [code, lines.length]), [0, 1])
      const { code, lines } = yield* run(`{"id":"0","kind":"command","input":"ls"}\n${good}`)
      assert.deepStrictEqual([code, lines.length], [1, 2])
      assert.include(lines[0], "kinds are bash, path, config and terminal")
      assert.include(lines[1], '"verdict":"ask"')
    })
  )
})

describe("the help of claw policy", () => {
  it.effect("shows a line of check that is a good one", () =>
    Effect.gen(function* () {
      const command = commands.find(({ name }) => name === "policy")
      const help = command === undefined ? "" : commandHelp(command, "en")
      const shown = help.split("\n").flatMap((line) => /(\{"id".*\})(?:'|$)/.exec(line)?.slice(1) ?? [])
      assert.strictEqual(shown.length, 2)
      for (const line of shown) assert.notProperty(yield* checkLine(line, yield* configured()), "error", line)
    })
  )
})

describe("claw policy explain", () => {
  it.effect("takes a tool's arguments as JSON", () =>
    Effect.gen(function* () {
      const out = yield* explained(["--tool", "write_file", "--", '{"path":"/etc/x","content":""}'])
      assert.match(out, /^Denied: .*outside/)
      assert.match(yield* explained(["--", "{ ls; }"]), /has a group/)
    })
  )

  it.effect("of what is denied says so, names the rule and its reason, and wraps nothing that is piped", () =>
    Effect.gen(function* () {
      const reason = `no pushing here ${"because ".repeat(20)}`.trim()
      const out = yield* explained(["--", "git push && ls > x"], {
        rules: { deny: [{ argv: ["git", "push"], reason }] }
      })
      const name = `user rules.deny[0] (${JSON.stringify(reason)})`
      assert.strictEqual(out.split("\n")[0], `Denied: the rule ${name} denies it`)
      assert.include(out, `     the rule ${name} denies it: plain commands that begin with git push`)
      assert.include(out, "denied because: writes x")
      assert.notInclude(out, "made it ask")
    })
  )

  it.effect("says why changing the directory is far-reaching", () =>
    Effect.gen(function* () {
      assert.include(yield* explained(["--", "cd src && npm test"]), "cd moves what follows into another directory")
    })
  )
})
