/** A repository that wants its programs run, or its bytes changed, by our git: none is, and it stays as it was (T1, T8). */
import { execFileSync } from "node:child_process"
import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { folder } from "../../support/realSession.ts"
import { type Scene, scene, treeOf, undo } from "../../support/checkpointKit.ts"

const git = (cwd: string, ...args: ReadonlyArray<string>) =>
  execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@localhost", ...args], { cwd, encoding: "utf8" })

/** Everything that git knows to start, each would leave a mark. */
const arm = (own: Scene, mark: string) => {
  const program = join(mark, "program")
  writeFileSync(program, `#!/bin/sh\necho "$0 $*" >> ${join(mark, "ran")}\ncat\n`)
  chmodSync(program, 0o755)
  git(own.root, "init", "-q")
  own.write("a", "one\n")
  git(own.root, "add", "a")
  git(own.root, "commit", "-qm", "start")
  const set = (key: string, value: string) => git(own.root, "config", key, value)
  for (const key of ["clean", "smudge", "process"]) set(`filter.evil.${key}`, program)
  for (const key of ["textconv", "command"]) set(`diff.evil.${key}`, program)
  set("merge.evil.driver", program)
  set("core.fsmonitor", program)
  set("core.pager", program)
  set("core.sshCommand", program)
  set("core.hooksPath", join(own.root, "hooks"))
  set("alias.ls-files", `!${program}`)
  set("gpg.program", program)
  set("core.worktree", mark)
  mkdirSync(own.at("hooks"))
  for (const hook of [
    "post-index-change",
    "pre-commit",
    "fsmonitor-watchman",
    "reference-transaction",
    "post-checkout"
  ]) {
    writeFileSync(own.at(`hooks/${hook}`), readFileSync(program))
    chmodSync(own.at(`hooks/${hook}`), 0o755)
    writeFileSync(own.at(`.git/hooks/${hook}`), readFileSync(program))
    chmodSync(own.at(`.git/hooks/${hook}`), 0o755)
  }
  own.write(".gitattributes", "* filter=evil diff=evil merge=evil text eol=crlf working-tree-encoding=UTF-32 ident\n")
  own.write(".gitmodules", '[submodule "x"]\n\tpath = x\n\turl = ext::sh -c "touch /tmp/x"\n\tupdate = !sh\n')
  writeFileSync(own.at(".git/objects/info/alternates"), `${join(mark, "objects")}\n`)
  writeFileSync(own.at(".git/info/attributes"), "* filter=evil\n")
  return program
}

describe("a hostile repository", () => {
  it.live("gets nothing started, keeps every byte, and is not touched itself", () =>
    Effect.gen(function* () {
      const [own, mark] = [yield* scene(), yield* folder("claw-mark-")]
      arm(own, mark)
      own.write("b", Array.from({ length: 9 }, (_, i) => `$Id$ ${i}\r\n`).join(""))
      const [was, repository] = [treeOf(own.root), treeOf(own.at(".git"))]
      const step = yield* own.call(() => {
        own.write("a", "two\n")
        own.write("b", Array.from({ length: 9 }, (_, i) => `$Id$ ${i === 1 ? "x" : i}\r\n`).join(""))
      })
      // So that texts are merged, too.
      own.write("b", Array.from({ length: 9 }, (_, i) => `$Id$ ${i === 1 || i === 8 ? "x" : i}\r\n`).join(""))
      const undone = yield* undo(own, [step])
      assert.deepStrictEqual(undone.kept, [])
      assert.isFalse(existsSync(join(mark, "ran")))
      assert.deepStrictEqual(treeOf(own.at(".git")), repository)
      const now = treeOf(own.root)
      assert.strictEqual(
        now["b"],
        `644 ${Array.from({ length: 9 }, (_, i) => `$Id$ ${i === 8 ? "x" : i}\r\n`).join("")}`
      )
      assert.deepStrictEqual({ ...now, b: "" }, { ...was, b: "" })
    }).pipe(Effect.scoped)
  )

  it.live("`.git` that is a link or a file leads nowhere", () =>
    Effect.gen(function* () {
      const [own, mark] = [yield* scene(), yield* folder("claw-mark-")]
      const other = yield* scene()
      arm(other, mark)
      symlinkSync(other.at(".git"), own.at(".git"))
      own.write("sub/.git", `gitdir: ${other.at(".git")}\n`)
      own.write("sub/x", "x")
      own.write("a", "a", 0o644)
      const repository = treeOf(other.at(".git"))
      const step = yield* own.call(() => own.write("a", "b"))
      yield* undo(own, [step])
      assert.strictEqual(treeOf(own.root)["a"], "644 a")
      assert.isFalse(existsSync(join(mark, "ran")))
      assert.deepStrictEqual(treeOf(other.at(".git")), repository)
    }).pipe(Effect.scoped)
  )

  it.live("the person's own configuration of git is not read", () =>
    Effect.gen(function* () {
      const [own, home] = [yield* scene(), yield* folder("claw-home-")]
      writeFileSync(join(home, ".gitconfig"), "[core]\n\texcludesFile = /dev/stdin\n\tautocrlf = true\nbroken[\n")
      const before = process.env["HOME"]
      process.env["HOME"] = home
      yield* Effect.addFinalizer(() => Effect.sync(() => void (process.env["HOME"] = before)))
      own.write("a", "a\r\n", 0o644)
      const step = yield* own.call(() => own.write("a", "b\n"))
      yield* undo(own, [step])
      assert.strictEqual(treeOf(own.root)["a"], "644 a\r\n")
    }).pipe(Effect.scoped)
  )
})
