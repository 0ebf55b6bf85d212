/** The control plane of a workspace stays as it is whatever a command does, also where there is none yet (P11, T5). */
import { execFileSync } from "node:child_process"
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { isolatedRunnerOf, receipt, script } from "../support/processes.ts"
import { dir, type Dir } from "../support/workspaceDir.ts"

const repository = (there: Dir): void => {
  const git = (...args: ReadonlyArray<string>) => execFileSync("git", args, { cwd: there.ws, stdio: "ignore" })
  git("init", "-q", "-b", "main")
  git("config", "user.email", "a@b")
  git("config", "user.name", "n")
}

const runnerIn = (there: Dir) =>
  Effect.map(
    isolatedRunnerOf(),
    ({ run }) =>
      (text: string, more: Partial<Parameters<typeof run>[0]> = {}) =>
        run(script(text, { cwd: there.ws, ...more }))
  )

const ls = (there: Dir, path = ".") => readdirSync(join(there.ws, path)).toSorted()

describe("the control plane", () => {
  it.live("git works: status, add, commit, branch, stash; settings and hooks are out of its reach", () =>
    Effect.gen(function* () {
      const there = yield* dir
      repository(there)
      const run = yield* runnerIn(there)
      const config = readFileSync(join(there.ws, ".git/config"), "utf8")
      const worked = yield* run(
        "set -e; echo a > f; git add -A; git commit -q -m one; git switch -q -c other; echo b >> f; git stash -q; git stash pop -q; git commit -qam two; git log --oneline | wc -l; git status --short"
      )
      assert.deepStrictEqual([worked.output.text, worked.exit_code], ["2\n", 0])
      const refused = yield* run(
        "git config core.pager evil; echo x > .git/hooks/pre-commit; rm .git/config; mv .git/hooks .git/h; mv .git g; rm -rf .git 2>/dev/null; echo end"
      )
      assert.match(refused.output.text, /end\n$/)
      assert.strictEqual(readFileSync(join(there.ws, ".git/config"), "utf8"), config)
      assert.isFalse(existsSync(join(there.ws, ".git/hooks/pre-commit")))
      assert.deepStrictEqual(ls(there).includes("g"), false)
    })
  )

  it.live(
    "the rest of a day's git works too: merge, rebase, fetch, work trees, tags, branches; of their settings it says that they stay",
    () =>
      Effect.gen(function* () {
        const there = yield* dir
        repository(there)
        const run = yield* runnerIn(there)
        const { exit_code, notes, output } = yield* run(
          [
            "set -e; c() { echo $1 >> $1; git add -A; git commit -q -m $1; }",
            "c a; git branch side; c b; git switch -q side; c d; git merge -q -m m main; git switch -q -c third main; c e",
            "git rebase -q side; git cherry-pick main >/dev/null 2>&1 || git cherry-pick --skip; git tag t; git tag -a -m x u",
            "git branch copy; git branch -m copy moved 2> said || grep -q 'is renamed' said; git branch -D -q moved 2> said; rm said; git stash list; git gc -q; git pack-refs --all",
            "git fetch -q . main:fetched; git bisect start > /dev/null; git bisect reset > /dev/null 2>&1; git reset -q --hard HEAD~1; git clean -fq",
            "git worktree add -q inner; git -C inner log --oneline | wc -l; git worktree remove inner; git reflog | wc -l",
            "git checkout -q main; git revert --no-edit HEAD > /dev/null; git fsck --no-dangling; git status --short"
          ].join("\n")
        )
        assert.match(output.text, /^\d+\n\d+\n$/)
        assert.deepStrictEqual([exit_code, notes], [0, undefined])
      })
  )

  it.live("what is not there cannot be made, and nothing of the protection is left", () =>
    Effect.gen(function* () {
      const there = yield* dir
      repository(there)
      rmSync(join(there.ws, ".git/hooks"), { recursive: true })
      const run = yield* runnerIn(there)
      const before = ls(there, ".git")
      const { output } = yield* run(
        "mkdir -p .git/hooks/x; echo x > .git/hooks/post-commit; echo x > .claw/config.json; mkdir .claw/x; echo x > .clawrc; ln -s /tmp .claw.json; git status --short; echo ../evil > .git/commondir; echo end"
      )
      assert.match(output.text, /end\n$/)
      assert.deepStrictEqual([ls(there), ls(there, ".git")], [[".git"], before])
    })
  )

  it.live("the settings of Mercurial and Jujutsu stay as they are too, and their directories in their place", () =>
    Effect.gen(function* () {
      const there = yield* dir
      there.file("ws/.hg/requires", "store")
      there.file("ws/.jj/repo/config.toml", "a = 1")
      const run = yield* runnerIn(there)
      const { output } = yield* run(
        "echo x > .hg/hgrc; echo shared >> .hg/requires; echo x > .jj/repo/config.toml; mv .hg h; mv .jj j; echo a > .hg/store; echo end"
      )
      assert.match(output.text, /end\n$/)
      assert.deepStrictEqual(
        [ls(there), ls(there, ".hg")],
        [
          [".hg", ".jj"],
          ["requires", "store"]
        ]
      )
      const kept = [".hg/requires", ".jj/repo/config.toml"].map((path) => readFileSync(join(there.ws, path), "utf8"))
      assert.deepStrictEqual(kept, ["store", "a = 1"])
    })
  )

  it.live("no repository is made where there is none; a directory above that has one is found all the same", () =>
    Effect.gen(function* () {
      const there = yield* dir
      execFileSync("git", ["init", "-q"], { cwd: there.root, stdio: "ignore" })
      const { run } = yield* isolatedRunnerOf({ settings: { read: [there.root] } })
      const { output } = yield* run(
        script("git rev-parse --show-toplevel; git init -q . 2>/dev/null || echo refused", { cwd: there.ws })
      )
      assert.strictEqual(output.text, `${there.root}\nrefused\n`)
      assert.deepStrictEqual(ls(there), [])
    })
  )

  it.live("one call's end does not open another's", () =>
    Effect.gen(function* () {
      const there = yield* dir
      const run = yield* runnerIn(there)
      const up = receipt("up")
      const text =
        "echo up; while [ ! -e go ]; do sleep 0.05; done; mkdir -p .claw && echo x > .claw/config.json; echo $?"
      const long = yield* Effect.forkChild(run(text, { emit: up.emit }))
      yield* up.arrived
      yield* run("true")
      assert.includeMembers(ls(there), [".claw", ".git"])
      yield* run("touch go")
      assert.match((yield* Fiber.join(long)).output.text, /Read-only file system\n1\n$/)
      assert.deepStrictEqual(ls(there), ["go"])
    })
  )

  it.live("an interrupted call takes its stand-ins with it, a dead one's go with the next call", () =>
    Effect.gen(function* () {
      const there = yield* dir
      const run = yield* runnerIn(there)
      const up = receipt("up")
      const fiber = yield* Effect.forkChild(run("echo up; sleep 60", { emit: up.emit }))
      yield* up.arrived
      yield* Fiber.interrupt(fiber)
      assert.deepStrictEqual(ls(there), [])
      mkdirSync(join(there.ws, ".claw", ".claw-call 0 process 999999999@1@boot"), { recursive: true })
      yield* run("true")
      assert.deepStrictEqual(ls(there), [])
    })
  )

  it.live("what a person puts there meanwhile stays", () =>
    Effect.gen(function* () {
      const there = yield* dir
      const run = yield* runnerIn(there)
      const up = receipt("up")
      const fiber = yield* Effect.forkChild(run("echo up; while [ ! -e go ]; do sleep 0.05; done", { emit: up.emit }))
      yield* up.arrived
      there.file("ws/.claw/config.json", "{}")
      there.file("ws/go", "")
      yield* Fiber.join(fiber)
      assert.deepStrictEqual([ls(there), ls(there, ".claw")], [[".claw", "go"], ["config.json"]])
    })
  )
})
