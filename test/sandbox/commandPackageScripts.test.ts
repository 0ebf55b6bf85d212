/** A grant of `npm run X` is bound to what the manifest's script names, and to what that pulls in (P7, P12, R154). */
import { assert, describe, it } from "@effect/vitest"
import { judgeBash } from "../support/approvalCorpus.ts"
import { counted, type Files, inWorkspace, unsettled } from "../support/contentFiles.ts"

const manifest = (scripts: Readonly<Record<string, string>>, more: object = {}): Files => ({
  "package.json": JSON.stringify({ scripts, ...more })
})

type Row = readonly [line: string, files: Files, counts: string, not?: string]

const rows: ReadonlyArray<Row> = [
  [
    "npm run lint",
    { ...manifest({ lint: "node lint.js" }), "lint.js": 'import "./own/rules.js"\n' },
    "lint.js own/rules.js"
  ],
  ["npm run b", { ...manifest({ b: "bash build.sh" }), "build.sh": "sh sub.sh\n" }, "build.sh sub.sh", "other.sh"],
  ["npm run py", { ...manifest({ py: "python3 g.py" }), "g.py": "import helper\n" }, "g.py helper.py"],
  [
    "npm run gen",
    { ...manifest({ gen: "tsc && node gen.cjs" }), "gen.cjs": 'require("./lib")\n' },
    "gen.cjs lib.js",
    "src/a.ts"
  ],
  [
    "npm run gen",
    manifest({ pregen: "node first.js", gen: "true", postgen: "sh last.sh" }),
    "first.js last.sh",
    "gen.js"
  ],
  [
    "npm run all",
    manifest({ all: "npm run lint && yarn gen", lint: "node l.js", gen: "node g.js", x: "node x.js" }),
    "l.js g.js",
    "x.js"
  ],
  [
    "npm run all",
    manifest({ all: "run-s lint:*", "lint:a": "node a.js", "lint:b": "node b.js", c: "node c.js" }),
    "a.js b.js",
    "c.js"
  ],
  ["npm run all", manifest({ all: "concurrently npm:a 'node b.js'", a: "node a.js" }), "a.js b.js"],
  ["npm run x", manifest({ x: "cross-env A=1 NODE_ENV=y node x.js && timeout 5 ./y.sh" }), "x.js y.sh"],
  ["npm run x", manifest({ x: "cd tools && node x.js" }), "tools/x.js"],
  [
    "npm ci",
    manifest({ postinstall: "node scripts/setup.js", prepare: "sh p.sh", lint: "node l.js" }),
    "scripts/setup.js p.sh",
    "l.js"
  ],
  ["npm start", manifest({}), "server.js"],
  ["npm restart", manifest({ stop: "node down.js", start: "node up.js" }), "down.js up.js"],
  ["yarn gen", manifest({ gen: "node g.js" }), "g.js"],
  ["pnpm gen", manifest({ gen: "node g.js" }), "g.js"],
  ["bun run gen", manifest({ gen: "node g.js" }), "g.js"],
  ["node --run gen", manifest({ gen: "node g.js" }), "g.js"],
  [
    "npm run gen -w a",
    { ...manifest({}, { workspaces: ["packages/*"] }), "packages/a/package.json": '{"scripts":{"gen":"node g.js"}}' },
    "packages/a/g.js"
  ],
  ["npm run --prefix sub gen", { ...manifest({}), "sub/package.json": '{"scripts":{"gen":"node g.js"}}' }, "sub/g.js"],
  ["cd sub && npm run gen", { ...manifest({}), "sub/package.json": '{"scripts":{"gen":"node g.js"}}' }, "sub/g.js"],
  // What a test script names is its own; what that imports is what is worked on.
  [
    "npm test",
    { ...manifest({ test: "node test/run.js" }), "test/run.js": 'import "../src/a.js"\n' },
    "test/run.js",
    "src/a.js"
  ],
  ["npm test", { ...manifest({ test: "sh t.sh" }), "t.sh": "node check.js\n" }, "t.sh check.js", "src/a.js"],
  [
    "npm run test:unit",
    { ...manifest({ "test:unit": "node --test a.js" }), "a.js": 'import "./b.js"\n' },
    "a.js",
    "b.js"
  ],
  [
    "npm run build",
    manifest({ build: "esbuild src/index.ts --bundle", lint: "node l.js" }),
    "package.json",
    "src/index.ts l.js"
  ]
]

describe("scripts of a manifest", () => {
  it.each(rows.map(([line, files, counts, not = ""]) => [line, files, counts, not] as const))(
    "%s with %j",
    (line, files, counts, not) => {
      const wanted = counts.split(" ")
      assert.deepStrictEqual(counted(line, files, [...wanted, ...not.split(" ").filter(Boolean), "docs/x.md"]), wanted)
      assert.deepStrictEqual(unsettled(line, files), [])
    }
  )

  it.each([
    ["npm run x", manifest({ x: "sh $FILE" })],
    ["npm run x", manifest({ x: "cat l.sh | sh" })],
    ["npm run x", { ...manifest({ x: "node x.js" }), "x.js": "for (const f of all) await import(f)\n" }]
  ] as ReadonlyArray<readonly [string, Files]>)("%s with %j is allowed once only", (command, files) => {
    inWorkspace(files, (workspace) => {
      const { action, grant_options } = judgeBash({ command, workspace })
      assert.deepStrictEqual([action, grant_options], ["ask", []])
    })
  })

  it.each([
    ["npm test", manifest({ test: "for f in test/*.js; do node $f; done" })],
    ["npm test", manifest({ test: "mocha 'test/**/*.js'" })],
    ["npm test", manifest({ test: "node --test" })],
    ["npm run unit", manifest({ unit: "c8 node --test" })],
    ["npm run build", manifest({ build: "rimraf dist && tsc -p . && vite build" })],
    ["npm run dev", manifest({ dev: "NODE_ENV=development vite --port 3000" })],
    ["npm run fmt", manifest({ fmt: 'prettier --write "src/**/*.ts" && eslint . --fix' })],
    ["npm run version", manifest({ version: "node -v" })]
  ] as ReadonlyArray<readonly [string, Files]>)("%s with %j can be granted by its first words", (command, files) => {
    inWorkspace(files, (workspace) => {
      const ids = judgeBash({ command, workspace }).grant_options.map(({ id }) => id)
      assert.deepStrictEqual(ids, ["exact", "command"])
    })
  })
})
