/**
 * `npm run bench:server [-- --jobs streams,idle] [--quick] [--json FILE] [--program FILE]`: the built `claw serve` under
 * load. Each job has a server, a model server and a driver of its own, each in its own process. Owns: the order of things
 * and what is shown. Times wander with the machine: where the driver, or the machine without a server, was late
 * itself, a time that misses is not judged.
 * Exit code 1: a job failed, or a count that must hold does not.
 */
import { execFile } from "node:child_process"
import { existsSync, writeFileSync } from "node:fs"
import { cpus } from "node:os"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { startServer } from "../bench/serverControl.ts"
import { judge, type Verdict } from "../bench/summary.ts"
import { columned, number } from "../bench/table.ts"
import type { Drive } from "./drive.ts"
import type { Numbers } from "./lab.ts"
import { type Metric, type Plan, plans, settings } from "./plan.ts"
import { freePort, PROGRAM, startServed } from "./served.ts"
import { optionsOf } from "../options.ts"

const DRIVE = fileURLToPath(new URL("drive.ts", import.meta.url))

const options = optionsOf("bench:server", {
  jobs: { type: "string" },
  quick: { type: "boolean", default: false },
  json: { type: "string" },
  program: { type: "string", default: PROGRAM },
  help: { type: "boolean", default: false }
})

const fail = (message: string): never => {
  console.error(`bench:server: ${message}`)
  process.exit(2)
}

const chosen = (): ReadonlyArray<Plan> => {
  if (options.jobs === undefined) return plans
  const names = options.jobs.split(",")
  const known = plans.map(({ job }) => job)
  const strange = names.find((name) => !known.includes(name))
  if (strange !== undefined) fail(`there is no job "${strange}"; known: ${known.join(", ")}`)
  return plans.filter(({ job }) => names.includes(job))
}

interface Result {
  readonly job: string
  readonly seconds: number
  readonly numbers?: Numbers
  readonly error?: string
  /** What the driver said of single faults. */
  readonly notes?: string
}

const explained = (error: unknown): string => {
  const { stderr, message } = error as { readonly stderr?: string; readonly message?: string }
  const line = stderr?.split("\n").find((text) => /^\w*Error/.test(text))
  return (line ?? message ?? String(error)).slice(0, 400)
}

const measure = async (plan: Plan): Promise<Omit<Result, "job" | "seconds">> => {
  const model = await startServer()
  try {
    const env = { ...settings, OPENAI_BASE_URL: `http://127.0.0.1:${model.port}/v1`, OPENAI_API_KEY: "sk-bench" }
    const inspect_port = await freePort()
    const node = plan.inspected === true ? [`--inspect=127.0.0.1:${inspect_port}`] : []
    const server = await startServed({ program: options.program, node, env: { ...env, CLAW_MODEL: "text:n=1" } })
    try {
      const params = options.quick ? plan.quick : plan.params
      const { pid, tcp, http } = server
      const drive: Drive = { job: plan.job, lab: { pid, tcp, http, model_port: model.port, inspect_port, params } }
      const { stdout, stderr } = await promisify(execFile)(process.execPath, [DRIVE, JSON.stringify(drive)], {
        timeout: plan.patience_ms,
        killSignal: "SIGKILL",
        maxBuffer: 16 * 1024 * 1024
      })
      return { numbers: JSON.parse(stdout) as Numbers, ...(stderr === "" ? {} : { notes: stderr }) }
    } catch (error) {
      const died = server.ended()
      const why = died === undefined ? "" : ` (the server ended with ${died}: ${server.stderr().slice(-400)})`
      return { error: explained(error) + why }
    } finally {
      await server.stop()
    }
  } finally {
    await model.stop()
  }
}

interface Line {
  readonly job: string
  readonly metric: Metric
  readonly value: number
  readonly verdict?: Verdict | "not judged"
}

/** A driver that was late by more than this measured itself; streams later than that without a server, the machine. */
const LATE_MS = 20
const isTime = ({ key }: Metric): boolean => /_ms$|^neighbours$|^seconds$/.test(key)

