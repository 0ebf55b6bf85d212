/** No test talks to a real model: every address in the tests is on this machine, or no address at all (R296). */
import { readFileSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"

const root = new URL("../..", import.meta.url).pathname
const files = readdirSync(join(root, "test"), { recursive: true, withFileTypes: true }).flatMap((entry) =>
  entry.isFile() && entry.name.endsWith(".ts") ? [join(entry.parentPath, entry.name)] : []
)
const loopback =
  /^(?:127\.0\.0\.\d+|localhost|\[::1\]|0\.0\.0\.0|.*\.(?:example|invalid|test)|example\.(?:com|org)|x|h|host|\$\{.*)$/

it("tests use scripted models and wire fakes on loopback only (R296)", () => {
  const connects = /\b(?:fetch|connect|createConnection|request)\(\s*["'`]https?:\/\/([^/:"'`]+)/g
  const strangers = files.flatMap((file) =>
    Array.from(readFileSync(file, "utf8").matchAll(connects))
      .filter(([, host = ""]) => !loopback.test(host))
      .map(([call]) => `${file}: ${call}`)
  )
  assert.deepStrictEqual(strangers, [])
})
