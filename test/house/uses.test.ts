/** Ways out of the walls — running effects, environment, printing, detached fibers — and sizes (R007, R008, R010). */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { limits } from "../../scripts/rooms/law.ts"
import { check } from "../../scripts/rooms.ts"
import { type Files, directoryWith } from "../support/directories.ts"

const breaks = (name: string, files: Files, ...expected: ReadonlyArray<string>) =>
  it.effect(name, () =>
    Effect.map(directoryWith(files), (root) =>
      assert.deepStrictEqual(
        check(root).map(({ file, line, rule }) => `${file}:${line} ${rule}`),
        expected
      )
    )
  )

const keeps = (name: string, files: Files) => breaks(name, files)

const effect = 'import { Effect } from "effect"\n'

describe("effects are run in app only", () => {
  breaks(
    "every runner, in every spelling",
    {
      "src/engine/A.ts":
        `${effect}Effect.runPromise(x)\nEffect.runSyncExit(x)\nEffect["runFork"](x)\nEffect.runCallbackWith(c)(x)\n` +
        'const { runSync } = Effect\nimport { runPromise } from "effect/Effect"\nimport * as E from "effect/Effect"\nE.runFork(x)\n',
      "src/engine/B.ts": 'import { Effect as Fx } from "effect"\nFx.runPromise(x)\n'
    },
    ...[2, 3, 4, 5, 6, 7, 9].map((line) => `src/engine/A.ts:${line} run`),
    "src/engine/B.ts:2 run"
  )
  breaks(
    "a test returns its effect",
    { "test/a/a.test.ts": `${effect}Effect.runPromise(x)\n` },
    "test/a/a.test.ts:2 run"
  )
  keeps("app and scripts", {
    "src/app/claw.ts": `${effect}Effect.runFork(x)\n`,
    "scripts/a.ts": `${effect}Effect.runPromise(x)\n`,
    "src/engine/A.ts": "fiber.runPromise\nconst runPromise = 1\n"
  })
})

describe("no fiber is detached", () => {
  breaks(
    "not even in app, nor in a test",
    {
      "src/app/claw.ts": `${effect}Effect.forkDetach(x)\n`,
      "src/engine/A.ts": 'import * as Effect from "effect/Effect"\nx.pipe(Effect.forkDetach)\n',
      "test/a/a.test.ts": `${effect}Effect.forkDetach(x)\n`
    },
    "src/app/claw.ts:2 detached",
    "src/engine/A.ts:2 detached",
    "test/a/a.test.ts:2 detached"
  )
})

describe("the environment is read in config only", () => {
  breaks(
    "in every spelling",
    {
      "src/cli/a.ts":
        'process.env["A"]\nprocess["env"]\nglobalThis.process.env\nconst { env } = process\n' +
        'import { env as e } from "node:process"\nimport proc from "node:process"\nproc.env\n'
    },
    ...[1, 2, 3, 4, 5, 7].map((line) => `src/cli/a.ts:${line} env`)
  )
  keeps("config, the boot file, scripts and tests", {
    "src/config/A.ts": "process.env\n",
    "src/app/boot.js": "process.env\n",
    "scripts/a.ts": "process.env\n"
  })
})

describe("only cli and app have the terminal (R008, R010)", () => {
  breaks(
    "printing and reading elsewhere",
    { "src/engine/A.ts": "console.log(1)\nprocess.stdin\nprocess.stdout\nprocess.stderr\nglobalThis.console.log\n" },
    "src/engine/A.ts:1 console",
    "src/engine/A.ts:2 stdio",
    "src/engine/A.ts:3 stdio",
    "src/engine/A.ts:4 stderr",
    "src/engine/A.ts:5 console"
  )
  keeps("cli, app, and standard error for logs", {
    "src/cli/a.ts": "console.log(process.stdin, process.stdout)\n",
    "src/app/claw.ts": "console.log(process.stderr)\n",
    "src/observability/Logs.ts": "process.stderr\n"
  })
})

const lines = (count: number) => "// x\n".repeat(count)
const body = (count: number) => "  x()\n".repeat(count)

describe("sizes", () => {
  breaks(
    "one line too many of each kind",
    {
      "src/engine/a.ts": lines(limits.source + 1),
      "src/engine/Contract.ts": `import { Context } from "effect"\nclass A extends Context.Service() {}\n${lines(limits.contract - 1)}`,
      "src/console/view.tsx": lines(limits.component + 1),
      "test/a.test.ts": lines(limits.test + 1),
      "scripts/a.ts": lines(limits.script + 1)
    },
    `scripts/a.ts:${limits.script + 1} size`,
    `src/console/view.tsx:${limits.component + 1} size`,
    `src/engine/Contract.ts:${limits.contract + 1} size`,
    `src/engine/a.ts:${limits.source + 1} size`,
    `test/a.test.ts:${limits.test + 1} size`
  )
  breaks(
    "functions and generators",
    {
      "src/engine/a.ts": `// x\nexport const f = () => {\n${body(limits.function - 1)}}\n`,
      "src/engine/b.ts": `export const g = x(function* () {\n${body(limits.generator + 1)}})\n`
    },
    "src/engine/a.ts:2 size",
    "src/engine/b.ts:1 size"
  )
  keeps("everything that just fits, a service with layers that work, and a long describe", {
    "src/engine/a.ts": lines(limits.source),
    "src/engine/B.ts": `export const f = () => {\n${body(limits.function - 2)}}\nexport const g = x(function* () {\n${body(limits.generator)}})\n`,
    "src/engine/Service.ts": `import { Context, Layer } from "effect"\nclass A extends Context.Service() {}\nLayer.effect(A, x)\n${lines(limits.contract)}`,
    "test/a.test.ts": `describe("x", () => {\n${body(limits.function + 10)}})\n`
  })
})

describe("what cannot be read", () => {
  breaks("a syntax error is a violation", { "src/engine/a.ts": "const = 1\n" }, "src/engine/a.ts:1 syntax")
})
