/** What `npm run check` looks at again after a change, and what it does not. Nothing may be taken for checked that is not. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, assert, beforeEach, describe, it } from "@effect/vitest"
import { recall, remember } from "../../scripts/check/memory.ts"
import { readTree } from "../../scripts/check/tree.ts"
import { named, stale } from "../../scripts/check/unchanged.ts"

const FILES = {
  "package.json": "{}",
  "tsconfig.json": "{}",
  "src/a.ts": 'import { b } from "./b.ts"\nexport const a = b\n',
  "src/b.ts": 'import type { C } from "./deep/c.ts"\nexport const b: C = 1\n',
  "src/deep/c.ts": 'export type C = number\nexport type B = typeof import("../b.ts")\n',
  "src/d.ts": 'export const d = () => import("./b.ts")\nexport const e = new URL("./a.ts", import.meta.url)\n',
  "src/alone.ts": "export const alone = 1\n",
  "src/table.ts": 'import table from "./table.json" with { type: "json" }\nexport const x = table\n',
  "src/table.json": "[1]"
}

describe("what a check looks at again", () => {
  let root = ""

  const write = (path: string, text: string) => {
    mkdirSync(join(root, path, ".."), { recursive: true })
    writeFileSync(join(root, path), text)
  }

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), "claw-check-"))
    for (const [path, text] of Object.entries(FILES)) write(path, text)
  })
  afterEach(() => rmSync(root, { recursive: true, force: true }))

  const tree = () => readTree(root, recall(root, "1"))
  const everything = () => tree().files.map(({ path }) => path)

  /** The files due after `change`, when all had passed before it. */
  const dueAfter = (change: () => void) => {
    const { closures, facts } = tree()
    remember(root, "1", { passed: Object.fromEntries(closures), facts })
    change()
    return stale(tree().closures, recall(root, "1").passed).toSorted()
  }

  it("everything in a fresh clone, nothing when nothing changed", () => {
    assert.deepStrictEqual([...stale(tree().closures, recall(root, "1").passed)], everything())
    assert.deepStrictEqual(
      dueAfter(() => {}),
      []
    )
  })

  it("a file, and all that reach it by imports, types and URLs, round in a circle, too", () => {
    const due = dueAfter(() => write("src/deep/c.ts", "export type C = string\n"))
    assert.deepStrictEqual(due, ["src/a.ts", "src/b.ts", "src/d.ts", "src/deep/c.ts"])
    assert.deepStrictEqual(
      dueAfter(() => write("src/alone.ts", "export const alone = 2\n")),
      ["src/alone.ts"]
    )
  })

  it("who imports what is no source, and what is gone", () => {
    assert.deepStrictEqual(
      dueAfter(() => write("src/table.json", "[2]")),
      ["src/table.ts"]
    )
    assert.deepStrictEqual(
      dueAfter(() => rmSync(join(root, "src/a.ts"))),
      ["src/d.ts"]
    )
  })

  it.each([
    ["the compiler's settings", "tsconfig.json", '{ "compilerOptions": {} }'],
    ["the linter's settings", "scripts/oxlintrc.json", '{ "rules": {} }'],
    ["the installed packages", "node_modules/.package-lock.json", "{}"],
    ["a declaration that holds everywhere", "src/styles.d.ts", 'declare module "*.css"\n'],
    ["one inside a module", "src/alone.ts", "declare global {\n  var x: number\n}\nexport {}\n"]
  ])("everything after a change of %s", (_, path, text) => {
    assert.deepStrictEqual(
      dueAfter(() => write(path, text)),
      everything().toSorted()
    )
  })

  it("everything where the memory is of other code, or cannot be read", () => {
    dueAfter(() => {})
    assert.isEmpty(recall(root, "2").passed)
    for (const text of ["", "[]", '{"version":"1"}', '{"version":"1","passed":[],"facts":{}}']) {
      write("node_modules/.cache/claw/check.json", text)
      assert.deepStrictEqual(recall(root, "1"), { passed: {}, facts: {} })
    }
  })

  it("takes a file for failed where the linter names it, and no other", () => {
    const output = "src/a.ts:1:2: no [Error]\nsrc/a.ts:3:2: no\nnote: src/b.ts:3\n\n2 problems\n"
    assert.deepStrictEqual([...(named(output, ["src/a.ts", "src/b.ts"]) ?? [])], ["src/a.ts"])
  })

  it.each([
    ["cut off", "src/a.ts:1:2: no [Error]\n"],
    ["of a file that is not known", "src/a.ts:1:2: no\n/somewhere/b.ts:1:1: no\n\n2 problems\n"],
    ["of nothing at all", "panic: out of memory\n"]
  ])("takes nothing from an output %s", (_, output) => {
    assert.isUndefined(named(output, ["src/a.ts", "src/b.ts"]))
  })

  it("who imports what is not there, each time, and one that imports by a template", () => {
    write("src/lost.ts", 'import { x } from "./gone.js"\nexport const y = x\n')
    write("src/late.ts", "export const late = () => import(`./alone.ts`)\n")
    assert.deepStrictEqual(
      dueAfter(() => write("src/alone.ts", "export const alone = 3\n")),
      ["src/alone.ts", "src/late.ts", "src/lost.ts"]
    )
  })

  it("who imports an empty file that is deleted", () => {
    write("src/empty.css", "")
    write("src/styled.ts", 'import "./empty.css"\nexport const z = 1\n')
    assert.deepStrictEqual(
      dueAfter(() => rmSync(join(root, "src/empty.css"))),
      ["src/styled.ts"]
    )
  })
})
