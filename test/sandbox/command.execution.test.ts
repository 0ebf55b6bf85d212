/**
 * Bash runs what the analysis said it would: each program that a plain line starts is one of its commands, word for word
 * (SECURITY P2, P3, RELIABILITY's exec-trace oracle in small). Programs are stubs that only write their words down.
 */
import { spawnSync } from "node:child_process"
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, beforeAll, it } from "@effect/vitest"
import * as fc from "fast-check"
import { analyse } from "../../src/sandbox/CommandAnalysis.ts"

const PROGRAMS = ["aa", "bb", "cc"]
/** One write each, so that programs of one pipe do not mix their words. */
const STUB = '#!/bin/bash\nprintf -v words "%s\\x1f" "${0##*/}" "$@"\nprintf "%s\\x1e" "$words" >> "$STUB_LOG"\n'

let root = ""
let runs = 0
beforeAll(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "claw-exec-")))
  mkdirSync(join(root, "bin"))
  mkdirSync(join(root, "ws"))
  for (const name of PROGRAMS) {
    writeFileSync(join(root, "bin", name), STUB)
    chmodSync(join(root, "bin", name), 0o755)
  }
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

/** What ran, each as program and words. */
const run = (line: string): ReadonlyArray<ReadonlyArray<string>> => {
  runs += 1
  const log = join(root, `log-${runs}`)
  writeFileSync(log, "")
  const env = { PATH: `${join(root, "bin")}:/usr/bin:/bin`, STUB_LOG: log, LC_ALL: "C.UTF-8", HOME: "/home/someone" }
  spawnSync("bash", ["-c", line], { cwd: join(root, "ws"), env, timeout: 5_000 })
  return readFileSync(log, "utf8")
    .split("\u001e")
    .filter((entry) => entry !== "")
    .map((entry) => entry.split("\u001f").slice(0, -1))
}

const WORDS = [
  "aa",
  "bb",
  "'cc'",
  "a\\a",
  '"bb"',
  "x",
  "'y z'",
  '"y  z"',
  "\\;",
  "';'",
  '"&"',
  "a''b",
  "{p,q}",
  "{,bb}",
  "$'a\\\nb'",
  "{1..3}",
  "x{a,b}y",
  "$'t\\n'",
  "-o",
  "--",
  "=",
  "k=v",
  "'$x'",
  "\\$x",
  '"\\$x"',
  "#",
  "a#b",
  "é",
  "~",
  "~/f",
  "a~",
  "k=~",
  "\\\\",
  "'\\'",
  '"\\a"',
  "[x]",
  "!",
  "{",
  "}",
  "[[",
  "if",
  "(",
  "$x",
  "`aa`",
  "$(bb)"
]
const BETWEEN = [
  " ",
  "  ",
  "\t",
  " ; ",
  ";",
  " && ",
  " || ",
  " | ",
  " |& ",
  " & ",
  "\n",
  " \\\n",
  " 2>&1 ",
  " >/dev/null ",
  " </dev/null ",
  " # c\n",
  " <<'E'\naa\nE\n",
  " <<E\nbb\nE\n",
  " <<< aa ",
  " 3<&-",
  " <& -",
  " >&-",
  " {fd}<&-"
]

const line = fc
  .array(fc.tuple(fc.constantFrom(...WORDS), fc.constantFrom(...BETWEEN)), { minLength: 1, maxLength: 7 })
  .map((parts) => `aa ${parts.map(([word, between]) => word + between).join("")}`)

it("nothing runs that was not named", () => {
  let plain = 0
  fc.assert(
    fc.property(line, (text) => {
      const plan = analyse(text, { workspace: join(root, "ws"), home: "/home/someone" })
      fc.pre(plan.doubts.length === 0 && plan.refused === undefined)
      fc.pre(plan.commands.every(({ notPlain }) => notPlain.every((why) => why.endsWith("outside the workspace"))))
      plain += 1
      const named = new Set(plan.commands.map(({ argv }) => JSON.stringify(argv)))
      for (const argv of run(text))
        assert.isTrue(named.has(JSON.stringify(argv)), `${JSON.stringify(text)} ran ${JSON.stringify(argv)}`)
    }),
    { numRuns: 120, maxSkipsPerRun: 1_000 }
  )
  assert.isAbove(plain, 100)
}, 90_000)
