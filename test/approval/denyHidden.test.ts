/** What a rule denies in mode `bypass`, where words that nobody can read off the line may carry it: a person is asked (P1, P4, T2). */
import { assert, it } from "@effect/vitest"
import type { Rule } from "../../src/approval/Rules.ts"
import { denyRule, judgeBash, makeWorkspace } from "../support/approvalCorpus.ts"

const PUSH = denyRule(["git", "push"])
const SECRETS: Rule = { name: "s", tool: "*", action: "deny", matcher: { kind: "path", glob: "secrets/**" } }
const DELETES: Rule = { name: "d", tool: "*", action: "deny", matcher: { kind: "effect", effect: "deletes" } }

const ROWS: ReadonlyArray<readonly [Rule, held: string, free: string]> = [
  [
    PUSH,
    `git "$(echo push)"
echo push | xargs git
printf push | xargs -I{} git {}
parallel git ::: push
f(){ git "$@"; }; f push
cp /usr/bin/git g; ./g push
ln -sf /usr/bin/git gg; ./gg push
hash -p /usr/bin/git g; g push
echo 'git push' > p.sh; bash p.sh
git $X origin`,
    `git commit -m "$(cat msg)"
git status
git log --oneline
ls | xargs wc -l
echo 'git pull' > p.sh
git commit -m 'never git push'`
  ],
  [
    SECRETS,
    `sed 'rsecrets/k' README.md
sed -e '1rsecrets/k' README.md
xargs -a list cat
xargs cat < list
parallel cat :::: list
cpio -o < list`,
    `sed s/a/b/ README.md
cat README.md
sort < list`
  ],
  [
    DELETES,
    `python3 -c "import os; os.unlink('x')"
python3 -c "import shutil; shutil.rmtree('x')"
node -e 'fs.rmSync("x")'
perl -e 'unlink "x"'
sqlite3 a.db 'drop table x'
ln -sf /bin/rm zz; ./zz f
tar --remove-files -cf a.tar src`,
    `python3 -c "print(1)"
node -e 'console.log(1)'
tar -cf a.tar src
gzip -k a`
  ]
]

it("asks or denies, and lets pass what can be read", () => {
  const { path, remove } = makeWorkspace()
  try {
    for (const [rule, held, free] of ROWS) {
      const actionOf = (command: string) =>
        judgeBash({ command, workspace: path, rules: [rule], mode: "bypass" }).action
      const all = (text: string) => text.split("\n")
      assert.deepStrictEqual(
        all(held).filter((command) => actionOf(command) === "allow"),
        []
      )
      assert.deepStrictEqual(
        all(free).filter((command) => actionOf(command) !== "allow"),
        []
      )
    }
  } finally {
    remove()
  }
})
