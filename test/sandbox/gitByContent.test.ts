/** A directory is a repository by what is in it, not by its name (SECURITY P11, P7): tools never complete or change one. */
import { execFileSync } from "node:child_process"
import { chmodSync, existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { analyse } from "../../src/sandbox/CommandAnalysis.ts"
import { runnerOf, script } from "../support/processes.ts"
import { dir, workspaceOf, type Dir } from "../support/workspaceDir.ts"

const ENV = { PATH: process.env["PATH"], HOME: "/nonexistent", GIT_CONFIG_NOSYSTEM: "1" }
const git = (cwd: string, ...args: ReadonlyArray<string>): string =>
  execFileSync("git", ["-c", "user.email=a@b", "-c", "user.name=n", ...args], {
    cwd,
    env: ENV,
    encoding: "utf8",
    stdio: "pipe"
  })

const evil = (there: Dir, tree: string) =>
  `[core]\n\tbare = false\n\tworktree = ${join(there.ws, tree)}\n\tfsmonitor = touch ${there.root}/ESCAPED; false\n`

const isLive = (there: Dir, tree: string): boolean => {
  try {
    git(join(there.ws, tree), "status")
  } catch {
    // No repository, or none that is whole.
  }
  return existsSync(join(there.root, "ESCAPED"))
}

/** Each order of what makes a repository, as far as it may come out differently. */
const ORDERS = [
  ["HEAD", "objects/x", "refs/x", "config"],
  ["config", "refs/heads/x", "objects/info/x", "HEAD"],
  ["objects/x", "HEAD", "config", "refs/x"],
  ["config", "HEAD", "commondir"],
  ["commondir", "config", "HEAD"]
]

describe("file tools", () => {
  for (const order of ORDERS)
    for (const tree of ["", "pkg/"])
      it.effect(`make no repository of ${tree === "" ? "the workspace" : "a directory"}: ${order.join(", ")}`, () =>
        Effect.gen(function* () {
          const there = yield* dir
          if (tree !== "") git(there.ws, "init", "-q")
          const workspace = yield* workspaceOf(there)
          const text = { HEAD: "ref: refs/heads/m\n", config: evil(there, tree), commondir: "../.git\n" }
          const refused: Array<string> = []
          for (const name of order)
            yield* workspace
              .write(`${tree}${name}`, Buffer.from(text[name as keyof typeof text] ?? "x"))
              .pipe(Effect.catch((error) => Effect.sync(() => refused.push(`${name} ${error.code}`))))
          assert.isAtLeast(refused.length, 1)
          for (const one of refused) assert.match(one, / workspace_escape$/)
          assert.isFalse(isLive(there, tree))
        })
      )

  it.effect("leave a bare repository as it is, and what lies beside its parts is free", () =>
    Effect.gen(function* () {
      const there = yield* dir
      git(there.ws, "init", "-q", "--bare", "lib.git")
      const workspace = yield* workspaceOf(there)
      const kindOf = (path: string) => Effect.map(workspace.locate(path), ({ guard }) => guard.kind)
      const forbidden =
        `HEAD config config.worktree commondir hooks/post-commit objects/ab/c refs/heads/x info/attributes
        modules/a/config worktrees/a/gitdir`.split(/\s+/)
      for (const path of forbidden) assert.strictEqual(yield* kindOf(`lib.git/${path}`), "forbidden", path)
      const free = ["lib.git/notes.md", "config", "hooks/useThing.ts", "src/objects/a.ts", "src/refs/a.ts", "HEAD"]
      for (const path of free) assert.strictEqual(yield* kindOf(path), "free", path)
    })
  )
})

describe("a line", () => {
  const judged = (there: Dir, line: string) => analyse(line, { workspace: there.ws }).refused ?? "free"

  it.effect("makes no repository either, at once or as the last of several", () =>
    Effect.gen(function* () {
      const there = yield* dir
      for (const name of ["full.cfg", "h"]) writeFileSync(join(there.ws, name), "x")
      for (const line of [
        "mkdir -p objects refs && cp full.cfg config && cp h HEAD",
        "cp h HEAD && cp full.cfg config && mkdir -p objects/x refs/x",
        "mkdir -p a/objects a/refs && touch a/HEAD",
        "echo x > HEAD && touch commondir"
      ])
        assert.match(judged(there, line), /never write/, line)
      for (const line of ["mkdir -p objects refs", "cp h HEAD", "mkdir hooks && touch hooks/a config"])
        assert.strictEqual(judged(there, line), "free", line)
      for (const name of ["objects", "refs"]) mkdirSync(join(there.ws, name))
      assert.match(judged(there, "cp h HEAD"), /never write/)
      assert.strictEqual(judged(there, "cat HEAD objects/a refs/b"), "free")
    })
  )
})

/** What is tracked and opened as a workspace may be anything. */
const bareLike = (there: Dir, config: string): void => {
  git(there.ws, "init", "-q", "--bare", ".")
  writeFileSync(join(there.ws, "config"), config)
}

describe("git", () => {
  it.effect("is vetted where the workspace, or what lies above it, is a repository by its content", () =>
    Effect.gen(function* () {
      const there = yield* dir
      bareLike(there, evil(there, ""))
      const inner = join(there.ws, "inner")
      mkdirSync(inner)
      for (const workspace of [there.ws, inner]) {
        const [one] = analyse("git status", { workspace }).commands
        assert.match(one!.unsettled.join(), /the repository's configuration sets core\.(?:worktree|fsmonitor)/)
      }
      rmSync(join(there.ws, "HEAD"))
      assert.deepStrictEqual(analyse("git status", { workspace: there.ws }).commands[0]!.unsettled, [])
    })
  )

  it.live("of a child takes no such directory for a repository, and each real one", () =>
    Effect.gen(function* () {
      const there = yield* dir
      bareLike(there, evil(there, "").replace("fsmonitor", "sshCommand"))
      const runner = yield* runnerOf({ environment: ENV })
      const bare = yield* runner.run(script("git rev-parse --git-dir", { cwd: there.ws }))
      assert.include(bare.output.text, "safe.bareRepository is 'explicit'")
      mkdirSync(join(there.ws, "real"))
      const real = yield* runner.run(
        script(
          "git init -q . && git rev-parse --git-dir; cd .. && git --git-dir=. cat-file --batch-check </dev/null; echo $?",
          {
            cwd: join(there.ws, "real")
          }
        )
      )
      assert.strictEqual(real.output.text, ".git\n0\n")
    })
  )

  it.effect("runs some hooks after a mere look: those ask for a look too", () =>
    Effect.gen(function* () {
      const there = yield* dir
      git(there.ws, "init", "-q")
      const unsettled = (line: string) => analyse(line, { workspace: there.ws }).commands[0]!.unsettled
      const hook = (name: string) => {
        const path = join(there.ws, ".git/hooks", name)
        writeFileSync(path, `#!/bin/sh\ntouch ${there.root}/ESCAPED\n`)
        chmodSync(path, 0o755)
      }
      hook("pre-commit")
      assert.deepStrictEqual(unsettled("git diff"), [])
      assert.deepStrictEqual(unsettled("git commit -m x"), ["the repository's pre-commit hook would run"])
      hook("post-index-change")
      assert.deepStrictEqual(unsettled("git diff"), ["the repository's post-index-change hook would run"])
      assert.deepStrictEqual(unsettled("git status"), ["the repository's post-index-change hook would run"])
      hook("reference-transaction")
      assert.include(unsettled("git reflog expire --all"), "the repository's reference-transaction hook would run")
    })
  )
})
