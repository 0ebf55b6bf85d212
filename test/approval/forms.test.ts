/** Tests that an interpreter calls are granted as test runners are, and the interpreter never is (P5, P8, R140). */
import { assert, describe, it } from "@effect/vitest"
import type { Mode } from "../../src/approval/ApprovalGate.ts"
import { NODE_TEST, UNITTEST } from "../../src/sandbox/commandForms.ts"
import { refusedBy } from "../../src/sandbox/commandAllowed.ts"
import { judgeBash, makeGrant } from "../support/approvalCorpus.ts"
import { inWorkspace } from "../support/contentFiles.ts"

const FILES = { "test/a.test.mjs": "1\n", "src/a.mjs": "1\n", "tests/test_a.py": "1\n", "app/cli.py": "1\n" }
const GRANTS = [
  "node --test",
  "python3 -m pytest",
  "python3 -m unittest",
  "ruff",
  "mypy",
  "black",
  "git branch",
  "ln",
  "cp",
  "tee"
]

const action = (command: string, mode: Mode = "ask") =>
  inWorkspace(FILES, (workspace) => {
    const grants = GRANTS.map((words) => makeGrant(workspace, "prefix", words.split(" ")))
    return judgeBash({ command, workspace, grants, mode })
  })

describe("first words", () => {
  it.each([
    "node --test",
    "node --test test/a.test.mjs",
    "node --test --test-name-pattern=x test",
    "node --test 2>&1 | tail -n 5",
    "python3 -m pytest -q",
    "python3 -m pytest tests/test_a.py::test_x -xvs",
    "python3 -m unittest",
    "ruff check .",
    "ruff format --check .",
    "mypy app --strict",
    "black --check .",
    "git branch topic",
    "ln -s docs new",
    "cp README.md docs",
    "tee new"
  ])("cover %s", (command) => {
    assert.strictEqual(action(command).action, "allow", action(command).reason)
  })

  it.each([
    "node",
    "node src/a.mjs",
    "node --test src/a.mjs",
    "node --test ../x.test.mjs",
    "node --test test/../src/a.mjs",
    "node --test --import ./src/a.mjs",
    "node --test -e 1",
    "node --test -- src/a.mjs",
    "node --import ./src/a.mjs --test",
    "node --test --test-reporter=./src/a.mjs",
    "python3 -m app.cli",
    "python3 -m pytest -p evil",
    "python3 -m pytest --rootdir=x",
    "python3 -m unittest app.cli",
    "python3 -c 1 -m pytest",
    "python3 -m pip install x",
    "ruff check --fix .",
    "ruff format .",
    "ruff clean",
    "mypy --config-file x app",
    "mypy --install-types --non-interactive app",
    "black .",
    "git branch -m topic",
    "git branch x -m",
    "git branch --edit-description",
    "git branch -u origin/main",
    "git branch --set-upstream-to=origin/main",
    "ln -sf docs README.md",
    "cp README.md README.md",
    "echo x | tee README.md"
  ])("do not cover %s", (command) => {
    assert.strictEqual(action(command).action, "ask")
  })

  it("of the forms are listed with words that pass and words that ask", () => {
    for (const row of [NODE_TEST, UNITTEST]) {
      assert.deepStrictEqual(refusedBy(row, row.plain), [])
      assert.deepStrictEqual(
        row.asks.filter((word) => refusedBy(row, [word]).length === 0),
        []
      )
    }
  })

  it("of each plain command of a line are offered", () => {
    const offered = (command: string) =>
      inWorkspace(FILES, (workspace) =>
        judgeBash({ command, workspace })
          .grant_options.map(({ label }) => label)
          .slice(1)
      )
    assert.deepStrictEqual(offered("git add -A && git commit -m x"), [
      "commands that begin with git add",
      "commands that begin with git commit"
    ])
    assert.deepStrictEqual(offered("git add -A && git add x"), ["commands that begin with git add"])
    assert.deepStrictEqual(offered("git add -A && node x.js"), [])
    assert.deepStrictEqual(offered("git add -A && rm x"), [])
    assert.deepStrictEqual(offered("mkdir a; touch b; cp c d; mv e f"), [])
  })
})
