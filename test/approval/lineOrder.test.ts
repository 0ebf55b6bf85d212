/** What comes first in a line may change what comes later, and all of it is judged before (P3, P10, P12). */
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { judgeBash, makeGrant, makeWorkspace } from "../support/approvalCorpus.ts"

const GRANTS = [
  ["npm", "test"],
  ["npm", "run"],
  ["git"],
  ["git", "checkout"],
  ["git", "stash"],
  ["git", "add"],
  ["git", "switch"],
  ["rm"]
]
  .concat([["git", "pull"], ["git", "commit"], ["mv"], ["cp"], ["tee"], ["cat"], ["mkdir"], ["touch"], ["echo"]])
  .concat([
    ["npm", "pkg"],
    ["sh", "run.sh"]
  ])

const judged = (command: string, prepare: (path: string) => void = () => {}) => {
  const workspace = makeWorkspace()
  try {
    prepare(workspace.path)
    return judgeBash({
      command,
      workspace: workspace.path,
      grants: GRANTS.map((argv) => makeGrant(workspace.path, "prefix", argv))
    })
  } finally {
    workspace.remove()
  }
}

describe("the order of a line", () => {
  it.each([
    "git checkout evil && npm test",
    "git checkout evil; npm test | tail -n 3",
    "git stash pop && npm test",
    "git -C . checkout evil && npm test",
    "git pull && npm test",
    "cp a package.json && npm test",
    "echo x | tee package.json && npm test",
    "cp a Makefile && cp b c && cp package.json x && mv x package.json && npm test",
    "rm -rf package.json && npm test",
    "mv docs/x.json package.json && npm test",
    "cp -r docs/. . && npm test",
    "touch .npmrc && npm test",
    "git checkout -b evil origin/evil && npm test",
    "git switch -c evil origin/evil && npm test",
    "mv src s && cat s/l/passwd",
    "cp -a src zz && cat zz/l/passwd",
    `${"cp a b; ".repeat(80)}mv src s; cat s/l/passwd`,
    "git checkout evil && cat nl/hostname",
    "git checkout evil && touch nl/PWN",
    "git checkout evil && cp full.cfg ng/config",
    "git stash pop && cat nl/hostname",
    "git pull; mkdir nl/x",
    "git worktree add w evil && cat w/nl/hostname",
    "git sparse-checkout set sub && cat nl/hostname",
    "git mv a nl && cat nl/hostname",
    "git switch evil && git commit -F nl/hostname",
    "git switch evil && git diff --no-index a nl/hostname"
  ])("%s asks, though each of its commands is granted", (command) => {
    const { action, reason, grant_options } = judged(command)
    assert.strictEqual(action, "ask", reason)
    assert.deepStrictEqual(grant_options, [])
  })

  it.each([
    "git add . && npm test",
    "mkdir out && npm test",
    "touch x && npm test",
    "cp README.md docs/copy.md && npm test",
    "mv docs/a docs/b && npm test",
    "echo x | tee docs/notes && npm test",
    "git checkout -b topic && npm test",
    "git switch -c topic && npm test",
    "git stash list && npm test",
    "npm run lint && npm test",
    "npm test && git add .",
    "cat README.md && npm test",
    "mv src/a.ts src/b.ts && cat docs/x",
    "git add . && git commit -m x",
    "git checkout main && git pull origin main",
    "git pull && git checkout main && git status",
    "git stash && git switch main && git stash pop",
    "cat README.md && git checkout main",
    "git checkout main && echo done",
    "git worktree list && cat README.md"
  ])("%s is covered by the grants of its commands", (command) => {
    const { action, reason } = judged(command)
    assert.strictEqual(action, "allow", reason)
  })

  /** Its settings were not looked at: git's index does not name it before the line runs. */
  const nested = (path: string) => {
    mkdirSync(join(path, "lib/.git"), { recursive: true })
    writeFileSync(join(path, "lib/.git/config"), '[filter "e"]\n\tclean = ./evil.sh\n')
  }

  it.each([
    "git add lib && git status",
    "git commit -am x && git diff",
    "git rm -r --cached docs; git status",
    "git checkout evil && git status",
    "mv lib sub && git status"
  ])("%s asks where a repository lies below that the index does not name", (command) => {
    const { action, reason, grant_options } = judged(command, nested)
    assert.strictEqual(action, "ask", reason)
    assert.deepStrictEqual(grant_options, [])
  })

  it("git alone does not", () => {
    assert.strictEqual(judged("git status && git diff && git push", nested).action, "allow")
  })
})
