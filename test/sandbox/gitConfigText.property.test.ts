/** Settings are read as git reads them, or what is judged is not what runs (SECURITY P7): git itself is asked. */
import { execFileSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { entries } from "../../src/sandbox/gitConfigText.ts"
import { unsafeConfigKey } from "../../src/sandbox/commandGitConfig.ts"

const place = mkdtempSync(join(tmpdir(), "claw-config-"))
afterAll(() => rmSync(place, { recursive: true, force: true }))
const file = join(place, "config")
const ENV = { PATH: process.env["PATH"], HOME: place, GIT_CONFIG_NOSYSTEM: "1", LC_ALL: "C" }

/** `key\nvalue` each, `key` where there is none; undefined: git gives up. */
const byGit = (text: string): ReadonlyArray<string> | undefined => {
  writeFileSync(file, text)
  try {
    const out = execFileSync("git", ["config", "-l", "-z", "-f", file], { env: ENV, cwd: place, stdio: "pipe" })
    return out.toString().split("\0").slice(0, -1)
  } catch {
    return undefined
  }
}

const ours = (text: string): ReadonlyArray<string> | undefined => {
  const all = entries(text)
  return all.includes(undefined)
    ? undefined
    : all.map((entry) => {
        const { alone, key, section, sub, value } = entry!
        const name = [section, ...(sub === undefined ? [] : [sub]), key].join(".")
        return alone === true ? name : `${name}\n${value}`
      })
}

const TOKENS =
  `[core] [user] [a.B] [a "B"] [a  "\\"c"] [x "y.z"] [filter "e"] name= fsmonitor =touch x y = # ; " \\ \\\\ \\n \\t \\b \\q
  [ ] "a b" [core a-b1 1 . é`.split(/ (?! ?"|=)/)
const BLANKS = [" ", "  ", "\t", "\n", "\r\n", "\r", "\\\n", "\\\r\n", "\\\\\n", "\n\n", "\u00a0"]
const piece = fc.oneof(
  fc.constantFrom(...TOKENS),
  fc.constantFrom(...BLANKS),
  fc.string({ unit: "grapheme-ascii", maxLength: 3 })
)
const line = fc
  .tuple(
    fc.constantFrom("name", "fsmonitor", "a-b", "x1"),
    fc.constantFrom("=", " = ", "\t=", ""),
    fc.array(piece, { maxLength: 6 })
  )
  .map(([key, is, rest]) => `${key}${is}${rest.join("")}\n`)
const text = fc
  .tuple(
    fc.constantFrom("", "\uFEFF", "# a\\\n", "\r\n"),
    fc.array(
      fc.oneof(
        { weight: 3, arbitrary: line },
        { weight: 2, arbitrary: fc.constantFrom(...TOKENS.filter((one) => /^\[.*\]/.test(one))) },
        piece
      ),
      { maxLength: 8 }
    )
  )
  .map(([start, rest]) => `${start}[core]${rest.join("")}`)

/** Of two blanks that are no blanks, versions of git keep what is written or two blanks. */
const spaced = (found: ReadonlyArray<string> | undefined) =>
  found?.map((one) => one.replace(/(?<!^[^\n]*)[ \t\r]/g, " "))

describe("settings", () => {
  it("are what git reads, entry by entry, or neither can read them", { timeout: 120_000 }, () => {
    let readable = 0
    fc.assert(
      fc.property(text, (one) => {
        const expected = byGit(one)
        if (expected !== undefined) readable += 1
        assert.deepStrictEqual(spaced(ours(one)), spaced(expected), JSON.stringify(one))
      }),
      { numRuns: 250 }
    )
    assert.isAbove(readable, 25)
  })

  it.each([
    "[user]\n\tname = x\\\\\n[core] fsmonitor = touch x; false\n",
    '[user]\n\tname = x\\\\\n[filter "e"] clean = ./evil.sh\n',
    "[core]\n# a\\\nfsmonitor = x\n",
    "[core]\n\tabbrev = 7 \\\n8\n\tfsmonitor = x\n",
    "[core]fsmonitor=x",
    "[CORE]\n\tFsMonitor\n",
    '[user]\n\tname = "a # b"\n[core]\n\tpager = x',
    "\uFEFF[core]\npager = x"
  ])("what runs a program is seen: %j", (one) => {
    assert.match(unsafeConfigKey(one) ?? "", /fsmonitor|clean|pager/)
    assert.deepStrictEqual(ours(one), byGit(one))
  })

  it.each([
    "[user]\n\tname = x\\\n[core] fsmonitor = touch x\n",
    "[core]\n# fsmonitor = x\n",
    '[user]\n\tname = "x\\"; [core] fsmonitor = y"\n'
  ])("and what only looks like it is none: %j", (one) => {
    assert.isUndefined(unsafeConfigKey(one))
    assert.deepStrictEqual(ours(one), byGit(one))
  })

  it.each([
    "[core",
    "[core]\n1 = x",
    "[core]\nname = \\q",
    '[core]\nname = "x\n',
    "[ core]\n",
    "x\0y",
    "[core]\nname # x"
  ])("that git cannot read ask: %j", (one) => {
    assert.strictEqual(unsafeConfigKey(one), "a line that cannot be read")
    assert.isUndefined(byGit(one))
  })
})
