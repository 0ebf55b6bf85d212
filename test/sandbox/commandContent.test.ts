/** What a grant is bound to: every file that decides what the command runs (P7, P12, T3), and nothing else. */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { MANIFESTS } from "../../src/sandbox/commandManifests.ts"
import { makeWorkspace } from "../support/approvalCorpus.ts"
import { contentOf, counted, countedIn, type Files, inWorkspace, unsettled } from "../support/contentFiles.ts"

describe("the files of each program that has some", () => {
  let workspace: ReturnType<typeof makeWorkspace>
  beforeAll(() => {
    workspace = makeWorkspace()
  })
  afterAll(() => workspace.remove())

  it("each of them counts, also where it appears, and a readme does not", () => {
    const rows = Object.entries(MANIFESTS).filter(([, { files }]) => files.length > 0)
    const found = rows.map(([name, { files }]) => {
      const some = [...new Set([files[0]!, files.at(-1)!])]
      return [name, some, countedIn(workspace.path, name, {}, [...some, "docs/README.md"])] as const
    })
    assert.isAbove(found.length, 120)
    assert.deepStrictEqual(
      found.filter(([, some, counts]) => some.join() !== counts.join()),
      []
    )
  })

  it("what -f names counts", () => {
    const files = { "a.x": "a", b: "b" }
    const names = Object.entries(MANIFESTS).flatMap(([name, { option }]) => (option?.test("-f") === true ? [name] : []))
    const wrong = inWorkspace(files, (path) =>
      names.filter((name) => countedIn(path, `${name} -f a.x`, files, ["a.x", "b"]).join() !== "a.x")
    )
    assert.deepStrictEqual(wrong, [])
    assert.isAbove(names.length, 15)
  })
})

it("what is started a second time is judged by what stands before it then", () => {
  const files = { Makefile: "all:\n\ttrue\n", "e.mk": "" }
  assert.deepStrictEqual(unsettled("nice make; tee Makefile < e.mk; nice make", files), [
    "what it runs may be changed by tee before it"
  ])
  assert.deepStrictEqual(unsettled("nice make; ls; nice make; nice make", files), [])
})

it("an option that means something else to another command, and a word of a script, change nothing", () => {
  inWorkspace({}, (workspace) => {
    assert.deepStrictEqual(contentOf("docker logs -f web", workspace), contentOf("docker logs web", workspace))
    assert.deepStrictEqual(contentOf("npm test -- install", workspace), contentOf("npm test", workspace))
  })
})

describe("what belongs to a workspace of packages", () => {
  const npm: Files = {
    "package.json": '{"workspaces":["packages/*"],"scripts":{"test":"vitest run && tsc --noEmit"}}',
    "packages/a/package.json": "{}",
    "package-lock.json": "{}"
  }
  const files = [
    "packages/a/package.json",
    "packages/b/package.json",
    "package-lock.json",
    "vitest.config.ts",
    "tsconfig.json",
    "src/a.ts"
  ]

  const members = ["packages/a/package.json", "packages/b/package.json"]

  it.each([
    ["npm test", npm, [...members, "vitest.config.ts", "tsconfig.json"]],
    ["npm ci", npm, [...members, "package-lock.json", "vitest.config.ts", "tsconfig.json"]],
    [
      "pnpm test",
      { "package.json": "{}", "pnpm-workspace.yaml": "packages:\n  - 'packages/*'\n", "packages/a/package.json": "{}" },
      members
    ],
    [
      "yarn test",
      { "package.json": '{"workspaces":{"packages":["packages/**"]}}', "packages/a/package.json": "{}" },
      members
    ]
  ] as ReadonlyArray<readonly [string, Files, ReadonlyArray<string>]>)("%s", (line, there, expected) => {
    assert.deepStrictEqual(counted(line, there, files).toSorted(), expected.toSorted())
  })

  it("cargo test: members, their build scripts, and dependencies that are paths", () => {
    const toml = '[workspace]\nmembers = ["crates/*"]\n[dependencies]\nx = { path = "x" }\n'
    const there = { "Cargo.toml": toml, "crates/a/Cargo.toml": "", "x/Cargo.toml": "" }
    const all = ["crates/a/Cargo.toml", "crates/a/build.rs", "x/build.rs", "src/main.rs"]
    assert.deepStrictEqual(counted("cargo test", there, all), all.slice(0, 3))
  })
})

