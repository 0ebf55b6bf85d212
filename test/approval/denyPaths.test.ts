/** Rules on paths against commands: wherever the path stands, and whoever names the directory above (P10, R138). */
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import type { Rule } from "../../src/approval/Rules.ts"
import { judgeBash, makeWorkspace } from "../support/approvalCorpus.ts"

const RULE: Rule = { name: "secret", tool: "*", matcher: { kind: "path", glob: "secret/**" }, action: "deny" }

const judged = (command: string, rules: ReadonlyArray<Rule> = [RULE]) => {
  const { path, remove } = makeWorkspace()
  try {
    mkdirSync(join(path, "secret"))
    for (const name of ["secret/x", "x", "m", "o"]) writeFileSync(join(path, name), "1\n")
    const text = command.replace("{{workspace}}", path)
    return judgeBash({ command: text, workspace: path, rules, mode: "bypass" })
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
docker run -v ./secret:/s a
cat ../w?/secret/x
cd docs && cat ../secret/x
cd docs; cd ..; cd ./secret; cat x
cd ..; cat ws/secret/x
git -C docs show HEAD:../secret/x
x=secret; cat $x/x`.split("\n")

const UNKNOWN = `cat ~+/secret/x
cat ~-/secret/x
cat ~0/secret/x
cat < $PWD/secret/x
cat < ~+/secret/x
echo secret/x | xargs cat
echo secret/x | nice xargs cat
cat $(echo secret/x)
cat "$(pwd)"/secret/x
cat \${y:-secret/x}
: secret/x; cat $_
read x <<< secret/x; cat $x
x=m; read x <<< secret/x; cat $x
while read x; do cat $x; done <<< secret/x
mapfile -t x <<< secret/x; cat $x
printf -v x secret/x; cat $x
x=m; printf -v x secret/x; cat $x
x=\${y:-secret/x}; cat $x
x=SECRET; cat \${x,,}/x
x=asecret; cat \${x:1}/x
x=m; : \${x:=secret/x}; cat $x
x=secretX; cat \${x%X}/x
for x in m o; do cat $x; x=$(echo secret/x); done
x=m; x=secret/x bash -c 'cat $x'
for a in se ae; do for b in m cret/x; do cat $a$b; done; done
cat +(secret)/x
shopt -s nocaseglob; cat SECRE?/x
bash -O nocaseglob -c 'cat SECRE?/x'
grep '' ~+/secret/x
cp -r ~+ out
md5sum -c m
wc --files0-from=m
tar -cT m
HOME=$PWD/secret; cat ~/x
cd ~+/docs; cat x`.split("\n")

const KNOWN = `git commit -m "$MESSAGE"
echo $x $(date)
x=m; y=o; cat $x $y
a=(m o); cat "\${a[@]}"
grep "$PATTERN" x
sleep 1 & pid=$!; kill $pid
head -n $N x
diff <(cat x) <(cat m)
curl http://localhost:$PORT/
cd docs && ls
x=$(cat m); echo $x
cat *.md
printf '%s' "$x" > o`.split("\n")

describe("a rule that denies what lies below a directory", () => {
  it.each(DENIED)("%s: denied", (command) => {
    const { action, reason } = judged(command)
    assert.strictEqual(action, "deny", reason)
  })

  it.each(UNKNOWN)("%s: asked about, since a word of it may be anything", (command) => {
    const { action, reason } = judged(command)
    assert.strictEqual(action, "ask", reason)
    const none = judged(command, []).action
    assert.strictEqual(none, "allow")
  })

  it.each(["echo x > ~+/../outside", "echo x > $PWD/../outside", "echo x > ~root/.bashrc"])(
    "%s: refused, whatever is denied",
    (command) => {
      assert.strictEqual(judged(command, []).action, "deny")
    }
  )

  it.each([
    "ls",
    "cat x",
    "cp x y",
    "git status",
    "cp x docs",
    "git show HEAD:x",
    "for f in x m; do cat $f; done",
    ...KNOWN
  ])("%s: not", (command) => {
    const { action, reason } = judged(command)
    assert.strictEqual(action, "allow", reason)
  })
})
