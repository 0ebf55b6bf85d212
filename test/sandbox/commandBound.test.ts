/** What decides what a script runs, where no literal name says so: it counts, or the script is allowed once only (P12, T3). */
import { mkdirSync, symlinkSync } from "node:fs"
import { assert, it } from "@effect/vitest"
import { counted, countedIn, type Files, inWorkspace, unsettled } from "../support/contentFiles.ts"

const scripts = (all: Readonly<Record<string, string>>): Files => ({ "package.json": JSON.stringify({ scripts: all }) })
const make = (text: string): Files => ({ Makefile: text })
const list = (text: string): ReadonlyArray<string> => text.split(" ").filter((one) => one !== "")

/** Line, files, what counts, what does not. */
const BOUND: ReadonlyArray<readonly [string, Files, string, string?]> = [
  [
    "make",
    { ...make("all:\n\tpython3 t/gen.py\n"), "t/gen.py": "import lib\n" },
    "t/gen.py t/lib.py t/gettext.py",
    "t/test_x.py"
  ],
  ["make", { ...make("all:\n\tnode t/gen.mjs\n"), "t/gen.mjs": 'import "./lib.mjs"\n' }, "t/gen.mjs t/lib.mjs"],
  ["make", { ...make("all:\n\tsh t/gen.sh\n"), "t/gen.sh": ". t/lib.sh\n" }, "t/gen.sh t/lib.sh"],
  ["make", { ...make("all:\n\t@./t/run\n"), "t/run": "#!/bin/sh\n. ./t/lib\n" }, "t/run t/lib"],
  ["make", make("S = t\nall:\n\tsh $(S)/gen.sh\n"), "t/gen.sh"],
  ["make", make("S := t/gen.sh\nall:\n\tsh ${S}\n"), "t/gen.sh"],
  ["make", make("all:\n\tcd t && sh ./gen.sh\n"), "t/gen.sh"],
  ["make", make("all: ; sh t/gen.sh\n"), "t/gen.sh"],
  ["make", make("X := $(shell sh t/gen.sh)\nall:\n\ttrue\n"), "t/gen.sh"],
  ["make", make("X != sh t/gen.sh\nall:\n\ttrue\n"), "t/gen.sh"],
  ["make", make("all:\n\tsh gen\n"), "gen"],
  ["make", make("all:\n\tpython3 -m t.gen\n"), "t/gen.py"],
  ["make", make("all:\n\tnode t\n"), "t/index.js"],
  ["make", { ...make("all:\n\tnpm run -s lint\n"), ...scripts({ lint: "node scripts/lint.js" }) }, "scripts/lint.js"],
  [
    "python3 tools/a.py",
    { "tools/a.py": "import argparse\n" },
    "tools/gettext.py tools/copy.py",
    "tools/b.txt gettext.py"
  ],
  ["python3 -m json.tool package.json", {}, "gettext.py", "src/gettext.py"],
  ["python3 -m unittest test_a", { "test_a.py": "x\n" }, "test_a.py"],
  ["python3 -m unittest pkg.test_a.Case.test_b", { "pkg/test_a.py": "x\n" }, "pkg/test_a.py"],
  [
    "npm run z",
    { ...scripts({ z: "cd t && npm run y" }), "t/package.json": '{"scripts":{"y":"node y.js"}}' },
    "t/y.js t/package.json"
  ],
  ["npm run p", { ...scripts({ p: "python3 tools/a.py" }), "tools/a.py": "import argparse\n" }, "tools/gettext.py"],
  [
    "node a.mjs",
    { "a.mjs": 'import cp from "node:child_process"\ncp.execFileSync("sh", [__dirname + "/b.sh"])\n' },
    "b.sh"
  ]
]

