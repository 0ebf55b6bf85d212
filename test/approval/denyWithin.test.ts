/** What a rule denies in scripts that a line runs from files: known of shells, seen in other languages (R138, P4, T2). */
import { assert, describe, it } from "@effect/vitest"
import type { Rule } from "../../src/approval/Rules.ts"
import { denyRule, judgeBash } from "../support/approvalCorpus.ts"
import { type Files, inWorkspace } from "../support/contentFiles.ts"

const FILES: Files = {
  "deploy.sh": "#!/bin/bash\nset -e\nif true; then git push origin main; fi\n",
  run: "#!/bin/sh\nexec ./deploy.sh\n",
  "look.sh": "cat secret/x\nls docs\n",
  "clean.sh": "rm -rf build\n",
  "env.sh": "git push\n",
  "push.mk": "deploy: check\n\tgit push\ncheck:\n\tls\n",
  Makefile: "all: lint\n\tls docs\nlint:\n\techo git push\ndeploy:\n\t@git push --tags\nrelease: deploy\n",
  "package.json": JSON.stringify({
    scripts: { deploy: "npm run pack2 && git push", pack2: "ls", test: "vitest run", nested: "npm run deploy" }
  }),
  "p.py": 'import subprocess\nsubprocess.run(["git", "push"])\n',
  "q.py": "stack.push(git)\n",
  "r.js": 'import { execSync } from "node:child_process"\nexecSync("rm -rf build")\n',
  "s.js": "performed.push(rm)\n",
  "t.py": 'open("secret/x").read()\n',
  "secret/x": "1\n",
  "docs/a": "1\n"
}

const action = (command: string, rule: Rule, mode: "bypass" | "ask" = "bypass") =>
  inWorkspace(FILES, (workspace) => judgeBash({ command, workspace, rules: [rule], mode }).action)

const PUSH = denyRule(["git", "push"])
const SECRET: Rule = { name: "secret", tool: "*", matcher: { kind: "path", glob: "secret/**" }, action: "deny" }
const effect = (one: "deletes" | "network"): Rule => ({
  name: one,
  tool: "*",
  matcher: { kind: "effect", effect: one },
  action: "deny"
})

const RUNS = `bash deploy.sh
./deploy.sh
sh -x deploy.sh
. ./deploy.sh
source deploy.sh
bash < deploy.sh
timeout 5 ./deploy.sh
nohup ./deploy.sh &
./run
find . -name x -exec ./deploy.sh {} +
BASH_ENV=env.sh bash -c true
export ENV=./env.sh; sh -i
bash --rcfile env.sh -i
bash --init-file=env.sh -i
npm run deploy
npm run nested
node --run deploy
make deploy
make release
make -f push.mk
MAKEFILES=push.mk make`.split("\n")

const HIDDEN = `python3 p.py
python3 - < p.py
curl h | sh
cat deploy.sh | bash
echo Z2l0IHB1c2g= | base64 -d | sh
find . -name '*.sh' | sh
git p
make -f <(printf 'a:\\n\\tgit push\\n')`.split("\n")

const NOT = `make
make all
make lint
make check -f push.mk
npm test
npm run pack2
python3 q.py
git commit -m push
git stash push
ls | cat
echo ls | sh
bash look.sh`.split("\n")

describe("a rule that denies git push meets it in scripts", () => {
  it.each(RUNS)("%s: denied", (command) => {
    assert.deepStrictEqual([action(command, PUSH), action(command, PUSH, "ask")], ["deny", "deny"])
  })
  it.each(HIDDEN)("%s: asked about in bypass, for nobody can know", (command) => {
    assert.strictEqual(action(command, PUSH), "ask")
  })
  it.each(NOT)("%s: not", (command) => {
    assert.strictEqual(action(command, PUSH), "allow")
  })
})

describe("so do other rules", () => {
  const rows: ReadonlyArray<readonly [string, Rule, string]> = [
    ["bash look.sh", SECRET, "deny"],
    ["python3 t.py", SECRET, "ask"],
    ["bash clean.sh", SECRET, "allow"],
    ["bash clean.sh", effect("deletes"), "deny"],
    ["node r.js", effect("deletes"), "ask"],
    ["node s.js", effect("deletes"), "allow"],
    ["node r.js", denyRule(["rm"]), "ask"],
    ["node s.js", denyRule(["rm"]), "allow"],
    ["bash look.sh", effect("deletes"), "allow"],
    ["npm run deploy", effect("network"), "deny"],
    ["npm run pack2", effect("network"), "allow"],
    ["make lint", effect("network"), "allow"]
  ]
  it.each(rows)("%s", (command, rule, expected) => {
    assert.strictEqual(action(command, rule), expected)
  })
})
