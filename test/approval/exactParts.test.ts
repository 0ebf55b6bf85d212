/** An exact grant covers the call that was shown, alone or as a part of a line, and nothing that only looks like it (R154). */
import { assert, describe, it } from "@effect/vitest"
import { judgeBash, makeGrant } from "../support/approvalCorpus.ts"
import { type Files, inWorkspace, writeFiles } from "../support/contentFiles.ts"

/** The person granted exactly the first line, all words as they stand there; what of these runs unasked? */
const unasked = (argv: ReadonlyArray<string>, lines: ReadonlyArray<string>, files: Files = {}) =>
  inWorkspace({ "src/x": "", "src/y": "", ...files }, (workspace) => {
    const grants = [argv, ["ls", "docs"], ["cat", "evil.js"], ["echo", "1"]].map((one) =>
      makeGrant(workspace, "exact", one)
    )
    return lines.filter((command) => judgeBash({ command, workspace, grants }).action === "allow")
  })

describe("a quoted pattern is a name, a live one is many (R154)", () => {
  it.each([
    [["rm", "-f", "src/*"], "rm -f src/*", "rm -f 'src/*'"],
    [["rm", "-f", "src/[xy]"], "rm -f src/[xy]", 'rm -f "src/[xy]"'],
    [["rm", "-f", "./?"], "rm -f ./?", "rm -f './?'"],
    [["cp", "src/*", "docs"], "cp src/* docs", "cp 'src/*' docs"],
    [["mv", "src/*", "docs"], "mv src/* docs", "mv 'src/*' docs"],
    [["git", "rm", "src/*"], "git rm src/*", "git rm 'src/*'"],
    [["chmod", "+x", "src/*"], "chmod +x src/*", "chmod +x 'src/*'"]
  ] as ReadonlyArray<readonly [ReadonlyArray<string>, string, string]>)("%j", (argv, live, quoted) => {
    const lines = [live, `ls docs; ${live}`, `${quoted}; ${live}`, quoted, `ls docs; ${quoted}`]
    assert.deepStrictEqual(unasked(argv, lines), [quoted, `ls docs; ${quoted}`])
  })

  it("words of a rule are no pattern either", () => {
    const rule = {
      name: "own",
      tool: "bash",
      action: "allow",
      matcher: { kind: "command", argv: ["cat", "src/[x]"] }
    } as const
    inWorkspace({}, (workspace) => {
      const action = (command: string) => judgeBash({ command, workspace, rules: [rule] }).action
      assert.deepStrictEqual([action("cat 'src/[x]'"), action("cat src/[x]")], ["allow", "ask"])
    })
  })
})

describe("what is fed in was not granted with the words alone (R154, P12)", () => {
  const files: Files = { "evil.js": "evil()\n", "evil.patch": "--- a\n" }
  it.each([
    [["node"], ["node <<< 'evil()'", "node < evil.js", "cat evil.js | node", "echo 1 | node", "node <<E\nevil()\nE"]],
    [
      ["node", "-"],
      ["cat evil.js | node -", "node - < evil.js"]
    ],
    [
      ["python3", "-"],
      ["python3 - < evil.js", "echo 1 | python3 -"]
    ],
    [
      ["git", "apply"],
      ["git apply < evil.patch", "cat evil.js | git apply", "git apply <<< x"]
    ],
    [["git", "am"], ["cat evil.js | git am"]],
    [
      ["patch", "-p1"],
      ["patch -p1 < evil.patch", "cat evil.js | patch -p1", "cat evil.js |& patch -p1", "ls docs; patch -p1 <<< x"]
    ]
  ] as ReadonlyArray<readonly [ReadonlyArray<string>, ReadonlyArray<string>]>)("%j", (argv, lines) => {
    assert.deepStrictEqual(unasked(argv, lines, files), [])
  })

  it("a rule on a program that runs what it reads covers it without", () => {
    const rule = { name: "own", tool: "bash", action: "allow", matcher: { kind: "command", argv: ["node"] } } as const
    inWorkspace(files, (workspace) => {
      const action = (command: string) => judgeBash({ command, workspace, rules: [rule] }).action
      assert.deepStrictEqual([action("node <<< 'evil()'"), action("echo 1 | node")], ["ask", "ask"])
    })
  })

  it("an empty input, and what only filters behind it, ask no more than before", () => {
    const lines = ["npm test < /dev/null", "npm test | tail -n 20", "npm test 2>&1 | grep x", "ls docs && npm test"]
    assert.deepStrictEqual(unasked(["npm", "test"], lines), lines)
  })

  it("a file that was not there when it was granted voids it", () => {
    inWorkspace({}, (workspace) => {
      const grants = [makeGrant(workspace, "exact", ["patch", "-i", "new.patch"])]
      const action = () => judgeBash({ command: "patch -i new.patch", workspace, grants }).action
      const before = action()
      writeFiles(workspace, { "new.patch": "--- a\n" })
      assert.deepStrictEqual([before, action()], ["allow", "ask"])
    })
  })
})