const linesOf = (plan: Plan, numbers: Numbers): ReadonlyArray<Line> => {
  const late = Math.max(numbers["driver_late_ms"] ?? 0, numbers["floor_ms"] ?? 0) > LATE_MS
  return plan.metrics.flatMap((metric) => {
    const value = numbers[metric.key]
    if (value === undefined) return []
    const verdict = metric.limit === undefined ? undefined : judge(value, metric.limit, metric.more === true)
    // Small sizes say nothing of times and memory; what must not be left must not be left.
    if (verdict === undefined || (options.quick && metric.gate !== true)) return [{ job: plan.job, metric, value }]
    const unsure = verdict === "missed" && late && isTime(metric)
    return [{ job: plan.job, metric, value, verdict: unsure ? "not judged" : verdict }]
  })
}

const WORDS = { goal: "goal", must: "must", missed: "MISSED", "not judged": "not judged: machine busy" } as const

const show = (lines: ReadonlyArray<Line>): string => {
  const rows = lines.map(({ job, metric, value, verdict }, index) => {
    const { limit, more } = metric
    const sign = more === true ? "≥" : "≤"
    const goal = limit === undefined || limit.goal === limit.must ? "" : ` / ${number(limit.goal)}`
    return [
      lines[index - 1]?.job === job ? "" : job,
      metric.label,
      number(value),
      limit === undefined ? "" : `${sign} ${number(limit.must)}${goal}`,
      verdict === undefined ? "" : WORDS[verdict]
    ]
  })
  return columned([["job", "measure", "claw serve", "must / goal", "reached"], ...rows], [2, 2])
}

const main = async (): Promise<void> => {
  const wanted = chosen()
  if (!existsSync(options.program)) fail(`there is no ${options.program}: build it with \`npm run build\``)
  const results: Array<Result> = []
  for (const plan of wanted) {
    if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${plan.job}: ${plan.about}`)
    const begun = performance.now()
    const outcome = await measure(plan).catch((error: unknown) => ({ error: explained(error) }))
    results.push({ job: plan.job, seconds: Math.round((performance.now() - begun) / 100) / 10, ...outcome })
  }
  if (process.stderr.isTTY) process.stderr.write("\r\x1b[K")
  const lines = wanted.flatMap((plan) =>
    linesOf(plan, results.find((result) => result.job === plan.job)?.numbers ?? {})
  )
  const machine = { node: process.version, cpu: cpus()[0]?.model ?? "unknown", cores: cpus().length }
  console.log(`${show(lines)}\n`)
  console.log(
    `Node ${machine.node}, ${machine.cores} cores${options.quick ? "; small sizes, nothing of it counts" : ""}\n`
  )
  if (options.json !== undefined) {
    const flat = lines.map(({ metric: { key, label, limit, gate }, ...line }) => ({ ...line, key, label, limit, gate }))
    const document = { at: new Date().toISOString(), ...machine, quick: options.quick, results, lines: flat }
    writeFileSync(options.json, `${JSON.stringify(document, undefined, 1)}\n`)
  }
  for (const { job, notes } of results) if (notes !== undefined) console.error(`${job}: ${notes.trimEnd()}`)
  for (const { job, error } of results) if (error !== undefined) console.error(`${job}: ${error}`)
  const broken = lines.filter(({ metric, verdict }) => metric.gate === true && verdict === "missed")
  for (const { job, metric, value } of broken) console.error(`${job}: ${metric.label}: ${value}`)
  if (broken.length > 0 || results.some(({ error }) => error !== undefined)) process.exitCode = 1
}

// Ends through "exit", where its children are ended too.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1))

if (options.help) {
  console.log("npm run bench:server -- [--jobs a,b] [--quick] [--json FILE] [--program FILE]")
  for (const plan of plans) console.log(`  ${plan.job.padEnd(10)} ${plan.about}`)
} else await main()
