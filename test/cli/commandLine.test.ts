/** The words after `claw`: understood, or refused in one sentence with the nearest name (Bad input). */
import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import * as fc from "fast-check"
import { parse } from "../../src/cli/CommandLine.ts"
import { commands, EXIT, flags, ROLES } from "../../src/cli/Commands.ts"
import { roles } from "../../src/domain/Principal.ts"
import { commandHelp, helpText } from "../../src/cli/Help.ts"

const read = (...args: ReadonlyArray<string>) => {
  const result = parse(args)
  if (Result.isFailure(result)) return result.failure.detail
  const { command, operands, values, switches } = result.success
  return { command: command.name, operands, values, switches: [...switches] }
}

const line = (command: string, rest: object = {}) => ({ command, operands: [], values: {}, switches: [], ...rest })

describe("a command line", () => {
  it("names each exit code in its help, and in the README", () => {
    const readme = readFileSync(new URL("../../README.md", import.meta.url), "utf8")
    const [table = ""] = /\| exit code \|[^#]*/.exec(readme) ?? []
    for (const code of Object.values(EXIT)) {
      assert.match(helpText("en"), new RegExp(`Exit codes.*\\b${code} `))
      assert.match(table, new RegExp(`\\b${code}\\b`))
    }
    assert.deepStrictEqual([EXIT.hungUp, EXIT.terminated], [128 + 1, 128 + 15])
  })

  it("is a command, its operands and its options, in any order", () => {
    assert.deepStrictEqual(read(), line(""))
    assert.deepStrictEqual(
      read("--model", "m", "run", "--json", "fix", "it", "--max-turns=3"),
      line("run", { operands: ["fix", "it"], values: { model: "m", "max-turns": "3" }, switches: ["json"] })
    )
    assert.deepStrictEqual(read("run", "-"), line("run", { operands: ["-"] }))
    assert.deepStrictEqual(read("-c"), line("", { switches: ["continue"] }))
  })

  it("leaves what stands behind -- alone", () => {
    assert.deepStrictEqual(read("run", "--", "--json", "-x"), line("run", { operands: ["--json", "-x"] }))
  })

  it("has words for what flags say", () => {
    assert.deepStrictEqual(read("help"), line("", { switches: ["help"] }))
    assert.deepStrictEqual(read("help", "run"), line("run", { switches: ["help"] }))
    assert.deepStrictEqual(read("version"), line("", { switches: ["version"] }))
    assert.deepStrictEqual(read("resume"), line("", { switches: ["continue"] }))
    assert.deepStrictEqual(
      read("resume", "s-1", "--mode", "plan"),
      line("", { values: { mode: "plan", resume: "s-1" } })
    )
  })

  const refused: ReadonlyArray<readonly [args: ReadonlyArray<string>, sentence: string]> = [
    ...["0", "-1", "abc", "", "-.5"].map(
      (value) =>
        [
          ["run", "--max-cost", value, "go"],
          `--max-cost takes a number above 0, not "${value}"; without it there is no limit.`
        ] as const
    ),
    [["run", "--max-cost", "--json", "go"], "--max-cost needs a value: --max-cost USD."],
    [["sesions"], 'There is no command "sesions". Did you mean sessions? Try: claw --help'],
    [
      ["fix the tests"],
      'There is no command "fix the tests". To run a prompt: claw run "fix the tests". Try: claw --help'
    ],
    [["help", "rum"], 'There is no command "rum". Did you mean run? Try: claw --help'],
    [["--rseume", "x"], "claw has no option --rseume. Did you mean --resume?"],
    [["run", "--jsno", "x"], "claw run has no option --jsno. Did you mean --json?"],
    [["run", "--continue", "x"], "claw run has no option --continue."],
    [["run", "-x"], "claw run has no option -x."],
    [["run", "--mode"], "--mode needs a value: --mode MODE."],
    [["run", "--model", "--json"], "--model needs a value: --model NAME."],
    [["run", "--json=yes"], "--json takes no value."],
    [["run", "--mode", "plna"], "--mode is one of ask, accept-edits, plan, never-ask, bypass. Did you mean plan?"],
    [["doctor", "now"], 'claw doctor does not take "now". Try: claw doctor --help']
  ]

  it("that is not understood is refused in one sentence, with the nearest name", () => {
    for (const [args, sentence] of refused) assert.strictEqual(read(...args), sentence)
  })

  it("is refused in Chinese, too, about the same names", () => {
    for (const [args, sentence] of refused) {
      const result = parse(args, "zh-CN")
      assert.isTrue(Result.isFailure(result))
      const told = Result.isFailure(result) ? result.failure.detail : ""
      assert.match(told, /\p{Script=Han}/u)
      assert.notMatch(told, /\b(?:no|not|is|of|needs|takes|Did|Try)\b/, sentence)
      for (const [name] of sentence.matchAll(/--[\w-]+/g)) assert.include(told, name)
    }
  })

  it("never throws, whatever the words", () => {
    const word = fc.oneof(
      fc.string(),
      fc.constantFrom("run", "--", "-", "--mode", "--json", "-c", "--=", "--__proto__")
    )
    fc.assert(fc.property(fc.array(word, { maxLength: 6 }), (words) => void parse(words)))
  })
})

describe("help", () => {
  it("names every command and every option in both languages", () => {
    for (const locale of ["en", "zh-CN"] as const) {
      const lines = helpText(locale)
      const text = lines.replace(/\s+/g, " ")
      // A narrow screen or a pipe shows it as it is.
      const table = lines.slice(0, lines.lastIndexOf("\n\n"))
      if (locale === "en")
        assert.deepStrictEqual(
          table.split("\n").filter((line) => line.length > 120),
          []
        )
      for (const { name, text: own } of commands) {
        assert.include(text, `claw ${name}`.trim())
        assert.include(text, own[locale])
      }
      for (const flag of flags) assert.include(text, `--${flag.name}`)
    }
  })

  it("of a command names its own options and no other", () => {
    for (const command of commands) {
      const listed = commandHelp(command, "en").match(/(?<=^ {2}(?:-\w, )?--)[a-z-]+/gm) ?? []
      assert.deepStrictEqual(listed.toSorted(), command.flags.toSorted())
    }
  })

  it("names every role that there is", () => {
    assert.deepStrictEqual<ReadonlyArray<string>>(ROLES, roles)
  })

  it("costs nothing to load: its modules import no package", () => {
    const own = ["Help.ts", "Commands.ts", "commandFlags.ts"]
    for (const name of own) {
      const source = readFileSync(new URL(`../../src/cli/${name}`, import.meta.url), "utf8")
      for (const [, from = ""] of source.matchAll(/from "([^"]+)"/g)) assert.include(own, from.replace("./", ""))
    }
  })
})
