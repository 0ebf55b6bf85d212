/** Rules carry examples, checked when they are loaded: one that fails names rule and example (R138). */
import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { checkedRules } from "../../src/app/policyRules.ts"
import { load } from "../../src/config/AppConfig.ts"
import type { ConfigFile, Rule } from "../../src/config/Settings.ts"
import { toolsIn } from "../support/builtinTools.ts"
import { dir } from "../support/workspaceDir.ts"

const check = (action: "allow" | "ask" | "deny", rule: Rule) => {
  const rules: NonNullable<ConfigFile["rules"]> = { [action]: [rule] }
  const config = Result.getOrThrow(
    load({ workspace: "/nowhere/ws", flags: { rules }, env: { HOME: "/nowhere" }, operator: "/nowhere/operator.json" })
  )
  const checked = checkedRules(config)
  return Result.isFailure(checked) ? [checked.failure.code, checked.failure.message] : "holds"
}

describe("examples that hold", () => {
  it.each([
    [
      "deny",
      {
        argv: ["curl"],
        examples: {
          match: ["curl x", "ls && curl x", "env curl x", "eval 'curl x'"],
          no_match: ["curlew x", "echo curl"]
        }
      }
    ],
    ["ask", { argv: ["git", "push"], examples: { match: ["git -C . push"], no_match: ["git pull"] } }],
    [
      "allow",
      {
        argv: ["npm", "test"],
        examples: {
          match: ["npm test", "npm test -- a.ts"],
          no_match: ["npm test > log", "npm test && ls", "X=1 npm test"]
        }
      }
    ],
    [
      "deny",
      {
        path: "secrets/**",
        examples: { match: ["secrets/a", "/nowhere/ws/secrets/b/c"], no_match: ["secretsx/a", "a/secrets/b"] }
      }
    ],
    // A directory's name is what lies below it, too.
    [
      "deny",
      { path: "secrets", examples: { match: ["secrets", "secrets/k", "secrets/a/b"], no_match: ["secretsx/a"] } }
    ],
    ["ask", { path: "*.pem", examples: { match: ["a.pem"], no_match: ["a/b.pem"] } }],
    ["ask", { path: "**/*.pem", examples: { match: ["a.pem", "a/b.pem"] } }],
    [
      "allow",
      { tool: "write_file", path: "src/**", examples: { match: ["src/a.ts"], no_match: ["a.ts", "/etc/passwd"] } }
    ],
    ["deny", { tool: "bash", examples: { match: ["bash"], no_match: ["read_file"] } }],
    ["allow", { tool: "todo" }]
  ] as ReadonlyArray<readonly ["allow" | "ask" | "deny", Rule]>)("%s %j", (action, rule) => {
    assert.strictEqual(check(action, rule), "holds")
  })
})

it.effect("a rule may name every tool that there is", () =>
  Effect.gen(function* () {
    const { tools } = yield* toolsIn(yield* dir)
    const names = [...tools.map(({ name }) => name), "read_skill", "*"]
    assert.deepStrictEqual(
      names.filter((tool) => check("deny", { tool }) !== "holds"),
      []
    )
  })
)

it("those of the README load, and do what they say", () => {
  const text = readFileSync(new URL("../../README.md", import.meta.url), "utf8")
  const [, json = ""] = /```json\n(\{ "rules"[^`]*)```/.exec(text) ?? []
  const { rules = {} } = JSON.parse(json) as ConfigFile
  assert.deepStrictEqual([rules.deny?.length, rules.ask?.length, rules.allow?.length], [2, 1, 2])
  const config = load({
    workspace: "/nowhere/ws",
    flags: { rules },
    env: { HOME: "/nowhere" },
    operator: "/nowhere/operator.json"
  })
  assert.isTrue(Result.isSuccess(checkedRules(Result.getOrThrow(config))))
})

describe("examples that fail", () => {
  it.each([
    [
      "deny",
      { argv: ["curl"], reason: "no network", examples: { match: ["curlew"] } },
      'the command line: the rule rules.deny[0] ("no network") must match "curlew" and does not.'
    ],
    [
      "deny",
      { argv: ["git"], examples: { no_match: ["git status"] } },
      'the command line: the rule rules.deny[0] must not match "git status" and does.'
    ],
    [
      "deny",
      { tool: "Bash" },
      'the command line: the rule rules.deny[0] names the tool "Bash", which is none; did you mean bash?'
    ],
    [
      "deny",
      { tool: "nosuch" },
      'the command line: the rule rules.deny[0] names the tool "nosuch", which is none; there are bash, edit_file, glob, grep, list_dir, read_file, read_skill, subagent, todo, write_file, write_plan.'
    ],
    [
      "allow",
      { argv: ["npm"], examples: { match: ["npm test | tee x"] } },
      'the command line: the rule rules.allow[0] must match "npm test | tee x" and does not.'
    ]
  ] as ReadonlyArray<readonly ["allow" | "ask" | "deny", Rule, string]>)("%s %j", (action, rule, sentence) => {
    assert.deepStrictEqual(check(action, rule), ["bad_config", sentence])
  })
})
