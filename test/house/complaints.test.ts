/** What a schema says of a wrong value is for people: a regular expression is no sentence (STYLE: errors). */
import { readFileSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, it } from "@effect/vitest"

const source = fileURLToPath(new URL("../../src", import.meta.url))
const files = readdirSync(source, { recursive: true, encoding: "utf8" }).filter((path) => path.endsWith(".ts"))

it("every pattern in a schema has words of its own", () => {
  const patterns = files.flatMap((path) =>
    [...readFileSync(join(source, path), "utf8").matchAll(/Schema\.isPattern\([^]{0,400}/g)].map(([text]) => ({
      path,
      text: text.split("\n").slice(0, 4).join("\n")
    }))
  )
  assert.isAbove(patterns.length, 5)
  const wordless = patterns.filter(({ text }) => !/\b(expected|message): "/.test(text))
  assert.deepStrictEqual(wordless, [])
})