describe("what a script pulls in", () => {
  const rows: ReadonlyArray<
    readonly [line: string, files: Files, counts: ReadonlyArray<string>, not: ReadonlyArray<string>]
  > = [
    [
      "sh run.sh",
      { "run.sh": ". ./lib.sh\n", "lib.sh": "source deep/x.sh\n" },
      ["run.sh", "lib.sh", "deep/x.sh"],
      ["x.sh"]
    ],
    ["./run.sh", { "run.sh": '#!/bin/bash\n. "$(dirname "$0")/lib.sh"\nsh other.sh\n' }, ["lib.sh", "other.sh"], []],
    ["bash a/run.sh", { "a/run.sh": 'source "${BASH_SOURCE[0]%/*}/lib.sh"\n' }, ["a/lib.sh"], ["lib.sh"]],
    ["sh run.sh", { "run.sh": "cd sub\n. ./lib.sh\nexec ./go.sh\n" }, ["sub/lib.sh", "sub/go.sh", "lib.sh"], []],
    ["sh run.sh", { "run.sh": "npm test\nmake\neval '. ./e.sh'\n" }, ["package.json", "Makefile", "e.sh"], []],
    ["sh run.sh", { "run.sh": "if true; then . ./a.sh; fi\nf() { . ./b.sh; }\n" }, ["a.sh", "b.sh"], []],
    [
      "python3 x.py",
      { "x.py": "import os, a\nfrom p import q\nfrom r.s import (\n  t,\n)\n", "p/__init__.py": "from . import z\n" },
      ["a.py", "p/q.py", "p/z.py", "r/s/t.py", "os.py"],
      ["b.py"]
    ],
    ["python3 -c 'import a'", {}, ["a.py"], ["b.py"]],
    ["python3 -m a.b", {}, ["a/b/__main__.py"], ["b.py"]],
    [
      "node x.js",
      {
        "x.js": 'import "./a.js"\nconst b = require("./b")\nawait import("./c.mjs")\nexport * from "./d"\n',
        "a.js": "require('../e')"
      },
      ["a.js", "b.js", "c.mjs", "d/index.js", "package.json"],
      ["z.js"]
    ],
    ["node -e 'require(\"./a\")'", {}, ["a.js"], ["b.js"]],
    ["ruby x.rb", { "x.rb": 'require_relative "a"\nload "./b.rb"\nYAML.load text\n' }, ["a.rb", "b.rb"], ["c.rb"]],
    ["perl x.pl", { "x.pl": 'use lib "lib";\nuse Foo::Bar;\ndo "a.pl";\n' }, ["lib/Foo/Bar.pm", "a.pl"], ["b.pl"]],
    ["php x.php", { "x.php": "<?php require __DIR__ . '/a.php'; include 'b.php';" }, ["a.php", "b.php"], ["c.php"]],
    ["lua x.lua", { "x.lua": 'require "a.b"\ndofile("c.lua")\n' }, ["a/b.lua", "c.lua"], ["d.lua"]],
    ["make", { Makefile: "include x.inc\n" }, ["x.inc"], ["y.inc"]],
    ["eslint .", { "eslint.config.js": 'import rules from "./rules.js"\n' }, ["rules.js"], ["src/a.js"]],
    ["tsc --noEmit", { "tsconfig.json": '{"extends":"./base.json"}' }, ["base.json"], ["src/a.ts"]]
  ]
  it.each(rows)("%s with %j", (line, files, counts, not) => {
    assert.deepStrictEqual(counted(line, files, [...counts, ...not]), counts)
    assert.deepStrictEqual(unsettled(line, files), [])
  })
})

