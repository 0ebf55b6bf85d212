/** A program whose options are not known gets exact grants only: its prefix could run anything (P4, P5, P8). */
import { assert, describe, it } from "@effect/vitest"
import { analyse } from "../../src/sandbox/CommandAnalysis.ts"

const only = (source: string) => analyse(source, { workspace: "/tmp" }).commands[0]?.exactOnly

describe("exact grants only", () => {
  const unknown = [
    "setarch x86_64 id",
    "valgrind ./a",
    "tmux new -d id",
    "hyperfine id",
    "objcopy a b",
    "ctags -R",
    "never-heard-of-it --help"
  ]
  for (const source of unknown) it(`for ${source}`, () => assert.isString(only(source)))

  for (const source of ["git status", "npm test", "ls -la", "grep -n x a.txt", "mkdir out"]) {
    it(`not for ${source}`, () => assert.strictEqual(only(source), undefined))
  }
})
