/** git looks into the repositories that its index names, with their own configuration (P7): they are vetted like the first. */
import { execFileSync } from "node:child_process"
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { analyse } from "../../src/sandbox/CommandAnalysis.ts"

const ENVIRONMENT = {
  PATH: "/usr/bin:/bin",
  HOME: "/nonexistent",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_AUTHOR_NAME: "a",
  GIT_AUTHOR_EMAIL: "a@b",
  GIT_COMMITTER_NAME: "a",
  GIT_COMMITTER_EMAIL: "a@b"
}

const git = (cwd: string, ...args: ReadonlyArray<string>) =>
  execFileSync("git", ["-c", "protocol.file.allow=always", ...args], { cwd, env: ENVIRONMENT, stdio: "pipe" })

interface Shape {
  /** Of the index of the repository at the top. */
  readonly index?: string
  readonly format?: string
  readonly split?: true
}

/** A repository with a submodule below `libs/sub`, whose git directory lies in the first one's. */
const withSubmodule = <A>({ format = "sha1", index = "2", split }: Shape, use: (path: string) => A): A => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "claw-submodule-")))
  try {
    const [inner, outer] = [join(root, "inner"), join(root, "ws")]
    for (const path of [inner, outer]) {
      mkdirSync(path)
      git(path, "init", "-q", `--object-format=${format}`)
    }
    writeFileSync(join(inner, "a"), "a")
    git(inner, "add", "a")
    git(inner, "commit", "-qm", "a")
    for (let at = 0; at < 20; at += 1) writeFileSync(join(outer, `file-${"x".repeat(at)}.txt`), "x")
    git(outer, "submodule", "--quiet", "add", inner, "libs/sub")
    git(outer, "add", ".")
    git(outer, "update-index", "--index-version", index)
    git(outer, "commit", "-qm", "a")
    if (split === true) git(outer, "update-index", "--split-index")
    return use(outer)
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
}

const unsettled = (line: string, workspace: string) =>
  analyse(line, { workspace }).commands.flatMap((one) => one.unsettled)
// The submodule was added from a directory: what its remote is, is not the question here.
const others = (line: string, workspace: string) => unsettled(line, workspace).filter((why) => !why.endsWith("url"))

describe.each([
  {},
  { index: "4" },
  { index: "3" },
  { format: "sha256" },
  { format: "sha256", index: "4" }
] as ReadonlyArray<Shape>)("a submodule, %j", (shape) => {
  it("that sets nothing of note asks no more often, a filter in its configuration does", () => {
    withSubmodule(shape, (workspace) => {
      assert.deepStrictEqual(others("git status", workspace), [])
      git(join(workspace, "libs/sub"), "config", "filter.evil.clean", "touch pwned; cat")
      for (const line of ["git status", "git diff", "git add .", "git commit -am x"])
        assert.include(others(line, workspace), "the configuration of libs/sub sets filter.clean")
    })
  })
})

it("hooks of a submodule count, and so does a repository within a submodule", () => {
  withSubmodule({}, (workspace) => {
    const modules = join(workspace, ".git/modules/libs/sub")
    writeFileSync(join(modules, "hooks/post-checkout"), "#!/bin/sh\n")
    assert.include(others("git checkout main", workspace), "the repository's post-checkout hook would run")
    const deep = join(workspace, "libs/sub/deep")
    mkdirSync(deep)
    git(deep, "init", "-q")
    writeFileSync(join(deep, "b"), "b")
    git(deep, "add", "b")
    git(deep, "commit", "-qm", "b")
    git(join(workspace, "libs/sub"), "add", "deep")
    git(deep, "config", "core.fsmonitor", "touch pwned")
    assert.include(others("git status", workspace), "the configuration of libs/sub/deep sets core.fsmonitor")
  })
})

it("a work tree that leads elsewhere than to the submodule counts", () => {
  withSubmodule({}, (workspace) => {
    git(join(workspace, "libs/sub"), "config", "core.worktree", "../../../../docs")
    assert.include(others("git status", workspace), "the configuration of libs/sub sets core.worktree")
  })
})

it("an index that is in two files, cut short, or of another version asks", () => {
  withSubmodule({ split: true }, (workspace) => {
    assert.include(unsettled("git status", workspace), "its submodules cannot be looked through")
  })
  withSubmodule({}, (workspace) => {
    writeFileSync(join(workspace, ".git/index"), Buffer.from("DIRC\0\0\0\u0009\0\0\0\u0001link\0"))
    assert.include(unsettled("git status", workspace), "its submodules cannot be looked through")
    writeFileSync(
      join(workspace, ".git/index"),
      Buffer.from([...Buffer.from("DIRC\0\0\0\u0002\0\0\0\u0009"), 0, 0, 0xe0, 0])
    )
    assert.include(unsettled("git status", workspace), "its submodules cannot be looked through")
  })
})
