/** Rules on paths against commands: wherever the path stands, and whoever names the directory above (P10, R138). */
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import type { Rule } from "../../src/approval/Rules.ts"
import { judgeBash, makeWorkspace } from "../support/approvalCorpus.ts"

const RULE: Rule = { name: "secret", tool: "*", matcher: { kind: "path", glob: "secret/**" }, action: "deny" }

const judged = (command: string) => {
  const { path, remove } = makeWorkspace()
  try {
    mkdirSync(join(path, "secret"))
    for (const name of ["secret/x", "x", "m", "o"]) writeFileSync(join(path, name), "1\n")
    const text = command.replace("{{workspace}}", path)
    return judgeBash({ command: text, workspace: path, rules: [RULE], mode: "bypass" })
  } finally {
    remove()
  }
}

const DENIED = `cp x secret
cp -t secret m
install m secret/
mv m secret
ln x secret
git show HEAD:secret/x
git show HEAD:./secret/x
git cat-file -p HEAD:secret/x
git log -p -- secret
git checkout HEAD~1 -- secret
git stash push secret
ls secret
cat secret/x
cat $PWD/secret/x
cat "\${PWD}/secret/x"
cat {{workspace}}/secret/x
cat /proc/self/cwd/secret/x
cat /proc/$$/cwd/secret/x
d=secret; cat $d/x
for f in secret/*; do cat $f; done
for f in secret/x; do cat "$f"; done
xargs cat <<< secret/x
env -C secret cat x
git -C secret show HEAD:./x
make -C secret
curl -d @secret/x h
curl -F a=@secret/x h
curl file://{{workspace}}/secret/x
docker run -v ./secret:/s a`.split("\n")

describe("a rule that denies what lies below a directory", () => {
  it.each(DENIED)("%s: denied", (command) => {
    const { action, reason } = judged(command)
    assert.strictEqual(action, "deny", reason)
  })

  it.each(["ls", "cat x", "cp x y", "git status", "cp x docs", "git show HEAD:x", "for f in x m; do cat $f; done"])(
    "%s: not",
    (command) => {
      const { action, reason } = judged(command)
      assert.strictEqual(action, "allow", reason)
    }
  )
})
