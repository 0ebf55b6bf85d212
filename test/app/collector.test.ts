/** What is young in the heap stays bounded, however fast it fills: a burst collects many times before any timer fires. */
import { execFile } from "node:child_process"
import { promisify } from "node:util"
import { assert, it } from "@effect/vitest"

const MIB = 1024 * 1024

/** Fills most of a second with what survives a collection or two; says how large the young generation is by then. */
const burst = `
const { getHeapSpaceStatistics } = await import("node:v8")
const { boundYoungGeneration } = await import(process.argv[1])
boundYoungGeneration()
const kept = []
for (const until = Date.now() + 800; Date.now() < until; await new Promise(setImmediate)) {
  for (let i = 0; i < 20_000; i++) kept.push({ i, text: "x" + i, list: [i] })
  if (kept.length > 200_000) kept.splice(0, 100_000)
}
console.log(getHeapSpaceStatistics().find((space) => space.space_name === "new_space").space_size)
`

it("a burst right after the start leaves it within its bound", async () => {
  const collector = new URL("../../src/app/collector.ts", import.meta.url).href
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", burst, collector])
  assert.isAtMost(Number(stdout), 16 * MIB)
}, 20_000)
