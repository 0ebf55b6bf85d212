/** Rules over all stylesheets, and sentences whose parts come from elsewhere. */
import { readdirSync, readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { namedIn, typed } from "../../src/console/session/slash.ts"
import { en } from "../../src/console/words/en.ts"
import { zhCN } from "../../src/console/words/zhCN.ts"

const styles = new URL("../../src/console/style/", import.meta.url)
const sheet = (name: string) =>
  readFileSync(new URL(name, styles), "utf8").replace(/\/\*[\s\S]*?\*\/|@media[^{]*\{/g, "")

/** Classes that a sheet gives a look by their name alone, wherever they stand, each with its declarations' names. */
const looksOf = (name: string): ReadonlyArray<string> =>
  Array.from(sheet(name).matchAll(/([^{}]+)\{/g), ([, selector = ""]) => selector)
    .flatMap((selector) => selector.split(","))
    .flatMap((selector) => /^\s*\.([\w-]+)(?:\[[^\]]*\])?\s*$/.exec(selector)?.[1] ?? [])

/** The text itself, and what scrolls sideways wherever it stands. */
const shared = new Set(["prose", "table"])

/** What stands in a text of a model is styled within it: its names are common ones. */
describe("the stylesheets", () => {
  it("give no class of a text a look outside of it", () => {
    const others = readdirSync(styles).filter((name) => name.endsWith(".css") && name !== "prose.css")
    const used = new Set(
      others.flatMap((name) => Array.from(sheet(name).matchAll(/\.([\w-]+)/g), ([, one = ""]) => one))
    )
    assert.deepStrictEqual(
      looksOf("prose.css").filter((name) => !shared.has(name) && used.has(name)),
      []
    )
  })
})

describe("sentences", () => {
  it("call a hook by its owner and its program, once", () => {
    assert.strictEqual(
      en.hookFailed(en.hookOf("sh", "user"), "ended with 3"),
      "The user’s hook sh did not do its work: ended with 3"
    )
    assert.strictEqual(
      zhCN.hookFailed(zhCN.hookOf("sh", "user"), "ended with 3"),
      "钩子 sh（用户）未完成工作：ended with 3"
    )
  })

  it("a slash begins the name of a prompt, unless a blank stands in front of it (LESSONS 50)", () => {
    assert.deepStrictEqual(
      [typed("/stop "), namedIn("/greet Ann")],
      [
        { name: "stop", word: "" },
        { name: "greet", words: "Ann" }
      ]
    )
    assert.deepStrictEqual([namedIn(" /greet Ann"), namedIn("/etc/hosts is wrong")], [undefined, undefined])
    assert.include(en.noCommand("nonsense"), "/nonsense")
    assert.include(zhCN.noCommand("nonsense"), "/nonsense")
  })
})
