/** What takes something away for good is granted exactly or not at all; a rule that a person wrote counts (P5, R154). */
import { assert, describe, it } from "@effect/vitest"
import type { Rule } from "../../src/approval/Rules.ts"
import { judgeBash, makeGrant, makeWorkspace } from "../support/approvalCorpus.ts"

const DESTRUCTIVE = `rm x
rm -rf build
unlink x
shred x
dd if=a of=b
truncate -s 0 x
chmod -R u+w src
chown -R nobody src
git clean -fd
git reset --hard
git push --force
git push origin +main
git push origin :old
git checkout -- src
git checkout .
git checkout evil -- .
git checkout evil README.md
git checkout README.md
git checkout --ours README.md
git restore --source=evil .
git stash clear
git merge --abort
git fetch --force
git fetch origin +main:main
git notes remove HEAD
git restore src/a.ts
git stash drop
git branch -D topic
git reflog expire --all
git rm -rf docs
git -C . clean -fd
git checkout :/
git checkout '*.md'
git checkout ':!b.js'
git checkout ':(glob)*'
git checkout --forc master
git checkout -qU3f master
git checkout -2 README.md
git -C docs checkout a.js
git --icase-pathspecs checkout readme.md
git switch --disc master
git restore -S -qW README.md
git restore -S -WS README.md
git restore --staged --workt README.md
git restore -s --staged README.md
git restore -- --staged README.md
git clean -f -e -n
git clean -fden
git reset --h
git reset --ke HEAD~1
git tag --del v1
git push --forc
git push --mir
git push --pru=x
git gc --pru=now
git mv -f a b
git branch --del --forc topic
git update-ref -d refs/heads/a
git prune
git submodule deinit -f docs
git filter-branch --all
git worktree remove --force docs
git pull --forc
cargo clean
find docs -name x -delete
kill 1
pkill node`.split("\n")

const ORDINARY = `rmdir docs
mkdir docs
mv README.md docs
cp README.md docs
touch x
chmod +x x
git push
git push origin main
git reset HEAD
git checkout main
git checkout HEAD~1
git checkout @{-1}
git checkout -
git checkout -b topic origin/main
git switch main
git switch -c topic
git tag v1
git fetch --prune
git gc
git mv README.md docs
git reset --soft HEAD~1
git reset --mixed HEAD~1
git restore -qS README.md
git restore --staged --source=HEAD~1 README.md
git fetch origin
git merge topic
git restore --staged README.md
git stash
git branch topic
git rm README.md`.split("\n")

const inWorkspace = <A>(use: (path: string) => A): A => {
  const workspace = makeWorkspace()
  try {
    return use(workspace.path)
  } finally {
    workspace.remove()
  }
}

const offered = (command: string): ReadonlyArray<string> =>
  inWorkspace((workspace) => judgeBash({ command, workspace }).grant_options.map(({ id }) => id))

const allowed: Rule = {
  name: "mine",
  tool: "bash",
  matcher: { kind: "command", argv: ["rm", "-rf"] },
  action: "allow"
}

describe("grants of what destroys", () => {
  it.each(DESTRUCTIVE)("%s: no grant of its first words is offered", (command) => {
    assert.notInclude(offered(command), "command")
  })

  it.each(ORDINARY)("%s: a grant of its first words is offered", (command) => {
    assert.deepStrictEqual(offered(command), ["exact", "command"])
  })

  it("the exact one says why there is no wider one", () => {
    const labels = inWorkspace((workspace) =>
      judgeBash({ command: "rm x", workspace }).grant_options.map(({ label }) => label)
    )
    assert.deepStrictEqual(labels, ["exactly this bash call (nothing wider: rm takes away what it names)"])
  })

  it("what overwrites a file says so, and this call can be granted", () => {
    const seen = ["cp package.json README.md", "mv package.json README.md", "cp -t docs a.js README.md"].map(
      (command) =>
        inWorkspace((workspace) => {
          const { grant_options, reason } = judgeBash({ command, workspace })
          return [reason.includes("outside"), ...grant_options.map(({ label }) => label)]
        })
    )
    assert.deepStrictEqual(seen, [
      [false, "exactly this bash call (nothing wider: cp overwrites README.md)"],
      [false, "exactly this bash call (nothing wider: mv overwrites README.md)"],
      [false, "exactly this bash call", "commands that begin with cp"]
    ])
  })

  it("a grant that was put there by hand is ignored, an exact one and a person's rule are not", () => {
    const actions = inWorkspace((workspace) => {
      const judge = (more: object) => judgeBash({ command: "rm -rf build", workspace, ...more }).action
      return [
        judge({ grants: [makeGrant(workspace, "prefix", ["rm"])] }),
        judge({ grants: [makeGrant(workspace, "exact", ["rm", "-rf", "build"])] }),
        judge({ rules: [allowed] })
      ]
    })
    assert.deepStrictEqual(actions, ["ask", "allow", "allow"])
  })
})