/** Nobody can say what these run: once only. */
const UNCLEAR: ReadonlyArray<readonly [string, Files]> = [
  ["make", make("L = a b\nall:\n\tfor i in $(L); do sh t/$$i.sh; done\n")],
  ["make", make("all:\n\tsh $(NAME).sh\n")],
  ["make", make("S = a.sh\nS = b.sh\nall:\n\tsh $(S)\n")],
  ["node a.js", { "a.js": 'const f = name\nrequire("./plug/" + f)\n' }],
  ["node a.mjs", { "a.mjs": 'await import("./plug/" + f)\n' }],
  ["node a.js", { "a.js": 'require/**/("./h.cjs")\n' }],
  ["node a.js", { "a.js": 'require.call(null, "./h.cjs")\n' }],
  ["node a.js", { "a.js": 'require("./\\x68.cjs")\n' }],
  ["node a.js", { "a.js": '(0,eval)(require("fs").readFileSync("h.txt"))\n' }],
  ["node a.js", { "a.js": 'new Function(require("fs").readFileSync(p))()\n' }],
  ["python3 a.py", { "a.py": 'import subprocess\nsubprocess.run(["sh", HERE + "/b.sh"])\n' }],
  ["python3 a.py", { "a.py": "import pkgutil\nfor m in pkgutil.iter_modules(p): pass\n" }],
  ["npm run x", scripts({ x: "NODE_OPTIONS=--require=./reg.cjs node x.js" })],
  ["npm run x", scripts({ x: "cross-env NODE_OPTIONS='--import ./reg.mjs' node x.js" })],
  ["npm run x", scripts({ x: "env PYTHONPATH=lib python3 x.py" })],
  ["npm run x", scripts({ x: "BASH_ENV=./e.sh bash x.sh" })]
]

const CLEAR: ReadonlyArray<readonly [string, Files]> = [
  [
    "make",
    make("CC ?= gcc\nCFLAGS += -O2\nall: a.o\n\t$(CC) $(CFLAGS) -o $@ $^\nclean:\n\t$(RM) -r build\n.PHONY: all\n")
  ],
  ["make", make("PYTHON := python3\ntest:\n\t@$(PYTHON) -m pytest -q $(ARGS)\n")],
  ["npm run x", scripts({ x: "NODE_OPTIONS=--max-old-space-size=4096 node x.js" })],
  ["npm run x", scripts({ x: "cross-env NODE_ENV=production NODE_OPTIONS=--no-warnings node x.js" })],
  ["node a.js", { "a.js": 'const s = "./a/" + x\nrequire("./lib.js")\nimport("./b.js")\n' }],
  ["node a.js", { "a.js": 'new URL("./data.json", import.meta.url)\nfork("./w.js", [])\n' }]
]

it("every file that a makefile, a module or a package leads to counts", () => {
  const wrong = BOUND.flatMap(([line, files, yes, no = ""]) => {
    const found = counted(line, files, [...list(yes), ...list(no)]).join(" ")
    return found === yes ? [] : [[line, JSON.stringify(files), found, yes]]
  })
  assert.deepStrictEqual(wrong, [])
})

it("a package of the workspace counts behind its link", () => {
  const files = {
    ...scripts({ l: "node l.mjs" }),
    "l.mjs": 'import "@a/b"\n',
    "packages/b/package.json": '{"main":"lib/main.js"}',
    "packages/b/lib/main.js": 'require("./deep.js")\n'
  }
  inWorkspace(files, (workspace) => {
    mkdirSync(`${workspace}/node_modules/@a`, { recursive: true })
    symlinkSync("../../packages/b", `${workspace}/node_modules/@a/b`)
    const all = ["packages/b/lib/main.js", "packages/b/lib/deep.js", "packages/b/index.js", "packages/b/package.json"]
    assert.deepStrictEqual(countedIn(workspace, "npm run l", files, [...all, "packages/b/readme.md"]), all)
  })
})

it("a name that is put together when it runs makes it unclear, and nothing else does", () => {
  const of = (rows: typeof UNCLEAR, wanted: boolean) =>
    rows.filter(([line, files]) => unsettled(line, files).length > 0 !== wanted).map((row) => JSON.stringify(row))
  assert.deepStrictEqual(of(UNCLEAR, true), [])
  assert.deepStrictEqual(of(CLEAR, false), [])
})
