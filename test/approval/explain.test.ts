/** A verdict explains itself: words, what covers them, what made it ask, why nothing wider is offered (R139, R167). */
import { afterAll, assert, describe, it } from "@effect/vitest"
import { explain, QUESTION_PARTS } from "../../src/approval/Explain.ts"
import { decide } from "../../src/approval/Policy.ts"
import type { Rule } from "../../src/approval/Rules.ts"
import type { Subject } from "../../src/approval/Cover.ts"
import type { Grant } from "../../src/domain/Approval.ts"
import type { CallId } from "../../src/domain/Ids.ts"
import { assessBash, denyRule, makeGrant, makeWorkspace } from "../support/approvalCorpus.ts"

const workspace = makeWorkspace()
afterAll(workspace.remove)

const subjectOf = (command: string, grants: ReadonlyArray<Grant> = [], rules: ReadonlyArray<Rule> = []): Subject => ({
  call: { call_id: "call_1" as CallId, tool_name: "bash", arguments: JSON.stringify({ command }) },
  digest: "",
  assessment: assessBash(command, workspace.path),
  mode: "ask",
  rules,
  grants,
  workspace: workspace.path
})

const explained = (...given: Parameters<typeof subjectOf>) => {
  const subject = subjectOf(...given)
  return explain(subject, decide(subject))
}

const rule = (action: Rule["action"], ...[first = "", ...rest]: ReadonlyArray<string>): Rule => ({
  name: `${action} ${first}`,
  tool: "bash",
  action,
  matcher: { kind: "command", argv: [first, ...rest] }
})

const status = makeGrant(workspace.path, "prefix", ["git", "status"])
const test = makeGrant(workspace.path, "prefix", ["npm", "test"])

