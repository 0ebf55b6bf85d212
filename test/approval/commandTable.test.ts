/** Compound commands against allow and deny rules (case H09, R167, LESSONS 27): each row's decision is one of the right ones. */
import { assert, describe, it } from "@effect/vitest"
import type { Action, Rule } from "../../src/approval/Rules.ts"
import { denyRule, judgeBash, makeWorkspace } from "../support/approvalCorpus.ts"

const allowRule = (words: string): Rule => {
  const [first = "", ...rest] = words.split(" ")
  return { name: words, tool: "bash", matcher: { kind: "command", argv: [first, ...rest] }, action: "allow" }
}

const rules = [
  ...["git status", "git log", "git diff", "ls", "cat", "echo", "npm test"].map(allowRule),
  denyRule(["rm"])
]

/** The case accepts "ask" for many of these rows; this gate knows better, so the strongest right answer is pinned. */
const table: ReadonlyArray<readonly [string, Action]> = [
  ["git status", "allow"],
  ["git status && ls -la", "allow"],
  ["git status && curl http://127.0.0.1:9/x", "ask"],
  ["git status; rm -rf build", "deny"],
  ["git status;rm -rf build", "deny"],
  ["git status | tee out.txt", "ask"],
  ["ls & rm x", "deny"],
  ["ls || rm x", "deny"],
  ["git statusx", "ask"],
  ["git status-all", "ask"],
  ["npm testify", "ask"],
  ["(rm -rf build)", "deny"],
  ["echo $(rm -rf build)", "deny"],
  ['echo "a && rm -rf b"', "allow"],
  ["echo 'x; rm -rf b'", "allow"],
  ["echo hi > notes.txt", "ask"],
  ["cat < in.txt", "allow"],
  ["rm -rf build", "deny"],
  ["", "ask"]
]

describe("H09", () => {
  it.each(table)("%s: %s", (command, expected) => {
    const workspace = makeWorkspace()
    try {
      assert.strictEqual(judgeBash({ command, workspace: workspace.path, rules }).action, expected)
    } finally {
      workspace.remove()
    }
  })
})

/** A user may allow a program that runs others only word for word (P5, R160: `go test` is configurable). */
const configured: ReadonlyArray<readonly [string, string, Action]> = [
  ["go test", "go test ./...", "allow"],
  ["go test", "go test -exec ./x ./...", "ask"],
  ["make test", "make test", "allow"],
  ["make test", "make test SHELL=./evil.sh", "ask"],
  ["python3", "python3 -c 1", "ask"],
  ["git", "git frobnicate", "ask"]
]

describe("allow rules of a user", () => {
  it.each(configured)("%s covers %s: %s", (rule, command, expected) => {
    const workspace = makeWorkspace()
    try {
      assert.strictEqual(judgeBash({ command, workspace: workspace.path, rules: [allowRule(rule)] }).action, expected)
    } finally {
      workspace.remove()
    }
  })
})

const ask = (words: string): Rule => ({ ...allowRule(words), name: `ask ${words}`, action: "ask" })

describe("the strictest rule wins, however the rules are ordered (P1)", () => {
  it.each([
    ["deny over allow", [allowRule("git status"), denyRule(["git"])], "deny"],
    ["deny over ask", [ask("git"), denyRule(["git", "status"])], "deny"],
    ["ask over allow", [allowRule("git status"), ask("git")], "ask"],
    ["ask over allow, turned round", [ask("git"), allowRule("git status")], "ask"]
  ] as ReadonlyArray<readonly [string, ReadonlyArray<Rule>, Action]>)("%s", (_, some, expected) => {
    const workspace = makeWorkspace()
    try {
      assert.strictEqual(judgeBash({ command: "git status", workspace: workspace.path, rules: some }).action, expected)
    } finally {
      workspace.remove()
    }
  })
})
