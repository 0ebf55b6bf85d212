/** Rules on what a command does instead of what it is called: however it is spelled or started (R138, P1, P4). */
import { assert, describe, it } from "@effect/vitest"
import type { Rule } from "../../src/approval/Rules.ts"
import type { Consequence } from "../../src/domain/Matcher.ts"
import { judgeBash, makeWorkspace } from "../support/approvalCorpus.ts"

const MEETS: Readonly<Record<Consequence, string>> = {
  deletes: `rm x|find docs -delete|git clean -fd|git push --force|unlink x|truncate -s 0 x|nice rm x|sh -c 'shred x'|ls; rm x
    |find . -exec unlink {} +|a=rm; $a x|git reset --hard|dd if=a of=b
    |git checkout --forc main|git switch --disc main|git branch --del --forc x|git tag --del v1|git update-ref -d refs/x
    |git prune|git submodule deinit -f x|git filter-branch|cargo clean`,
  network: `curl h|git push|git -C sub fetch|npm install|npm publish|pip3 install x|docker pull x|cargo add x|ssh h ls|npx x
    |env curl h|git submodule update|rsync a h:b|yarn|go get x|$(wget h)|timeout 5 gh pr list`,
  changes: `touch x|echo x > y|npm test|rm x|git commit -m x|frobnicate|sed -i s/a/b/ x|ls && mkdir a`
}
const NOT: Readonly<Record<Consequence, string>> = {
  deletes: "ls|touch x|git status|npm test|cat rm|git push|mv a b",
  network:
    "ls|git status|git commit -m x|npm test|npm run build|cargo build|go test ./...|docker ps|rsync a b|echo curl|grep ssh x",
  changes: "ls|cat README.md|git status|git log -p|grep -rn x src|find . -name x|ls src"
}

const each = (text: string) => text.split("|").map((one) => one.trim())

describe.each(["deletes", "network", "changes"] as const)("a rule on what %s", (effect) => {
  const actionOf = (command: string, action: Rule["action"], mode: "bypass" | "ask") => {
    const { path, remove } = makeWorkspace()
    const rules: ReadonlyArray<Rule> = [
      { name: "no", tool: "*", matcher: { kind: "effect", effect }, action },
      ...["rm", "ls", "touch", "curl"].map((word): Rule => ({
        name: word,
        tool: "bash",
        matcher: { kind: "command", argv: [word] },
        action: "allow"
      }))
    ]
    try {
      return judgeBash({ command, workspace: path, rules, mode }).action
    } finally {
      remove()
    }
  }

  it("that denies", () => {
    const [meets, not] = [each(MEETS[effect]), each(NOT[effect])]
    assert.deepStrictEqual(
      meets.filter((command) => actionOf(command, "deny", "bypass") !== "deny"),
      []
    )
    assert.deepStrictEqual(
      not.filter((command) => actionOf(command, "deny", "bypass") === "deny"),
      []
    )
  })

  it("that asks comes before what is allowed by name", () => {
    const own = { deletes: "rm x", network: "curl h", changes: "touch x" }[effect]
    assert.deepStrictEqual([actionOf(own, "ask", "ask"), actionOf("ls", "ask", "ask")], ["ask", "allow"])
  })
})