describe("explain", () => {
  it("says of a grant of exactly this call that what it runs has changed since", () => {
    const subject = subjectOf("npm test")
    const exact: Grant = { ...test, matcher: { kind: "exact", digest: "same" }, content: "as it was" }
    const asked = { ...subject, digest: "same", grants: [exact] }
    const told = `what it runs has changed since the grant ${exact.grant_id.slice(-8)} was given`
    assert.include(explain(asked, decide(asked)).line, told)
  })

  it("says of code what a rule denies and it names, apart from the same words that are given other code (P4)", () => {
    const deny = denyRule(["rm"])
    const { parts } = explained("python3 <<< 'os.system(\"rm x\")'; python3 <<< 'print(1)'", [], [deny])
    const told = `the code that python3 is given names what the rule ${deny.name} denies`
    assert.deepStrictEqual(
      parts.map(({ state, by, why }) => [state, by, why.includes(told)]),
      [
        ["asks", deny.name, true],
        ["uncovered", undefined, false]
      ]
    )
  })

  it("a rule that allows every call of the tool covers each part, and none is said to be covered by nothing", () => {
    const all: Rule = { name: "all", tool: "bash", action: "allow", matcher: { kind: "tool" } }
    const { action, parts } = explained("rm -rf src && ls > x", [], [all])
    const states = parts.map(({ by, state, why }) => [state, by, why])
    assert.deepStrictEqual([action, states], ["allow", Array.from({ length: 2 }, () => ["covered", "all", []])])
    const asked = explained("rm -rf src", [], [all, rule("ask", "rm")])
    assert.deepStrictEqual([asked.action, asked.parts[0]?.by], ["ask", "ask rm"])
  })

  it("names of each command its words, and what covers it or made it ask", () => {
    const { parts, line, narrow, action } = explained(
      "git status && npm test 2>&1 | tee log; ls > x; cat README.md",
      [status],
      [rule("allow", "npm", "test"), rule("ask", "cat")]
    )
    assert.deepStrictEqual(
      { action, parts, line, narrow },
      {
        action: "ask",
        parts: [
          { words: ["git", "status"], state: "covered", by: status.grant_id, matcher: status.matcher, why: [] },
          {
            words: ["npm", "test"],
            state: "covered",
            by: "allow npm",
            matcher: { kind: "command", argv: ["npm", "test"] },
            why: []
          },
          { words: ["tee", "log"], state: "uncovered", why: [] },
          { words: ["ls"], state: "asks", why: ["writes x"] },
          {
            words: ["cat", "README.md"],
            state: "asks",
            by: "ask cat",
            matcher: { kind: "command", argv: ["cat"] },
            why: []
          }
        ],
        line: [],
        narrow: "writes x"
      }
    )
  })

  it("says of the whole line what no single command is to blame for", () => {
    const { line, parts } = explained("for f in a b; do rm $f; done")
    assert.deepStrictEqual(line, ["has a loop"])
    assert.deepStrictEqual(
      parts.map(({ words, state, why }) => [words, state, why]),
      [[["rm", "$f"], "asks", ["expands a variable"]]]
    )
  })

  it("names the rule that denies, also below a wrapper", () => {
    const { action, parts } = explained("env A=1 curl x", [], [denyRule(["curl"])])
    assert.deepStrictEqual(
      [action, parts.map(({ words, state, by }) => [words.join(" "), state, by])],
      [
        "deny",
        [
          ["env A=1 curl x", "asks", undefined],
          ["curl x", "denied", "no curl"]
        ]
      ]
    )
  })

  it("says why a grant that looks as if it covered it does not", () => {
    const changed = explained("npm test", [{ ...test, content: "of another manifest" }]).parts[0]
    assert.deepStrictEqual(changed, {
      words: ["npm", "test"],
      state: "uncovered",
      why: [`what it runs has changed since the grant ${test.grant_id.slice(-8)} was given`]
    })
    const find: Grant = { ...test, matcher: { kind: "command", argv: ["make"] } }
    const only = explained("make all", [find])
    assert.match(
      only.parts[0]?.why[0] ?? "",
      new RegExp(`^the grant ${test.grant_id.slice(-8)} of its first words is ignored: `)
    )
    assert.strictEqual(only.narrow, "it runs programs that its files or options name")
  })

  it("is bounded where a question carries it, what does not pass first, and counts the rest", () => {
    const subject = subjectOf(`${"git status; ".repeat(500)}rm -rf build; ${"git status; ".repeat(500)}ls > x`, [
      status
    ])
    const { parts, more } = explain(subject, decide(subject), QUESTION_PARTS)
    assert.deepStrictEqual(
      [parts.length, more, parts.slice(0, 3).map(({ words }) => words[0])],
      [QUESTION_PARTS, 1002 - QUESTION_PARTS, ["ls", "rm", "git"]]
    )
    const words = explain(subject, decide(subject)).parts.map((part) => part.words[0])
    assert.isTrue(
      parts.every(({ at = 0, words: own }) => words[at - 1] === own[0]),
      "each keeps its number"
    )
    const long = subjectOf(`echo ${"x".repeat(20_000)} ${"y ".repeat(500)}`)
    assert.isBelow(JSON.stringify(explain(long, decide(long), QUESTION_PARTS)).length, 22_000)
  })

  it("a filter of what a granted command says is covered, and the command alone can be granted", () => {
    const by = (line: string, rules: ReadonlyArray<Rule> = []) => {
      const { action, parts, narrow } = explained(line, [status], rules)
      return [action, parts.map(({ state, by: name }) => name ?? state), narrow]
    }
    assert.deepStrictEqual(by("git status | tail -n 2"), ["allow", [status.grant_id, "filter"], undefined])
    assert.deepStrictEqual(by("git status | tail -n 2", [rule("ask", "tail")])[0], "ask")
    assert.deepStrictEqual(by("git log | sort | head -n 2"), ["ask", ["uncovered", "filter", "filter"], undefined])
    assert.deepStrictEqual(by("git status | tail -n 2 README.md")[0], "ask")
    assert.deepStrictEqual(by("tail -n 2"), ["ask", ["uncovered"], undefined])
  })
})
