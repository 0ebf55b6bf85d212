/** What a repository says of itself is read without its configuration, whatever that names (SECURITY P7, T8; R272). */
import { execFileSync } from "node:child_process"
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { look } from "../../../src/sandbox/checkpoints/RepositoryLook.ts"
import { directoryWith, writeFiles } from "../../support/directories.ts"

const PATH = process.env["PATH"] ?? ""

const git = (cwd: string, ...args: ReadonlyArray<string>) =>
  execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@localhost", ...args], {
    cwd,
    encoding: "utf8",
    stdio: "pipe",
    env: { PATH, HOME: cwd, GIT_CONFIG_NOSYSTEM: "1" }
  }).trim()

const repository = Effect.fnUntraced(function* () {
  const root = realpathSync(
    yield* directoryWith({ "repo/a.txt": "a\n", "repo/sub/b.txt": "b\n", "repo/.gitignore": "*.log\n" })
  )
  const repo = join(root, "repo")
  git(repo, "init", "-q", "-b", "main")
  git(repo, "add", "-A")
  git(repo, "commit", "-qm", "start")
  git(repo, "commit", "-q", "--allow-empty", "-m", `second ${"long ".repeat(30)}`)
  return { repo, root, commit: git(repo, "rev-parse", "HEAD").slice(0, 10) }
})

const at = (workspace: string) => look({ workspace, path: PATH, time_ms: 20_000 })

describe("a look at a repository", () => {
  it.live("tells branch, commit, counts and subjects, of the workspace alone where that is a part of it", () =>
    Effect.gen(function* () {
      const { commit, repo } = yield* repository()
      writeFiles(repo, { "a.txt": "changed\n", "new.txt": "", "sub/new/c.txt": "", "x.log": "", "excluded.txt": "" })
      writeFileSync(join(repo, ".git/info/exclude"), "excluded.txt\n")
      const subjects = [`second ${"long ".repeat(30)}`.slice(0, 72).concat("…"), "start"]
      const whole = { branch: "main", commit, changed: 1, untracked: 2, subjects }
      assert.deepStrictEqual(yield* at(repo), whole)
      assert.deepStrictEqual(yield* at(join(repo, "sub")), { ...whole, changed: 0, untracked: 1 })
      git(repo, "pack-refs", "--all")
      git(repo, "gc", "-q")
      assert.deepStrictEqual(yield* at(repo), whole)
      git(repo, "worktree", "add", "-q", "-b", "side", "../side")
      assert.deepStrictEqual(yield* at(join(repo, "../side")), { ...whole, branch: "side", changed: 0, untracked: 0 })
      git(repo, "checkout", "-q", "--detach")
      const { branch: _, ...detached } = whole
      assert.deepStrictEqual(yield* at(repo), detached)
    })
  )

  it.live("runs nothing that the repository names, and writes nothing there", () =>
    Effect.gen(function* () {
      const { repo, root } = yield* repository()
      const mark = join(root, "pwned")
      const evil = join(root, "evil.sh")
      writeFileSync(evil, `#!/bin/sh\ntouch ${mark}\ncat\n`)
      chmodSync(evil, 0o755)
      mkdirSync(join(repo, "hooks-of-theirs"))
      for (const hook of ["post-index-change", "fsmonitor-watchman", "pre-commit"])
        symlinkSync(evil, join(repo, "hooks-of-theirs", hook))
      writeFiles(repo, { ".gitattributes": "* filter=evil diff=evil\n", "a.txt": "changed\n" })
      for (const [key, value] of [
        ["core.fsmonitor", evil],
        ["core.hooksPath", join(repo, "hooks-of-theirs")],
        ["core.pager", evil],
        ["core.alternateRefsCommand", evil],
        ["filter.evil.clean", evil],
        ["filter.evil.process", evil],
        ["diff.evil.textconv", evil],
        ["log.showSignature", "true"],
        ["gpg.program", evil],
        ["pager.status", evil],
        ["alias.status", `!${evil}`],
        ["include.path", join(repo, "more")]
      ] as const)
        git(repo, "config", key, value)
      const before = readdirSync(join(repo, ".git"))
      const found = yield* at(repo)
      assert.deepStrictEqual([found?.branch, found?.subjects.at(-1)], ["main", "start"])
      assert.isFalse(existsSync(mark))
      assert.deepStrictEqual(readdirSync(join(repo, ".git")), before)
      // The same asked of git with that configuration leaves the mark: there was something to run.
      git(repo, "-c", "alias.status=", "status")
      assert.isTrue(existsSync(mark))
    })
  )

  it.live("is none where there is no repository, and not another's by a file that names it", () =>
    Effect.gen(function* () {
      const { repo, root } = yield* repository()
      const other = join(root, "other")
      mkdirSync(other)
      assert.isUndefined(yield* at(other))
      writeFileSync(join(other, ".git"), `gitdir: ${join(repo, ".git")}\n`)
      assert.isUndefined(yield* at(other))
      rmSync(join(other, ".git"))
      symlinkSync(join(repo, ".git"), join(other, ".git"))
      assert.isUndefined(yield* at(other))
    })
  )

  it.live("leaves out what cannot be told: no commit yet, no git, no time", () =>
    Effect.gen(function* () {
      const { repo, root, commit } = yield* repository()
      const fresh = join(root, "fresh")
      mkdirSync(fresh)
      git(fresh, "init", "-q", "-b", "main")
      assert.deepStrictEqual(yield* at(fresh), { branch: "main", changed: 0, untracked: 0, subjects: [] })
      const bare = { branch: "main", commit, subjects: [] }
      assert.deepStrictEqual(yield* look({ workspace: repo, path: "/nonexistent" }), bare)
      const slow = join(root, "slow")
      mkdirSync(slow)
      writeFileSync(join(slow, "git"), "#!/bin/sh\nexec sleep 100\n", { mode: 0o755 })
      assert.deepStrictEqual(yield* look({ workspace: repo, path: `${slow}:/usr/bin:/bin`, time_ms: 50 }), bare)
      writeFileSync(join(repo, ".git/HEAD"), "ref: refs/heads/../../../etc/passwd\n")
      assert.deepStrictEqual((yield* at(repo))?.branch, undefined)
    })
  )
})
