/** What the bundle makes of `string-width`: nothing is made as it is loaded, and it measures as before (cold start). */
import { readFileSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import stringWidth from "string-width"
import { lazyWidth } from "../../scripts/build/bundle.ts"
import { directoryWith } from "../support/directories.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))
const source = readFileSync(join(root, "node_modules/string-width/index.js"), "utf8")

describe("string-width in the bundle", () => {
  it("makes no table of Unicode as it is loaded", () => {
    const eager = (code: string) => code.match(/^const \w+ = (?:\/|new )/gm) ?? []
    assert.isAtLeast(eager(source).length, 5)
    assert.deepStrictEqual(eager(lazyWidth(source)), [])
  })

  it.live("measures as before", () =>
    Effect.gen(function* () {
      const directory = yield* directoryWith({ "lazy.mjs": lazyWidth(source) })
      symlinkSync(join(root, "node_modules"), join(directory, "node_modules"))
      const lazy = (yield* Effect.promise(() => import(join(directory, "lazy.mjs")))) as { default: typeof stringWidth }
      const texts = [
        "abc",
        "中文",
        "e\u0301",
        "👨‍👩‍👧",
        "1\ufe0f\u20e3",
        "가",
        "ｶﾞ",
        "\u1b05",
        "\x1b[1mx\x1b[0m",
        "🇨🇭",
        "\u200b"
      ]
      // Twice: what one text made serves the next.
      for (const text of [...texts, ...texts]) assert.strictEqual(lazy.default(text), stringWidth(text), text)
    })
  )
})
