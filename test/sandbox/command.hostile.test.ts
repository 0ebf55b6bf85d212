/**
 * Texts that are made to be expensive end like any other (SECURITY T2, T13): no pattern tries a text again and again. A
 * pattern that does never returns here, which the test's own limit reports.
 */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { holdsCredential, isEnvironmentFile } from "../../src/config/SecretPlaces.ts"
import { secretsIn } from "../../src/config/secretValues.ts"
import { analyse } from "../../src/sandbox/CommandAnalysis.ts"
import { guardOf } from "../../src/sandbox/controlPlane.ts"
import { denyRule, HOME, judgeBash, makeWorkspace } from "../support/approvalCorpus.ts"

const LENGTH = 100_000
const fill = (unit: string, length = LENGTH): string => unit.repeat(Math.floor(length / unit.length))

/** What stands in front, what is repeated, what stands behind. */
const TEXTS: ReadonlyArray<readonly [front: string, unit: string, behind: string]> = [
  ["taskfile-", "S-S-", "/x"],
  ["tsconfig.", "s-s.", "g"],
  ["compose.h", "_-t", "!"],
  ["Dockerfile", ".a-", "!"],
  [".env", ".a", "!"],
  ["a/", "templates/v", "\n"],
  ["n", "/.mvn/.", "\n/.mvn/\u0001"],
  ["", "/", "x"],
  ["", "/{", "x"],
  ["", "/.mvn", "}"],
  ["e", "_e2e_", "!"],
  ["-", "S", "s"],
  ["-", "c", "!"],
  ["", "e", "!"],
  ["", "[", "*"],
  ["", "${A[", "$A"],
  ["", "${A-", "$A"],
  ["", '\\"', '"'],
  ["'", "\\'", "x"],
  ["`", "\\`", "x"],
  ["x", "::$", "\n"],
  ["x", ". ", "\u0001"],
  ["include ", "\t", "x"],
  ["", "include \r", "x"],
  ["importlib ", "importlib import ", "x"],
  ["", "pytest_plugins\r", "x"],
  ['"extends":', "\t", "x"],
  ["require 'n'", "\t", "x"],
  ["", "\n\t", "mod"],
  ["members = ", "members = [", "x"],
  ["//x:_auth=", "A\r", "x"],
  ["_auth=", " ", "${x}"],
  ["a", "a", "://@"],
  ["a://", "a", ":"],
  ["", "\n", "x"],
  ["", "{#{$", "\n"],
  ["", "a@", "!"]
]

const FILES = [
  "h.js",
  "h.py",
  "h.php",
  "h.rs",
  "h.sh",
  "Makefile",
  "tsconfig.json",
  "Cargo.toml",
  "Taskfile.yml",
  "tox.ini"
]
const LINES = ["node h.js", "python3 h.py", "php h.php", "sh h.sh", "make", "tsc", "cargo build", "task", "tox"]

describe("whatever a text repeats", () => {
  let workspace: ReturnType<typeof makeWorkspace>
  beforeAll(() => {
    workspace = makeWorkspace()
  })
  afterAll(() => workspace.remove())

  const judged = (command: string): string => {
    const rules = [denyRule(["git", "push"]), denyRule(["rm"])]
    return judgeBash({ command, workspace: workspace.path, rules, mode: "bypass" }).action
  }

  it.each(TEXTS)("%j, then %j, then %j: as a word, a quoted text, code and a name", (front, unit, behind) => {
    const line = `${front}${fill(unit, 30_000)}${behind}`
    const quoted = `'${line.replaceAll("'", "'\\''")}'`
    for (const command of [`cat ${line}`, `: ${quoted}`, `sh -c ${quoted}`, `python3 -c ${quoted}`, `rm -r ${quoted}`])
      assert.include(["ask", "deny", "allow"], judged(command.slice(0, 65_000)))
    assert.isDefined(analyse(fill(line), { workspace: workspace.path, home: HOME }).refused)
    const text = `${front}${fill(unit)}${behind}`
    assert.isString(guardOf(text).kind)
    assert.isBoolean(isEnvironmentFile(text))
    assert.isBoolean(holdsCredential(".npmrc", () => text) || holdsCredential(".yarnrc", () => text))
    assert.isArray(secretsIn("TEXT", text))
  })

  it.each(TEXTS)("%j, then %j, then %j: in the files that a command reads", (front, unit, behind) => {
    for (const file of FILES) writeFileSync(join(workspace.path, file), `${front}${fill(unit)}${behind}`)
    for (const line of LINES) assert.include(["ask", "deny", "allow"], judged(line))
  })
})
