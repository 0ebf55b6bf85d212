/** Names are bytes: what a pattern or a walk meets is judged by the name that is there, not by what is left of it (P1, P7, P10). */
import { execFileSync } from "node:child_process"
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterEach, assert, beforeEach, describe, it } from "@effect/vitest"
import { analyse } from "../../src/sandbox/CommandAnalysis.ts"
import { entriesBelow } from "../../src/sandbox/CommandWalks.ts"
import { couldMatch } from "../../src/sandbox/commandGlob.ts"
import { makeWorkspace } from "../support/approvalCorpus.ts"

let workspace = makeWorkspace()
beforeEach(() => {
  workspace.remove()
  workspace = makeWorkspace()
})
afterEach(() => workspace.remove())

const named = (text: string): Buffer => Buffer.from(join(workspace.path, text), "latin1")
const link = (name: string, to: string) => symlinkSync(to, named(name))

const reasons = (line: string): string =>
  analyse(line, { workspace: workspace.path })
    .commands.flatMap((one) => [...one.notPlain, ...one.unsettled])
    .join("; ")
const refusal = (line: string) => analyse(line, { workspace: workspace.path }).refused

describe("a link whose name is no UTF-8", () => {
  it.each(["cat l*/hostname", "cat l?", "tee l* < README.md", "chmod 777 l*", "cat [l]?/hostname", "cat docs/h*"])(
    "leads outside by a pattern: %s",
    (line) => {
      link("l\xff", "/etc")
      link("docs/h\xff", "/etc/hostname")
      assert.match(reasons(line), /outside/)
    }
  )

  it("is as long as its bytes, not as its text", () => {
    link("\xff".repeat(200), "/etc")
    assert.match(reasons("cat */hostname"), /outside/)
  })

  it("leads to the control plane", () => {
    link("g\xff", ".git")
    assert.include(refusal("tee g*/config") ?? reasons("tee g*/config"), "never write")
  })

  it("is followed where a walk follows", () => {
    mkdirSync(join(workspace.path, "src/o"))
    link("src/h\xff", "/etc/hostname")
    assert.match(reasons("diff -r src docs"), /links below .*src may lead outside/)
  })
})

it("a pattern matches whatever a shell takes for one character: units, characters or bytes", () => {
  for (const [pattern, name] of [
    ["?", "é"],
    ["??", "é"],
    ["?", "😀"],
    ["????", "😀"],
    ["a?b", "a\udcffb"]
  ] as const)
    assert.isTrue(couldMatch(pattern, name), `${pattern} ${name}`)
  assert.isFalse(couldMatch("???", "é"))
})

it("the configuration of a submodule counts at whatever name", () => {
  const env = { PATH: process.env["PATH"], HOME: "/nonexistent", GIT_CONFIG_NOSYSTEM: "1" }
  const text = `git init -q .; d=$(printf 'l\\377b'); git init -q "$d"; cd "$d"
    git -c user.email=a@b -c user.name=n commit -q --allow-empty -m x; cd ..; git add "$d" 2>/dev/null
    git -C "$d" config filter.e.clean ./evil.sh`
  execFileSync("sh", ["-c", text], { cwd: workspace.path, env, stdio: "pipe" })
  assert.include(reasons("git status"), "the configuration of l\\xffb sets filter.clean")
})

describe("a directory that nobody may list", () => {
  const asOther = (run: () => void) => {
    if (process.geteuid?.() !== 0 || process.seteuid === undefined) return run()
    execFileSync("chown", ["-R", "65534", join(workspace.path, "..")])
    process.seteuid(65_534)
    try {
      run()
    } finally {
      process.seteuid(0)
    }
  }

  it("is not looked through by a walk, and one that is not there is", () => {
    mkdirSync(join(workspace.path, "shut"))
    chmodSync(join(workspace.path, "shut"), 0o311)
    asOther(() => {
      const below = (name: string) => entriesBelow([join(workspace.path, name)], () => false).complete
      assert.deepStrictEqual([below("shut"), below("docs"), below("gone")], [false, true, true])
    })
  })

  it("may hold a hook", () => {
    writeFileSync(join(workspace.path, ".git/HEAD"), "ref: refs/heads/main\n")
    chmodSync(join(workspace.path, ".git/hooks"), 0o311)
    asOther(() => assert.include(reasons("git commit -m x"), "the repository's unreadable hook would run"))
  })
})
