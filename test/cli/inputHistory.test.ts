/** What was typed can be had again, also a paste too long to be written down (R084). */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { MAX_ENTRY_CHARS, openHistory } from "../../src/cli/InputHistory.ts"
import { directoryWith } from "../support/directories.ts"

it.live("the newest long paste is there while the process lives, and in no file", () =>
  Effect.gen(function* () {
    const file = join(yield* directoryWith({}), "history")
    const history = openHistory(file)
    const long = (letter: string) => letter.repeat(MAX_ENTRY_CHARS + 1)
    for (const text of ["one", long("a"), "two", long("b")]) history.add(text)
    assert.deepStrictEqual(history.entries(), ["one", "two", long("b")])
    assert.deepStrictEqual(openHistory(file).entries(), ["one", "two"])
    assert.isBelow(readFileSync(file, "utf8").length, 100)
  }).pipe(Effect.scoped)
)
