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
    ["python3 - <<'E'\nimport b\nE", "b.py", {}],
    ["sh run.sh", "b.sh", script('run() { "$@"; }\nrun sh ./b.sh')],
    ["sh run.sh", "b.sh", script('log() { echo "$1"; }\nr() { timeout 5 "$@"; }\nr ./b.sh')],
    ["sh run.sh", "b.sh", script("sh <<E\n. ./b.sh\nE")],
    ["sh run.sh", "b.py", script("python3 - <<'E'\nimport b\nE")],
    ["sh run.sh", "b.sh", script("alias b=./b.sh\nb")],
    ["sh run.sh", "b.sql", script("sqlite3 x < b.sql")],
    ["sh run.sh", "b.el", script("emacs --script b.el")],
    ["sh run.sh", "b.go", script("go run b.go")],
    ["sh run.sh", "b.sh", script("ssh-agent ./b.sh")],
    ["perl -Ilib -Mb -e 1", "lib/b.pm", {}],
    ["python3 a.py", "b.sh", { "a.py": 'subprocess.run(["sh", "b.sh"])\n' }],
    ["python3 a.py", "c.sh", { "a.py": 'os.system("sh b.sh")\n', "b.sh": ". ./c.sh\n" }],
    ["python3 a.py", "b.sh", { "a.py": 'os.popen(f"{here}/b.sh")\n' }],
    ["python3 a.py", "b.py", { "a.py": 'eval(open("b.py").read())\n' }],
    ["python3 a.py", "b.py", { "a.py": 'exec(Path("b.py").read_text())\n' }],
    ["python3 a.py", "c/b.py", { "a.py": 'Popen([sys.executable, "-m", "c.b"])\nimport subprocess\n' }],
    ["python3 a.py", "b.txt", { "a.py": 'doctest.testfile("b.txt")\n' }],
    ["python3 a.py", "b.zip", { "a.py": 'zipimport.zipimporter("b.zip")\n' }],
    ["python3 -c 'import os; os.system(\"sh b.sh\")'", "b.sh", {}],
    ["node a.js", "b.sh", { "a.js": 'require("child_process").execSync("sh b.sh")\n' }],
    ["node a.js", "b.js", { "a.js": 'require("node:vm").runInThisContext(read("b.js"))\n' }],
    ["ruby a.rb", "b.sh", { "a.rb": 'system "sh", "b.sh"\n' }],
    ["perl a.pl", "b.sh", { "a.pl": "print `sh ./b.sh`;\n" }]
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
    ["python3 a.py", { "a.py": 'imp.load_source("b", name)\n' }],
    ["python3 a.py", { "a.py": 'getattr(__builtins__, "__import__")("b")\n' }],
    ["python3 a.py", { "a.py": "from importlib import import_module as m\n" }]
  ] as ReadonlyArray<readonly [string, Files]>)("%s with %j", (command, files) => {
    inWorkspace(files, (workspace) => {
      const { action, grant_options } = judgeBash({ command, workspace })
      assert.deepStrictEqual([action, grant_options], ["ask", []])
    })
  })

  it.each([
    ["sh run.sh", script("set -e\nnpm ci\nnode build.js")],
    ["sh run.sh", script('log() { echo "$1"; }\nlog "$X"\nlog done')],
    ["python3 a.py", { "a.py": "import subprocess\nsubprocess.run(command, check=True)\n" }],
    ["node a.js", { "a.js": 'const m = /a/.exec(read("src/b.js"))\n' }],
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
