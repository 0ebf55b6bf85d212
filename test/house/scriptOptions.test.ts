/** What a script does not know is said in a sentence, with what there is; nothing is run (STYLE, bad input). */
import { spawnSync } from "node:child_process"
import { assert, it } from "@effect/vitest"
import { fileURLToPath } from "node:url"

const script = fileURLToPath(new URL("../../scripts/kills/main.ts", import.meta.url))
const run = (...args: ReadonlyArray<string>) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...args], { encoding: "utf8" })
  return { status, stdout, stderr }
}

it("says which option it does not know, and which there are", () => {
  const { status, stdout, stderr } = run("--nonsense")
  assert.deepStrictEqual({ status, stdout }, { status: 2, stdout: "" })
  assert.match(stderr, /^kills: Unknown option '--nonsense'\nnpm run kills -- \[--quick\] .*\[--random VALUE\].*\n$/)
  assert.match(run("--help").stdout, /^npm run kills -- \[--quick\]/)
})
