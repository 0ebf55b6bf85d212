/** What `cp -r`, `mv` and `ln` put in place below the names that they are given (SECURITY P11). */
import { assert, describe, it } from "@effect/vitest"
import { symlinkSync } from "node:fs"
import { join } from "node:path"
import { judgeBash, makeGrant } from "../support/approvalCorpus.ts"
import { type Files, inWorkspace, writeFiles } from "../support/contentFiles.ts"

const files: Files = {
  "evil/.github/workflows/ci.yml": "on: push\n",
  "evil/node_modules/.bin/tool": "#!/bin/sh\n",
  "evil/.husky/pre-commit": "x\n",
  "tm/workflows/ci.yml": "on: push\n",
  "sub/tm/workflows/ci.yml": "on: push\n",
  "repository/.git/config": "",
  "plain/a/b.txt": "",
  "lib/x.js": "",
  "other/a.txt": ""
}

/** Lines that pass under grants of first words of these programs. */
const passing = (lines: ReadonlyArray<string>): ReadonlyArray<string> =>
  inWorkspace(files, (workspace) => {
    writeFiles(workspace, { "links/a.txt": "" })
    symlinkSync("../tm", join(workspace, "links/.github"))
    const grants = [["cp"], ["mv"], ["ln"], ["git", "mv"]].map((argv) => makeGrant(workspace, "prefix", argv))
    return lines.filter((command) => judgeBash({ command, workspace, grants }).action === "allow")
  })

describe("destinations below", () => {
  it("a protected name asks wherever the source's own name or its contents bring it (P11)", () => {
    const lines = [
      "cp -r evil/.github .",
      "cp -R evil/.github .",
      "cp -a evil/.github ./",
      "cp --recursive evil/.github .",
      "cp -r -t . evil/.github",
      "cp -r evil/.git* .",
      "cp -r evil/. .",
      "cp -r evil .",
      "cp -r evil/.husky .",
      "cp -r tm .github",
      "cp -rT tm .github",
      "cp -r links/.github .",
      "cp -r links/. .",
      "mv evil/.github .",
      "mv -t . evil/.github",
      "mv evil/.g* .",
      "mv evil/node_modules .",
      "mv evil lib",
      "mv tm .github",
      "mv links/.github .",
      "git mv evil/.github .",
      "ln -s tm .github",
      "ln -s ../sub/tm lib/.github",
      "ln -s ../evil/.github lib",
      "mv repository lib",
      "ln -s repository lib",
      "ln -s evil/node_modules"
    ]
    assert.deepStrictEqual(passing(lines), [])
  })

  it("a copy of a repository is refused, one that is moved along asks, and none gets the place of the own one", () => {
    const lines = ["cp -r repository lib", "mv repository lib", "mv repository/.git .", "cp -r repository/. ."]
    const actions = inWorkspace(files, (workspace) => lines.map((command) => judgeBash({ command, workspace }).action))
    assert.deepStrictEqual(actions, ["deny", "ask", "deny", "deny"])
  })

  it("ordinary files and directories ask no more than before", () => {
    const lines = [
      "cp -r plain other",
      "cp -r plain new",
      "cp other/a.txt lib",
      "cp -a plain/. lib",
      "mv plain lib",
      "mv lib/x.js other",
      "mv other/a.txt other/b.txt",
      "ln -s plain here"
    ]
    assert.deepStrictEqual(passing(lines), lines)
  })
})
