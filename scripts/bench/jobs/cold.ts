/**
 * Starting up: `--version`, `--help`, one reply, and the prompt of an interactive claw, as wall time of whole processes;
 * and their largest resident memory, in runs of their own. `raw` is `node -e 0` and a one-shot fetch script.
 */
import { spawn } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { KIB, median, now } from "../samples.ts"
import type { Numbers } from "./job.ts"

export const executable = fileURLToPath(new URL("../../../dist/claw.js", import.meta.url))
const oneShot = fileURLToPath(new URL("oneShot.mjs", import.meta.url))

/** Tells the largest resident size on descriptor 3 when the process ends. */
const RSS_HOOK = `process.on("exit", () => require("fs").writeSync(3, process.resourceUsage().maxRSS + "\\n"))`

interface Place {
  readonly directory: string
  readonly env: NodeJS.ProcessEnv
}

const run = (argv: ReadonlyArray<string>, { directory, env }: Place, hook?: string) =>
  new Promise<{ readonly ms: number; readonly rss_mib: number }>((done, fail) => {
    const begun = now()
    const extra = hook === undefined ? {} : { NODE_OPTIONS: `--require ${hook}` }
    const child = spawn(process.execPath, argv, {
      cwd: directory,
      env: { ...env, ...extra },
      stdio: ["ignore", "ignore", "pipe", "pipe"]
    })
    let [errors, said] = ["", ""]
    child.stdio[2]?.on("data", (more: Buffer) => (errors += more.toString()))
    child.stdio[3]?.on("data", (more: Buffer) => (said += more.toString()))
    child.on("error", fail)
    child.on("close", (code) => {
      const ms = now() - begun
      if (code === 0) done({ ms, rss_mib: Number(said.trim().split("\n").at(-1)) / KIB })
      else fail(new Error(`${argv.join(" ")} ended with ${code}: ${errors.slice(0, 300)}`))
    })
  })

/** Until the prompt of an interactive claw stands in a terminal; then it is killed. */
const promptReady = async ({ directory, env }: Place): Promise<number> => {
  const pty = await import("@lydell/node-pty")
  const begun = now()
  const terminal = pty.spawn(process.execPath, [executable, "--provider", "demo"], { cwd: directory, env, cols: 100 })
  try {
    return await new Promise<number>((done, fail) => {
      let shown = ""
      const patience = setTimeout(() => fail(new Error(`no prompt: ${JSON.stringify(shown.slice(-300))}`)), 20_000)
      terminal.onData((more) => {
        shown += more
        if (!shown.includes("claw>")) return
        clearTimeout(patience)
        done(now() - begun)
      })
    })
  } finally {
    terminal.kill("SIGKILL")
  }
}

export interface ColdOptions {
  readonly claw: boolean
  readonly base_url: string
  readonly runs: number
}

const commands = (claw: boolean) => {
  const nothing = ["-e", "0"]
  return claw
    ? { version: [executable, "--version"], help: [executable, "--help"], reply: [executable, "run", "Begin."] }
    : { version: nothing, help: nothing, reply: [oneShot] }
}

export const cold = async ({ claw, base_url, runs }: ColdOptions): Promise<Numbers> => {
  const directory = mkdtempSync(join(tmpdir(), "claw-cold-"))
  const hook = join(directory, "rss.cjs")
  writeFileSync(hook, RSS_HOOK)
  const settings = { OPENAI_BASE_URL: base_url, OPENAI_API_KEY: "bench", CLAW_MODEL: "text:n=1" }
  const place = {
    directory,
    env: { PATH: process.env["PATH"], HOME: directory, TERM: "xterm", LANG: "C", ...settings }
  }
  const numbers: Numbers = {}
  const attempt = async (name: string, measure: () => Promise<Numbers>) => {
    // A part of claw that is not there yet costs its own numbers only.
    await measure().then(
      (found) => Object.assign(numbers, found),
      (error: unknown) => console.error(`bench: cold ${name}: ${String(error)}`)
    )
  }
  for (const [name, argv] of Object.entries(commands(claw))) {
    await attempt(name, async () => {
      await run(argv, place)
      const times: Array<number> = []
      for (let i = 0; i < runs; i++) times.push((await run(argv, place)).ms)
      const { rss_mib } = await run(argv, place, hook)
      return { [`${name}_ms`]: median(times), [`${name}_rss_mib`]: rss_mib }
    })
  }
  if (!claw) numbers["prompt_ms"] = numbers["version_ms"] ?? Number.NaN
  else {
    await attempt("prompt", async () => {
      const times: Array<number> = []
      for (let i = 0; i < runs; i++) times.push(await promptReady(place))
      return { prompt_ms: median(times) }
    })
  }
  rmSync(directory, { recursive: true, force: true })
  return numbers
}
