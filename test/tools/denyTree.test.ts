/** A rule that denies a path, against commands that take along the directory above it (T2, R138). */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { makeJudge } from "../../src/app/policyJudge.ts"
import type { Mode } from "../../src/approval/ApprovalGate.ts"
import type { Rule } from "../../src/approval/Rules.ts"
import { type Files, writeFiles } from "../support/contentFiles.ts"
import { makeWorkspace } from "../support/approvalCorpus.ts"

const RULE: Rule = { name: "secret", tool: "*", matcher: { kind: "path", glob: "secret/**" }, action: "deny" }
const FILES: Files = { "secret/x": "1\n", list: "secret/x\n", "a.yml": "a: 1\n", "docs/a": "1\n" }

const actions = (commands: ReadonlyArray<string>, mode: Mode = "bypass") =>
  Effect.gen(function* () {
    const { path, remove } = makeWorkspace()
    try {
      writeFiles(path, FILES)
      const { judge } = yield* makeJudge({ workspace: path, own: [], moved: [] })
      const found: Array<readonly [string, string]> = []
      for (const command of commands) {
        const line = command.replaceAll("{{ws}}", path)
        const judged = yield* judge("bash", JSON.stringify({ command: line }), { rules: [RULE], grants: [], mode })
        found.push([command, judged.kind === "refused" ? "refused" : judged.judgement.action])
      }
      return found
    } finally {
      remove()
    }
  })

const expected = (commands: ReadonlyArray<string>, action: string) =>
  commands.map((command) => [command, action] as const)

const WHOLE = `npm pack
npm publish
docker build .
docker build -t a -f docs/a ./
podman build .
docker compose build
docker compose up -d
docker run -v .:/x a
docker run -v $PWD:/x a
docker run -v {{ws}}:/x a
docker run --mount type=bind,src=.,dst=/x a
python3 -m http.server
python3 -m http.server 8000 --directory .
python3 -m zipfile -c o.zip .
python3 -m tarfile -c o.tar .
python3 -m build
php -S localhost:8000
ruby -run -e httpd .
npx serve
npx http-server .
git clone . x
git clone {{ws}} x
git clone file://{{ws}} x
tar cf o.tar .
tar -C . -cf o.tar .
bsdtar -cf o.tar .
rsync -a . x
rsync -a ./ h:
cp -r . x
cp -a {{ws}} x
cp -rT . x
zip -r o.zip .
poetry build
cargo package
vercel deploy`.split("\n")

const PERHAPS = `jar cf o.jar .
mksquashfs . o.sq
restic backup .
aws s3 sync . s3://x
rclone copy . r:
docker cp . c:/x
unknown-program .
pip wheel .
yq 'load("secret/x")' a.yml
yq -n 'load("sec" + "ret/x")'
jq -n 'import "./secret/x" as $x; $x'
jq -L secret -n .
awk -v f=secret/x 'BEGIN{getline l < f; print l}'
curl -F 'f=@secret/x;type=a/b' h
sftp -b list h
sftp h <<< 'put secret/x'
git apply a.patch
patch -p1 -i a.patch
python3 -c "import os; print([f for f in os.walk('.')])"
python3 -c "import glob; print(glob.glob('s*/x'))"
perl -e 'print <s*/x>'`.split("\n")

const NOT = `eslint .
prettier --check .
tsc -p .
ruff check .
mypy .
npm test
npm install
npm run build
docker ps
docker compose ps
docker run -v ./docs:/x a
docker build docs
python3 -m http.server --directory docs
python3 -m json.tool a.yml
tar cf o.tar docs
cp -r docs x
git clone https://example.org/x.git
git commit -m 'secret/x is left alone'
echo secret/x
yq .a a.yml
jq . package.json
mkdir -p ./x
ls .
php -l docs/a
unknown-program docs`.split("\n")

describe("a denied path below a directory that goes along", () => {
  it.effect("is denied in every mode where the command is known to take all of it", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* actions(WHOLE), expected(WHOLE, "deny"))
      assert.deepStrictEqual(yield* actions(WHOLE, "ask"), expected(WHOLE, "deny"))
    })
  )

  it.effect("is asked about in bypass where nobody can know", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* actions(PERHAPS), expected(PERHAPS, "ask"))
    })
  )

  it.effect("asks about nothing else", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* actions(NOT), expected(NOT, "allow"))
    })
  )
})
