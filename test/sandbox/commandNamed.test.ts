/** Digests of what a command runs because its words, its redirects or its scripts name it (P12, T3, R154). */
import { assert, describe, it } from "@effect/vitest"
import { judgeBash } from "../support/approvalCorpus.ts"
import { contentOf, type Files, inWorkspace, writeFiles } from "../support/contentFiles.ts"

const script = (text: string): Files => ({ "run.sh": `${text}\n` })

describe("a change of the named file ends the grant", () => {
  it.each([
    ["sh < a.sh", "a.sh", {}],
    ["python3 < a.py", "a.py", {}],
    ["python3 pkg", "pkg/__main__.py", {}],
    ["python3 -mpkg", "pkg/__main__.py", {}],
    ["node a", "a.js", {}],
    ["node pkg", "pkg/index.js", {}],
    ["tclsh a.tcl", "a.tcl", {}],
    ["java A.java", "A.java", {}],
    ["vim -S a.vim x", "a.vim", {}],
    ["psql -f a.sql", "a.sql", {}],
    ["patch -p1 -i a.patch", "a.patch", {}],
    ["patch -p1 < a.patch", "a.patch", {}],
    ["git apply a.patch", "a.patch", {}],
    ["tar xf a.tar", "a.tar", {}],
    ["make -C sub", "sub/Makefile", { "sub/Makefile": "all:\n\ttrue\n" }],
    ["make", "b.sh", { Makefile: "all:\n\tsh b.sh\n" }],
    ["make", "b.inc", { Makefile: "include a.mk \\\n  b.inc\nall:\n\ttrue\n" }],
    ["python3 a.py", "b.py", { "a.py": "import\fb\n" }],
    ["python3 a.py", "\u00e4b.py", { "a.py": "import \u00e4b\n" }],
    ["perl a.pl", "lib/b.pm", { "a.pl": 'use lib "lib"; use b;\n' }],
    ["sh run.sh", "lib.sh", script("sh < lib.sh")],
    ["python3 - <<'E'\nimport b\nE", "b.py", {}]
  ] as ReadonlyArray<readonly [string, string, Files]>)("%s: %s", (line, changed, files) => {
    inWorkspace({ [changed]: "1\n", ...files }, (workspace) => {
      const before = contentOf(line, workspace)
      writeFiles(workspace, { [changed]: "changed\n" })
      assert.notDeepEqual(contentOf(line, workspace), before)
    })
  })
})

describe("what nobody can name is allowed once only", () => {
  it.each([
    ["cat lib.sh | sh", {}],
    ["sh", {}],
    ["xargs sh", {}],
    ["find docs -exec sh {} +", {}],
    ["sh run.sh", script('DIR=$X\n"$DIR/lib.sh"')],
    ["sh run.sh", script("cat lib.sh | sh")],
    ["sh run.sh", script('eval "$(cat lib.sh)"')],
    ["sh run.sh", script('for f in docs/*; do "$f"; done')],
    ["sh run.sh", script("ls docs | xargs -n1 sh")],
    ["sh run.sh", script("find docs -exec sh {} \\;")],
    ["sh run.sh", script("run-parts docs")],
    ["sh run.sh", script("PATH=$PWD/bin:$PATH\ntool")],
    ["sh run.sh", script("export BASH_ENV=./env.sh\nbash -c true")],
    ["node a.js", { "a.js": 'const r = require; r("./b")\n' }],
    ["node a.js", { "a.js": 'import { createRequire as c } from "module"\n' }],
    ["node a.js", { "a.js": 'import "#b"\n' }],
    ["python3 a.py", { "a.py": "from importlib import import_module as m\n" }]
  ] as ReadonlyArray<readonly [string, Files]>)("%s with %j", (command, files) => {
    inWorkspace(files, (workspace) => {
      const { action, grant_options } = judgeBash({ command, workspace })
      assert.deepStrictEqual([action, grant_options], ["ask", []])
    })
  })

  it.each([
    ["sh run.sh", script("set -e\nnpm ci\nnode build.js")],
    ["bash -c 'echo hi'", {}],
    ["python3 -c 'print(1)'", {}],
    ["python3 - <<'E'\nprint(1)\nE", {}],
    ["make test", {}],
    ["sed -n 5,10p README.md", {}],
    ["tar czf x.tgz docs", {}]
  ] as ReadonlyArray<readonly [string, Files]>)("%s with %j can be granted exactly", (command, files) => {
    inWorkspace(files, (workspace) => {
      const { grant_options } = judgeBash({ command, workspace })
      assert.strictEqual(grant_options[0]?.id, "exact")
    })
  })
})
