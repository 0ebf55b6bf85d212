/** The executable: fast answers, an old Node told in one sentence, a bundle with its workers (cold start; Bad input). */
import { chmodSync, existsSync, readFileSync, readdirSync, rmSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { type Program, Visitor, parseSync, visitorKeys } from "oxc-parser"
import { buildIfStale } from "../../scripts/build.ts"
import { start } from "../support/e2eTerminal.ts"
import { type Files, directoryWith, writeFiles } from "../support/directories.ts"
import { bareEnvironment, run } from "../support/programs.ts"

const repository = fileURLToPath(new URL("../..", import.meta.url))
const bootSource = readFileSync(join(repository, "src/app/boot.js"), "utf8")
const node = process.execPath

const manifest = (minimum: string) =>
  JSON.stringify({ version: "9.8.7", type: "module", engines: { node: `>=${minimum}` } })

const sources: Files = {
  "src/app/boot.js": bootSource,
  "src/app/claw.ts":
    'import { Worker } from "node:worker_threads"\nimport { shout } from "./shout.ts"\n' +
    'if (process.argv[2] === "work") new Worker(new URL("./echoWorker.ts", import.meta.url))\n' +
    'else console.log(shout("claw"), ...process.argv.slice(2))\n',
  "src/app/shout.ts": "export const shout = (text: string): string => text.toUpperCase()\n",
  "src/app/echoWorker.ts":
    'import { isMainThread } from "node:worker_threads"\nconsole.log("main thread:", isMainThread)\n',
  "src/cli/Help.ts":
    'export const helpText = (locale: "en" | "zh-CN"): string => (locale === "en" ? "Usage: claw" : "用法：claw")\n'
}

/** A built checkout; `minimum` is the oldest Node it accepts. */
const built = Effect.fnUntraced(function* (minimum: string, more: Files = {}) {
  const root = yield* directoryWith({ ...sources, "package.json": manifest(minimum), ...more })
  yield* Effect.promise(() => buildIfStale({ root, quiet: true }))
  return root
})

const claw = (root: string, args: ReadonlyArray<string>, env: Readonly<Record<string, string>> = {}) =>
  run(node, [join(root, "dist/claw.js"), ...args], {
    cwd: root,
    env: { ...bareEnvironment, HOME: join(root, "home"), ...env }
  })

describe("fast paths", () => {
  it.live("version and help are answered without the bundle, in the person's language", () =>
    Effect.gen(function* () {
      const root = yield* built("22.19")
      writeFiles(root, { "dist/claw.mjs": "throw new Error('loaded')\n" })
      const said = yield* Effect.all([
        claw(root, ["--version"]),
        claw(root, ["-v"]),
        claw(root, ["--help"], { LANG: "zh_CN.UTF-8", LC_ALL: "en_US.UTF-8" }),
        claw(root, ["-h"], { CLAW_LANG: "zh-CN", LC_ALL: "C" })
      ])
      assert.deepStrictEqual(
        said.map(({ code, stdout, stderr }) => [code, stdout, stderr]),
        [
          [0, "claw 9.8.7\n", ""],
          [0, "claw 9.8.7\n", ""],
          [0, "Usage: claw\n", ""],
          [0, "用法：claw\n", ""]
        ]
      )
    })
  )
})

describe("a start that takes long", () => {
  it.live("says so once at a terminal, in the person's language, and nowhere else", () =>
    Effect.gen(function* () {
      const root = yield* built("22.19")
      writeFiles(root, {
        "dist/claw.mjs": "await new Promise((done) => setTimeout(done, 3000))\nconsole.log('ready', process.exitCode)\n"
      })
      const watched = Effect.fnUntraced(function* (env: Readonly<Record<string, string>>) {
        const command = [node, join(root, "dist/claw.js")]
        const tty = yield* start({ command, cwd: root, env: { ...bareEnvironment, HOME: root, ...env } })
        return yield* tty.until(/ready/)
      })
      const seen = yield* Effect.all([watched({}), watched({ LANG: "zh_CN.UTF-8" }), claw(root, [])], {
        concurrency: "unbounded"
      })
      const [english, chinese, { stderr }] = seen
      assert.deepStrictEqual(
        [english, chinese, stderr],
        ["claw: starting …\nready undefined", "claw：正在启动 …\nready undefined", ""]
      )
    }).pipe(Effect.scoped)
  )
})

describe("the bundle", () => {
  it.live("is one file with its workers beside it, and gets the arguments", () =>
    Effect.gen(function* () {
      const root = yield* built("22.19")
      assert.deepStrictEqual(readdirSync(join(root, "dist")).toSorted(), [
        ".built",
        "claw.js",
        "claw.mjs",
        "echoWorker.mjs",
        "package.json"
      ])
      const said = yield* Effect.all([claw(root, ["run", "--version"]), claw(root, ["work"])])
      assert.deepStrictEqual(
        said.map(({ code, stdout, stderr }) => [code, stdout, stderr]),
        [
          [0, "CLAW run --version\n", ""],
          [0, "main thread: false\n", ""]
        ]
      )
    })
  )

  it.live("holds every package: nothing else is needed to run it", () =>
    Effect.gen(function* () {
      const entry =
        'import { parseTree } from "jsonc-parser"\nimport { Effect } from "effect"\n' +
        'console.log(parseTree("[1]")?.type, Effect.isEffect(Effect.void))\n'
      const root = yield* directoryWith({ ...sources, "package.json": manifest("22.19"), "src/app/claw.ts": entry })
      symlinkSync(join(repository, "node_modules"), join(root, "node_modules"))
      yield* Effect.promise(() => buildIfStale({ root, quiet: true }))
      rmSync(join(root, "node_modules"))
      const said = yield* claw(root, [])
      assert.deepStrictEqual([said.code, said.stdout, said.stderr], [0, "array true\n", ""])
    })
  )

  it.live("is cached per user; a home that cannot be written costs nothing", () =>
    Effect.gen(function* () {
      const root = yield* built("22.19", { "blocked/file": "" })
      yield* claw(root, ["x"])
      assert.isTrue(existsSync(join(root, "home/.cache/claw/compile")))
      const cache = join(root, "cache")
      yield* claw(root, ["x"], { XDG_CACHE_HOME: cache })
      assert.isTrue(existsSync(join(cache, "claw/compile")))
      const blocked = yield* claw(root, ["x"], { XDG_CACHE_HOME: join(root, "blocked/file") })
      assert.deepStrictEqual([blocked.code, blocked.stdout, blocked.stderr], [0, "CLAW x\n", ""])
    })
  )

  it.live("is told in one sentence where it is missing", () =>
    Effect.gen(function* () {
      const root = yield* directoryWith({ "dist/claw.js": bootSource, "dist/package.json": '{"type":"commonjs"}' })
      const said = yield* claw(root, [])
      assert.deepStrictEqual([said.code, said.stderr], [1, "claw: the build is incomplete; run `npm run build`.\n"])
    })
  )

  it.live("is rebuilt when a source changed or went, and not otherwise", () =>
    Effect.gen(function* () {
      const root = yield* built("22.19")
      const again = yield* Effect.promise(() => buildIfStale({ root, quiet: true }))
      writeFiles(root, { "src/app/other.ts": "" })
      const changed = yield* Effect.promise(() => buildIfStale({ root, quiet: true }))
      rmSync(join(root, "src/app/other.ts"))
      const gone = yield* Effect.promise(() => buildIfStale({ root, quiet: true }))
      assert.deepStrictEqual([again, changed, gone], [false, true, true])
    })
  )
})

/** A Node of the checkout's own that only says what it was given. */
const neighbour = (root: string, script: string) => {
  writeFiles(root, {
    "node_modules/node/package.json": '{"version":"99.1.0"}',
    "node_modules/node/bin/node": `#!/bin/sh\n${script}\n`
  })
  chmodSync(join(root, "node_modules/node/bin/node"), 0o755)
}

/** Ends by itself, so that a signal that gets lost fails the test and leaves nothing running. */
const loop = "i=0; while [ $i -lt 300 ]; do sleep 0.02; i=$((i + 1)); done; exit 99"

describe("a Node that is too old", () => {
  it.live("is told what is needed, and exits 2", () =>
    Effect.gen(function* () {
      const root = yield* built("99.0")
      const said = yield* claw(root, ["run", "x"])
      const expected = `claw needs Node.js 99.0 or newer; this is ${process.versions.node}. Install one from https://nodejs.org.\n`
      assert.deepStrictEqual([said.code, said.stdout, said.stderr], [2, "", expected])
    })
  )

  it.live("hands over to the checkout's own, with arguments and exit code kept", () =>
    Effect.gen(function* () {
      const root = yield* built("99.0")
      neighbour(root, 'shift; echo "given: $*"; exit 41')
      const said = yield* claw(root, ["run", "a b"])
      assert.deepStrictEqual([said.code, said.stdout], [41, "given: run a b\n"])
    })
  )

  it.live.each([
    ["SIGTERM", "exit 7", 7, null],
    ["SIGINT", "exit 130", 130, null],
    ["SIGTERM", "trap - TERM; kill -TERM $$", null, "SIGTERM"]
  ] as const)("passes %s on, and ends as its child does (%s)", ([signal, reaction, code, killed]) =>
    Effect.gen(function* () {
      const root = yield* built("99.0")
      neighbour(root, `trap '${reaction}' ${signal.slice(3)}; echo ready; ${loop}`)
      const said = yield* run(node, [join(root, "dist/claw.js")], {
        onOutput: (stdout, kill) => stdout === "ready\n" && kill(signal)
      })
      assert.deepStrictEqual([said.code, said.signal], [code, killed])
    })
  )
})

describe("the boot file", () => {
  it("uses no syntax younger than Node 10", () => {
    const { program } = parseSync("boot.cjs", bootSource)
    const young = Object.keys(visitorKeys).filter((type) =>
      /^(Arrow|Template|TaggedTemplate|Class|Spread|Chain|Await|Yield|Import|Export|Object|Array)\w*(Pattern|Expression|Literal|Element|Declaration|Body)$/.test(
        type
      )
    )
    const allowed = new Set(["ImportExpression", "ObjectExpression", "ArrayExpression"])
    const found: Array<string> = []
    const note = (value: { readonly type: string }) => found.push(value.type)
    new Visitor(Object.fromEntries(young.filter((type) => !allowed.has(type)).map((type) => [type, note]))).visit(
      program satisfies Program
    )
    assert.deepStrictEqual(found, [])
    assert.notMatch(bootSource, /^\s*(const|let)\s/m)
  })
})
