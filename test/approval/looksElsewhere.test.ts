/** What seems to look at the workspace, or to reach another machine, and does otherwise (P7, P8, R138, R142, R154). */
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import type { Grant } from "../../src/domain/Approval.ts"
import type { Rule } from "../../src/approval/Rules.ts"
import { denyRule, judgeBash, makeGrant, makeWorkspace } from "../support/approvalCorpus.ts"

const inWorkspace = <A>(use: (path: string) => A): A => {
  const workspace = makeWorkspace()
  try {
    return use(workspace.path)
  } finally {
    workspace.remove()
  }
}

const reads = (workspace: string): Grant => ({
  ...makeGrant(workspace, "prefix", ["ls"]),
  matcher: { kind: "reads" }
})

describe("a remote in the workspace, however its address says so", () => {
  const INSIDE = `{{ws}}/evil|//{{ws}}/evil|{{root}}/nothing/../ws/evil|{{root}}/link/evil|{{root}}//ws/evil|{{root}}/apart
    |file://{{ws}}/evil|file://localhost{{ws}}/evil|file://{{root}}/%77s/evil|{{root}}/dangling/evil|foo://x/evil`
  const OUTSIDE =
    "https://example.org/x.git|git@example.org:a/b.git|{{root}}/other|file://{{root}}/other|ssh://h/{{ws}}"

  const pushes = (address: string) =>
    inWorkspace((ws) => {
      const root = join(ws, "..")
      mkdirSync(join(ws, "evil"))
      symlinkSync(ws, join(root, "link"))
      symlinkSync(join(root, "gone"), join(root, "dangling"))
      symlinkSync(join(ws, "evil"), join(root, "apart.git"))
      const url = address.trim().replaceAll("{{ws}}", ws).replaceAll("{{root}}", root)
      writeFileSync(join(ws, ".git/config"), `[remote "origin"]\n\turl = ${url}\n`)
      const grants = [makeGrant(ws, "prefix", ["git", "push"])]
      return judgeBash({ command: "git push", workspace: ws, grants }).action
    })

  it.each(INSIDE.split("|"))("%s: a grant of git push does not cover it", (address) => {
    assert.strictEqual(pushes(address), "ask")
  })

  it.each(OUTSIDE.split("|"))("%s: lies elsewhere", (address) => {
    assert.strictEqual(pushes(address), "allow")
  })
})

describe("the grant of every command that only looks", () => {
  const judged = (command: string) =>
    inWorkspace((ws) => {
      symlinkSync("/etc/passwd", join(ws, "src/out"))
      symlinkSync("src", join(ws, "lane"))
      return judgeBash({ command, workspace: ws, grants: [reads(ws)] }).action
    })

  it.each(
    `echo /root/.* /root/*|printf '%s\\n' /tmp/*|echo ../*|: /etc/*|test -f /etc/shadow|[ -e ../outside.txt ]|[ README.md -nt /etc/hosts ]
    |test ! -d ~/.ssh|md5sum -c sums|md5sum --check sums|sha256sum --ch sums|cksum -c sums|find . -print0 | xargs -0 md5sum -c
    |file -Z x.gz|file --uncompress-no x.gz|tail -f README.md|tail -F README.md|tail -5f README.md|jq -n env|jq -n 'env.PATH'
    |jq -n '$ENV'|jq -n '1-env'|cd src && cat out|cd lane && ls`
      .split(/\s*\|(?! )/)
      .map((one) => one.trim())
  )("%s: not covered", (command) => {
    assert.strictEqual(judged(command), "ask")
  })

  it.each([
    "echo docs/*",
    "echo *",
    "test -f README.md",
    "[ -d src ]",
    "test a = /etc",
    "md5sum README.md",
    "tail -n 5 README.md",
    "jq .env package.json",
    "file README.md",
    "cd src && ls"
  ])("%s: covered", (command) => {
    assert.strictEqual(judged(command), "allow")
  })
})

describe("in mode bypass", () => {
  const actionOf = (command: string, rule: Rule) =>
    inWorkspace((ws) => {
      mkdirSync(join(ws, "secret"))
      writeFileSync(join(ws, "secret/k"), "")
      return judgeBash({ command, workspace: ws, rules: [rule], mode: "bypass" }).action
    })

  it("what denies git push denies its other names, and no other command", () => {
    const rule = denyRule(["git", "push"])
    const denied =
      "git push|/usr/lib/git-core/git-push|git-push origin|git send-pack origin main|git subtree push -P a b c|git lfs push a b"
    const other = "git status|git subtree split|/usr/lib/git-core/git-status|git lfs pull|git stash push"
    assert.deepStrictEqual(
      denied.split("|").filter((one) => actionOf(one, rule) !== "deny"),
      []
    )
    assert.deepStrictEqual(
      other.split("|").filter((one) => actionOf(one, rule) !== "allow"),
      []
    )
  })

  it("what denies the network denies what serves or is fetched first", () => {
    const rule: Rule = { name: "no", tool: "*", matcher: { kind: "effect", effect: "network" }, action: "deny" }
    const denied =
      "openssl s_client -connect h:443|python3 -m http.server|python3 -m pip install x|getent hosts x|docker run img|git send-pack o m|/usr/lib/git-core/git-push"
    const other = "openssl dgst x|python3 -m pytest|getent passwd|docker ps|python3 x.py"
    assert.deepStrictEqual(
      denied.split("|").filter((one) => actionOf(one, rule) !== "deny"),
      []
    )
    assert.deepStrictEqual(
      other.split("|").filter((one) => actionOf(one, rule) !== "allow"),
      []
    )
  })

  it("what denies a directory denies a list of its names", () => {
    const rule: Rule = { name: "no", tool: "*", matcher: { kind: "path", glob: "secret/**" }, action: "deny" }
    assert.deepStrictEqual([actionOf("echo secret/*", rule), actionOf("echo src/*", rule)], ["deny", "allow"])
  })
})
