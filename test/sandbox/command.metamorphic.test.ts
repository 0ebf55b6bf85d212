/** Spelling does not change the answer, and joining never weakens it (SECURITY P1, P3, R159, LESSONS 27). */
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import type { Action } from "../../src/approval/Rules.ts"
import { denyRule, judgeBash, makeGrant } from "../support/approvalCorpus.ts"

const WORKSPACE = "/nowhere/ws"
const grants = [
  ["git", "status"],
  ["git", "log"],
  ["npm", "test"],
  ["grep"],
  ["sort"],
  ["find", "."],
  ["echo"],
  ["cat"]
].map((argv) => makeGrant(WORKSPACE, "prefix", argv))
const judge = (command: string): Action =>
  judgeBash({ command, workspace: WORKSPACE, grants, rules: [denyRule(["curl"]), denyRule(["git", "push"])] }).action

const BASES = [
  ["git", "status"],
  ["git", "status", "-sb"],
  ["git", "log", "--oneline"],
  ["git", "log", "--output=x"],
  ["git", "push", "origin"],
  ["git", "-p", "log"],
  ["npm", "test"],
  ["npm", "publish"],
  ["grep", "-n", "x", "README.md"],
  ["grep", "x", "/etc/passwd"],
  ["sort", "-o", "x", "y"],
  ["sort", "-u", "y"],
  ["find", ".", "-name", "x"],
  ["find", ".", "-delete"],
  ["echo", "a", "/", "b"],
  ["cat", "../x"],
  ["cat", "src/a.ts"],
  ["curl", "http://x"],
  ["env", "curl", "x"],
  ["sudo", "ls"],
  ["rm", "-rf", "/"],
  ["ls"]
]
const base = fc.constantFrom(...BASES)
const spelled = (word: string) =>
  fc.oneof(
    fc.constant(word),
    fc.constant(`'${word}'`),
    fc.constant(`"${word}"`),
    fc.constant(word.replace(/[a-z]/, "\\$&")),
    fc.nat(word.length).map((at) => `${word.slice(0, at)}""${word.slice(at)}`),
    fc.nat(word.length).map((at) => `'${word.slice(0, at)}'"${word.slice(at)}"`)
  )
const space = fc.constantFrom(" ", "  ", "\t", " \\\n ")

const STRICT: Readonly<Record<Action, number>> = { allow: 0, ask: 1, deny: 2 }

describe("spelling", () => {
  it("quotes, escapes and blanks do not change the answer", () => {
    const variant = base.chain((words) =>
      fc.tuple(
        fc.constant(words),
        fc.tuple(...words.map(spelled)),
        fc.array(space, { minLength: words.length, maxLength: words.length })
      )
    )
    fc.assert(
      fc.property(variant, ([words, quoted, blanks]) => {
        const text = quoted
          .map((word, at) => word + blanks[at])
          .join("")
          .trimEnd()
          .replace(/\\$/, "")
        assert.strictEqual(judge(text), judge(words.join(" ")), JSON.stringify(text))
      }),
      { numRuns: 600 }
    )
  })
})

describe("joining", () => {
  const joint = fc.constantFrom(" && ", " || ", "; ", " | ", " |& ", " & ", "\n")
  it("a line is as strict as its strictest part", () => {
    fc.assert(
      fc.property(base, base, joint, (left, right, between) => {
        const parts = [left, right].map((words) => STRICT[judge(words.join(" "))])
        assert.strictEqual(STRICT[judge(left.join(" ") + between + right.join(" "))], Math.max(...parts))
      }),
      { numRuns: 600 }
    )
  })

  it.each([
    (line: string) => `(${line})`,
    (line: string) => `{ ${line}; }`,
    (line: string) => `echo $(${line})`,
    (line: string) => `echo \`${line}\``,
    (line: string) => `cat <(${line})`,
    (line: string) => `bash -c '${line}'`,
    (line: string) => `eval "${line}"`,
    (line: string) => `env ${line}`,
    (line: string) => `nohup ${line}`,
    (line: string) => `timeout 5 ${line}`,
    (line: string) => `xargs ${line}`,
    (line: string) => `find . -exec ${line} \\;`,
    (line: string) => `if ${line}; then :; fi`,
    (line: string) => `for x in 1; do ${line}; done`,
    (line: string) => `f() { ${line}; }; f`,
    (line: string) => `trap '${line}' EXIT`,
    (line: string) => `coproc ${line}`,
    (line: string) => `time ${line}`,
    (line: string) => `X=1 ${line}`,
    (line: string) => `${line} > out`,
    (line: string) => `bash <<'E'\n${line}\nE`
  ])("wrapping in %s keeps a refusal and never allows", (wrap) => {
    for (const words of BASES) {
      const line = words.join(" ")
      const expected = judge(line) === "deny" ? "deny" : "ask"
      assert.strictEqual(judge(wrap(line)), expected, wrap(line))
    }
  })
})
