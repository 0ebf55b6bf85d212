/**
 * `npm run bench [-- --jobs text,tools1] [--contenders raw,claw] [--rounds N] [--quick] [--json FILE] [--profile DIR]`:
 * claw beside a bare fetch loop and the bare openai package, in the same run and interleaved, each measurement in a
 * fresh process. Owns: the order of things. Absolute figures wander with the machine: read the ratios.
 * Exit code 1: a measurement failed, or a count that must be zero is not.
 */
import { execFile } from "node:child_process"
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { cpus, tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { bundledClaw } from "./bundled.ts"
import type { ContenderName } from "./contenders/contender.ts"
import { cold, executable } from "./jobs/cold.ts"
import type { Numbers } from "./jobs/job.ts"
import type { Measurement } from "./measure.ts"
import { type Plan, plans } from "./plan.ts"
import { type Server, startServer } from "./serverControl.ts"
import { brokenGates, type Result, summarise } from "./summary.ts"
import { table } from "./table.ts"
import { optionsOf } from "../options.ts"

const everybody: ReadonlyArray<ContenderName> = ["raw", "sdk", "claw", "claw-sqlite"]
const MEASURE = fileURLToPath(new URL("measure.ts", import.meta.url))
const PATIENCE_MS = 240_000
/** Only makes the processes start sooner; nothing measures their start. */
const compiled = mkdtempSync(join(tmpdir(), "claw-bench-compiled-"))
process.on("exit", () => rmSync(compiled, { recursive: true, force: true }))

const options = optionsOf("bench", {
  jobs: { type: "string" },
  contenders: { type: "string" },
  rounds: { type: "string" },
  quick: { type: "boolean", default: false },
  json: { type: "string" },
  profile: { type: "string" },
  help: { type: "boolean", default: false }
})

const fail = (message: string): never => {
  console.error(`bench: ${message}`)
  process.exit(2)
}

const chosen = <A extends string>(
  what: string,
  given: string | undefined,
  known: ReadonlyArray<A>
): ReadonlyArray<A> => {
  if (given === undefined) return known
  const names = given.split(",")
  const strange = names.find((name) => !known.includes(name as A))
  if (strange !== undefined) fail(`there is no ${what} "${strange}"; known: ${known.join(", ")}`)
  return known.filter((name) => names.includes(name))
}

const spawned = async (plan: Plan, contender: ContenderName, server: Server): Promise<Numbers> => {
  const params = options.quick ? plan.quick : plan.params
  const { job, file } = plan
  const measurement: Measurement = { job, file, contender, bundle: await bundledClaw(), port: server.port, params }
  const profile =
    options.profile === undefined
      ? []
      : ["--cpu-prof", `--cpu-prof-dir=${options.profile}`, `--cpu-prof-name=${plan.job}-${contender}.cpuprofile`]
  const argv = ["--expose-gc", ...profile, MEASURE, JSON.stringify(measurement)]
  const { stdout } = await promisify(execFile)(process.execPath, argv, {
    env: { ...process.env, NODE_COMPILE_CACHE: compiled },
    timeout: PATIENCE_MS,
    killSignal: "SIGKILL"
  })
  return JSON.parse(stdout) as Numbers
}

const measureOne = (plan: Plan, contender: ContenderName, server: Server): Promise<Numbers> =>
  plan.file === "cold"
    ? cold({
        claw: contender === "claw",
        base_url: `http://127.0.0.1:${server.port}/v1`,
        runs: (options.quick ? plan.quick : plan.params)["runs"] ?? 1
      })
    : spawned(plan, contender, server)

const firstLine = (error: unknown): string => {
  const { stderr, message } = error as { readonly stderr?: string; readonly message?: string }
  const line = stderr?.split("\n").find((text) => /error/i.test(text))
  return (line ?? message ?? String(error)).slice(0, 300)
}

/** No round is begun that would probably end later than this after the start. */
const BUDGET_MS = 285_000

const measureAll = async (wanted: ReadonlyArray<Plan>, names: ReadonlyArray<ContenderName>, rounds: number) => {
  const server = await startServer()
  const results: Array<Result> = []
  const begun = performance.now()
  for (let round = 1; round <= rounds; round++) {
    const used = performance.now() - begun
    if (options.rounds === undefined && used + used / Math.max(1, round - 1) > BUDGET_MS) break
    for (const plan of wanted.filter((plan) => round <= (plan.rounds ?? rounds))) {
      const present = plan.contenders.filter((name) => names.includes(name))
      // Another order each round, so that nobody always goes first.
      const order = present.map((_, i) => present[(i + round - 1) % present.length] ?? "raw")
      for (const contender of order) {
        if (process.stderr.isTTY) process.stderr.write(`\r\x1b[Kround ${round}/${rounds} ${plan.job} ${contender}`)
        const at = { job: plan.job, round, contender }
        const started = performance.now()
        const outcome = await measureOne(plan, contender, server).then(
          (numbers) => ({ numbers }),
          (error: unknown) => ({ error: firstLine(error) })
        )
        results.push({ ...at, seconds: Math.round(performance.now() - started) / 1000, ...outcome })
      }
    }
  }
  if (process.stderr.isTTY) process.stderr.write("\r\x1b[K")
  await server.stop()
  return results
}

const main = async (): Promise<void> => {
  const names = chosen("contender", options.contenders, everybody)
  const jobs = chosen(
    "job",
    options.jobs,
    plans.map((plan) => plan.job)
  )
  const rounds = Number(options.rounds ?? (options.quick ? 1 : 3))
  if (!Number.isInteger(rounds) || rounds < 1) fail("--rounds takes a whole number from 1")
  let wanted = plans.filter((plan) => jobs.includes(plan.job))
  if (!existsSync(executable) && wanted.some((plan) => plan.file === "cold")) {
    console.error("bench: cold is left out, for there is no dist/claw.js: build it with `npm run build`")
    wanted = wanted.filter((plan) => plan.file !== "cold")
  }
  const begun = performance.now()
  const results = await measureAll(wanted, names, rounds)
  const seconds = Math.round((performance.now() - begun) / 1000)
  const lines = summarise(wanted, names, results)
  const machine = { node: process.version, cpu: cpus()[0]?.model ?? "unknown", cores: cpus().length }
  const done = Math.max(...results.map((result) => result.round))
  console.log(`${table(wanted, lines)}\n`)
  console.log(
    `${done} round(s) in ${seconds} s, Node ${machine.node}, ${machine.cores} cores; medians, × is to raw in the same round\n`
  )
  if (options.json !== undefined) {
    const document = { at: new Date().toISOString(), ...machine, rounds: done, quick: options.quick, results, lines }
    writeFileSync(options.json, `${JSON.stringify(document, undefined, 1)}\n`)
  }
  const failures = results.filter((result) => result.error !== undefined)
  for (const { job, round, contender, error } of failures) console.error(`${job} ${contender} round ${round}: ${error}`)
  const broken = brokenGates(lines)
  for (const line of broken) console.error(`${line.job}: ${line.label} is ${line.median}, at most ${line.limit?.must}`)
  if (failures.length > 0 || broken.length > 0) process.exitCode = 1
}

if (options.help) {
  console.log("npm run bench -- [--jobs a,b] [--contenders a,b] [--rounds N] [--quick] [--json FILE] [--profile DIR]")
  for (const plan of plans) console.log(`  ${plan.job.padEnd(10)} ${plan.about}`)
} else await main()
