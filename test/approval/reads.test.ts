/** The grant of every command that only looks (P5, P8, R142, R154): what it covers, and what it never does. */
import { assert, describe, it } from "@effect/vitest"
import type { Grant } from "../../src/domain/Approval.ts"
import { judgeBash, makeGrant, makeWorkspace } from "../support/approvalCorpus.ts"

const LOOKS = `pwd
ls -la src
cat README.md
cat README.md | head -n 5
cat README.md && git status
git status
git diff --stat
git log --oneline -5
git show HEAD
wc -l src/a.ts docs/b.md
find . -name '*.js' -not -path './node_modules/*'
grep -rn sum src | sort | uniq -c
head -3 README.md; tail -3 README.md
true`.split("\n")

const CHANGES = `touch x
cat README.md > copy
cat README.md | tee copy
ls >> list
git log --output=x
git log > log.txt
git commit -m x
git branch topic
git branch -D topic
git tag v1
git stash
git config core.pager less
git reflog expire --expire=now --all
git -c core.pager=x status
git diff --ext-diff
git grep -O x
sort -o README.md README.md
sort --output=x README.md
sort --compress-program=./x README.md
tree -o x
find . -delete
find . -exec touch x ;
find . -fprint x
file -C -m README.md
date -s 12:00
date --set=12:00
date 010100002027
hostname evil
hostname -F README.md
rg --pre ./x sum
rg --hostname-bin ./x sum
ag --pager ./x sum
uniq README.md copy
printf -v 'a[$(touch x)]' 1
test -v 'a[$(touch x)]'
[ -v 'a[$(touch x)]' ]
cat "$(touch x)"
cat \`touch x\`
PAGER=x git log
echo $(touch x)
ls; npm test
ls & touch x`.split("\n")

/** They change nothing, and lead out of the workspace or show what is not in it. */
const ELSEWHERE = `cat /etc/passwd
cat ../outside.txt
ls /
ls ~
cat ~/.ssh/id_rsa
head -c 9 /dev/sda
grep -r x ..
git -C .. status
find / -name x
cat $HOME/x
du --files0-from=list
diff -r src ../x`.split("\n")

const judged = (command: string, grants: (workspace: string) => ReadonlyArray<Grant>) => {
  const workspace = makeWorkspace()
  try {
    return judgeBash({ command, workspace: workspace.path, grants: grants(workspace.path) })
  } finally {
    workspace.remove()
  }
}

const reads = (workspace: string): Grant => ({
  ...makeGrant(workspace, "prefix", ["ls"]),
  matcher: { kind: "reads" }
})

describe("a grant of every command that only looks", () => {
  it.each(LOOKS)("%s: covered, and offered where nothing covers it", (command) => {
    assert.strictEqual(judged(command, (workspace) => [reads(workspace)]).action, "allow")
    assert.include(
      judged(command, () => []).grant_options.map(({ id }) => id),
      "reads"
    )
  })

  it.each([...CHANGES, ...ELSEWHERE])("%s: asks all the same, and it is not offered", (command) => {
    assert.notStrictEqual(judged(command, (workspace) => [reads(workspace)]).action, "allow")
    assert.notInclude(
      judged(command, () => []).grant_options.map(({ id }) => id),
      "reads"
    )
  })

  it("lets the one part of a line be granted that is not covered yet", () => {
    const mixed = "cat README.md && npm test"
    const options = (grants: (workspace: string) => ReadonlyArray<Grant>) =>
      judged(mixed, grants).grant_options.map(({ label }) => label)
    assert.deepStrictEqual(
      options(() => []),
      ["exactly this bash call", "commands that begin with cat", "commands that begin with npm test"]
    )
    assert.deepStrictEqual(
      options((workspace) => [reads(workspace)]),
      ["exactly this bash call", "commands that begin with npm test"]
    )
  })
})
