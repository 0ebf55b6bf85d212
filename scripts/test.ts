/**
 * `npm test [-- FILTER …]`: builds what the end-to-end tests drive, runs every test, and ends with one line for
 * programs to read: `N passed, N failed`. A file that cannot be loaded and an error outside any test count as failed.
 */
import { fileURLToPath } from "node:url"
import { startVitest } from "vitest/node"
import { buildIfStale } from "./build.ts"

const root = fileURLToPath(new URL("..", import.meta.url))

await buildIfStale({ quiet: true })

const vitest = await startVitest("test", process.argv.slice(2), {
  config: `${root}test/vitest.config.ts`,
  watch: false
})

const modules = vitest.state.getTestModules()
const tests = modules.flatMap((module) => Array.from(module.children.allTests()))
const passed = tests.filter((test) => test.ok() && test.result().state === "passed").length
const failed =
  tests.filter((test) => test.result().state === "failed").length +
  modules.filter((module) => module.errors().length > 0).length +
  vitest.state.getUnhandledErrors().length

await vitest.close()
const skipped = tests.filter((test) => test.result().state === "skipped").length
if (skipped > 0) console.log(`${skipped} skipped, which nothing here should be`)
console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed > 0 || skipped > 0 || passed === 0 ? 1 : 0
