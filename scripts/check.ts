/**
 * `npm run check [-- --all]`: types and lint, format, rooms, at the same time.
 * Owns: what is checked and how it is shown. A check that passes is one line; one that fails shows all it printed.
 * A file that passed is not looked at again until it, or something it reaches by imports, has changed; `--all` forgets.
 */
import { spawn } from "node:child_process"
import { fileURLToPath } from "node:url"
import { styleText } from "node:util"
import { recall, remember } from "./check/memory.ts"
import { readTree, versionOf } from "./check/tree.ts"
import { named, stale } from "./check/unchanged.ts"
import { optionsOf } from "./options.ts"
import { report } from "./rooms.ts"

const root = fileURLToPath(new URL("..", import.meta.url))
const node = process.execPath
const bin = (name: string) => `node_modules/.bin/${name}`

const lint = [node, bin("oxlint"), "-c", "scripts/oxlintrc.json", "--deny-warnings", "-f", "unix"]
const format = [node, bin("oxfmt"), "-c", "scripts/oxfmtrc.json", "--check", "src", "test", "scripts"]

// The compiler lives for seconds: collecting its garbage takes a sixth of them and frees what nobody needs.
const env = { ...process.env, GOGC: "off", GOMEMLIMIT: "2GiB" }

interface Outcome {
  readonly name: string
  readonly holds: boolean
  readonly output: string
  readonly ms: number
}

const run = (name: string, [command, ...args]: ReadonlyArray<string>): Promise<Outcome> =>
  new Promise((done) => {
    const started = performance.now()
    const child = spawn(command ?? node, args, { cwd: root, env, stdio: ["ignore", "pipe", "pipe"] })
    const chunks: Array<Buffer> = []
    child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk))
    child.stderr.on("data", (chunk: Buffer) => chunks.push(chunk))
    const end = (holds: boolean, extra = "") =>
      done({ name, holds, output: Buffer.concat(chunks).toString() + extra, ms: performance.now() - started })
    child.on("error", (error) => end(false, error.message))
    child.on("close", (code) => end(code === 0))
  })

const show = ({ name, holds, output, ms }: Outcome) => {
  const mark = holds ? styleText("green", "ok  ") : styleText("red", "FAIL")
  console.log(`${mark} ${name.padEnd(28)} ${Math.round(ms)} ms`)
  if (!holds) console.log(output.trimEnd())
}

const rooms = (files: Parameters<typeof report>[0]): Outcome => {
  const started = performance.now()
  const { holds, text } = report(files)
  return { name: "rooms", holds, output: text, ms: performance.now() - started }
}

/**
 * The linter's type-aware pass is the same native compiler, so it reports type errors too: half the time of a `tsc`
 * beside it, the console's included. `npm run types` is that `tsc`. What needs no types, cycles of imports among it, is
 * asked of all files each time: it takes a second.
 */
const typed = [...lint, "--type-aware", "--type-check"]
const lintAll = () => run("types, lint", typed)
const lints = (due: ReadonlyArray<string>, all: number): ReadonlyArray<Promise<Outcome>> => {
  if (due.length === all) return [lintAll()]
  const rest = run("lint without types", lint)
  return due.length === 0 ? [rest] : [run(`types, lint (${due.length} of ${all})`, [...typed, ...due]), rest]
}

const started = performance.now()
const version = versionOf(root)
const remembered = recall(root, version)
const memory = optionsOf("check", { all: { type: "boolean" } }).all ? { ...remembered, passed: {} } : remembered
// Where everything is due, the slowest begins before the tree is read.
const whole = Object.keys(memory.passed).length === 0 ? lintAll() : undefined
const tree = readTree(root, memory)
const due = stale(tree.closures, memory.passed)
const pending = whole === undefined ? lints(due, tree.files.length) : [whole]
const outcomes = [...(await Promise.all([...pending, run("format", format)])), rooms(tree.files)]

const linted = outcomes.slice(0, pending.length)
const faults = linted.map(({ holds, output }) => (holds ? new Set<string>() : named(output, tree.closures.keys())))
// A file that was written meanwhile may not be the one that was looked at.
const since = readTree(root, { ...memory, facts: tree.facts }).closures
const isDue = new Set(due)
const passed = Object.fromEntries(
  [...tree.closures].filter(
    ([path, digest]) =>
      since.get(path) === digest && (!isDue.has(path) || faults.every((bad) => bad?.has(path) === false))
  )
)
remember(root, version, { passed, facts: tree.facts })

outcomes.forEach(show)
const failed = outcomes.filter(({ holds }) => !holds).map(({ name }) => name)
const verdict = failed.length === 0 ? "all hold" : `${failed.join(", ")} failed`
console.log(`check: ${verdict}, ${Math.round(performance.now() - started)} ms`)
if (failed.length > 0) process.exitCode = 1
