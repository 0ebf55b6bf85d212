/**
 * `npm run check`: types and lint, format, rooms, at the same time.
 * Owns: what is checked and how it is shown. A check that passes is one line; one that fails shows all it printed.
 */
import { spawn } from "node:child_process"
import { fileURLToPath } from "node:url"
import { styleText } from "node:util"

const root = fileURLToPath(new URL("..", import.meta.url))
const node = process.execPath
const bin = (name: string) => `node_modules/.bin/${name}`

// The linter's type-aware pass is the same native compiler, so it reports type errors too: half the time of a `tsc`
// beside it, the console's included. `npm run types` is that `tsc`.
const checks: ReadonlyArray<readonly [name: string, ...argv: ReadonlyArray<string>]> = [
  ["types, lint", node, bin("oxlint"), "-c", "scripts/oxlintrc.json", "--type-check", "--deny-warnings", "-f", "unix"],
  ["format", node, bin("oxfmt"), "-c", "scripts/oxfmtrc.json", "--check", "src", "test", "scripts"],
  ["rooms", node, "scripts/rooms.ts"]
]

// The compiler lives for seconds: collecting its garbage takes a sixth of them and frees what nobody needs.
const env = { ...process.env, GOGC: "off", GOMEMLIMIT: "2GiB" }

interface Outcome {
  readonly name: string
  readonly code: number
  readonly output: string
  readonly ms: number
}

const run = ([name, command, ...args]: readonly [string, ...ReadonlyArray<string>]): Promise<Outcome> =>
  new Promise((done) => {
    const started = performance.now()
    const child = spawn(command ?? node, args, { cwd: root, env, stdio: ["ignore", "pipe", "pipe"] })
    const chunks: Array<Buffer> = []
    child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk))
    child.stderr.on("data", (chunk: Buffer) => chunks.push(chunk))
    const end = (code: number, extra = "") =>
      done({
        name,
        code,
        output: Buffer.concat(chunks).toString() + extra,
        ms: Math.round(performance.now() - started)
      })
    child.on("error", (error) => end(1, error.message))
    child.on("close", (code) => end(code ?? 1))
  })

const show = ({ name, code, output, ms }: Outcome) => {
  const mark = code === 0 ? styleText("green", "ok  ") : styleText("red", "FAIL")
  console.log(`${mark} ${name.padEnd(12)} ${ms} ms`)
  if (code !== 0) console.log(output.trimEnd())
}

const outcomes = await Promise.all(checks.map(run))
outcomes.forEach(show)
const failed = outcomes.filter((outcome) => outcome.code !== 0)
const slowest = Math.max(...outcomes.map((outcome) => outcome.ms))
console.log(
  `check: ${failed.length === 0 ? "all hold" : `${failed.map((f) => f.name).join(", ")} failed`}, ${slowest} ms`
)
if (failed.length > 0) process.exitCode = 1