describe("where a line has gone, and where options point", () => {
  it.each([
    ["cd sub && npm test", ["sub/package.json", "package.json"], ["docs/package.json"]],
    ["cd sub && cd deep && sh run.sh", ["sub/deep/run.sh"], ["docs/run.sh"]],
    ["cd sub; ../run.sh", ["run.sh"], ["docs/run.sh"]],
    ["command cd sub && make", ["sub/Makefile"], ["docs/a.txt"]],
    ["env -C sub make", ["sub/Makefile"], ["docs/a.txt"]],
    ["env -i --chdir=sub make", ["sub/Makefile"], ["docs/a.txt"]],
    ["(cd sub && make)", ["sub/Makefile"], ["docs/a.txt"]],
    ["make -C sub", ["sub/Makefile"], ["docs/a.txt"]],
    ["npm --prefix sub test", ["sub/package.json"], ["docs/package.json"]],
    ["yarn --cwd=sub test", ["sub/package.json"], ["docs/package.json"]],
    ["tsc -p sub/tsconfig.json", ["sub/tsconfig.json"], ["docs/a.txt"]],
    ["python3 -m pytest", ["conftest.py"], ["docs/a.txt"]]
  ] as ReadonlyArray<readonly [string, ReadonlyArray<string>, ReadonlyArray<string>]>)("%s", (line, counts, not) => {
    const there = { "sub/tsconfig.json": "{}", "sub/deep/x": "", "run.sh": "true", "sub/Makefile": "" }
    assert.deepStrictEqual(counted(line, there, [...counts, ...not]), counts)
  })

  it.each(['cd "$X" && npm test', "cd - && npm test", "cd && npm test", "cd s* && make", 'env -C "$X" make'])(
    "%s: nobody can say where",
    (line) => {
      assert.include(unsettled(line, {}), "nobody can say in which directory it runs")
    }
  )

  it.each(["cd sub && ls", 'cd "$X" && git status', "cd src && npm test"])(
    "%s: asks no more than its parts",
    (line) => {
      assert.deepStrictEqual(unsettled(line, {}), [])
    }
  )
})

describe("what cannot be told is granted never, only allowed once", () => {
  const rows: ReadonlyArray<readonly [string, Files]> = [
    ["sh run.sh", { "run.sh": '. "$LIB/x.sh"\n' }],
    ["sh run.sh", { "run.sh": 'cd "$X"\n. ./x.sh\n' }],
    ["sh run.sh", { "run.sh": 'sh "$X"\n' }],
    ["sh run.sh", { "run.sh": "if true; then (\n" }],
    ["python3 x.py", { "x.py": "import importlib\nimportlib.import_module(name)\n" }],
    ["python3 x.py", { "x.py": "import sys\nsys.path.insert(0, 'lib')\n" }],
    ["node x.js", { "x.js": "require(name)\n" }],
    ["node x.js", { "x.js": "import(`./${name}.js`)\n" }],
    ["ruby x.rb", { "x.rb": 'require "#{name}"\n' }],
    ["perl x.pl", { "x.pl": 'do "$name.pl";\n' }],
    ["php x.php", { "x.php": "<?php include $name;" }],
    ["lua x.lua", { "x.lua": "dofile(name)\n" }],
    ["make", { Makefile: "include $(X).mk\n" }]
  ]
  it.each(rows)("%s with %j", (line, files) => {
    assert.match(unsettled(line, files).join(), /^nobody can tell what else .* runs$/)
  })

  it.each([
    ["sh run.sh", { "run.sh": 'set -e\nfor f in "$@"; do echo "$f"; done\n' }],
    ["sh run.sh", { "run.sh": 'exec "$@"\n' }],
    ["sh run.sh", { "run.sh": 'node "$1"\ncd build && make\n' }],
    ["node x.js", { "x.js": 'const x = require("fs")\nimport.meta.url\n' }]
  ] as ReadonlyArray<readonly [string, Files]>)("%s with %j can be granted", (line, files) => {
    assert.deepStrictEqual(unsettled(line, files), [])
  })
})
