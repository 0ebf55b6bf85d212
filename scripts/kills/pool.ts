/**
 * Processes that are there before they are needed. Owns: building the victim, starting and ending its processes.
 * Invariant: nothing that was started here lives on behind `close`.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { bundle } from "../build/bundle.ts"
import type { Job } from "./job.ts"

const ENTRY = fileURLToPath(new URL("./victim.ts", import.meta.url))

export interface Told {
  readonly warm?: number
  readonly ready?: number
  readonly stopped?: string
  readonly done?: unknown
}

export class Victim {
  readonly child: ChildProcess
  readonly gone: Promise<void>
  isGone = false
  stderr = ""
  private heard: Array<Told> = []
  private waiting: ((told: Told | undefined) => void) | undefined

  constructor(program: string, cache: string) {
    this.child = spawn(process.execPath, [program], {
      stdio: "pipe",
      env: { PATH: process.env["PATH"] ?? "", NODE_COMPILE_CACHE: cache }
    })
    createInterface({ input: this.child.stdout! }).on("line", (line) => this.hear(JSON.parse(line) as Told))
    this.child.stderr!.setEncoding("utf8").on("data", (text: string) => (this.stderr += text))
    this.child.stdin!.on("error", () => {})
    this.gone = new Promise((done) => {
      this.child.once("close", () => {
        this.isGone = true
        this.waiting?.(undefined)
        done()
      })
    })
  }

  private hear(told: Told): void {
    if (this.waiting === undefined) return void this.heard.push(told)
    const give = this.waiting
    this.waiting = undefined
    give(told)
  }

  /** What it says next; undefined: it is gone. */
  next(): Promise<Told | undefined> {
    const told = this.heard.shift()
    if (told !== undefined) return Promise.resolve(told)
    if (this.isGone) return Promise.resolve(undefined)
    return new Promise((done) => (this.waiting = done))
  }

  say(message: { readonly job?: Job; readonly stop?: "drain" | "close" }): void {
    this.child.stdin!.write(`${JSON.stringify(message)}\n`)
  }

  again(): void {
    this.heard.push({ warm: this.child.pid ?? 0 })
  }

  kill(): Promise<void> {
    this.child.kill("SIGKILL")
    return this.gone
  }

  /** Its input ends, and so does it. */
  async end(): Promise<void> {
    this.child.stdin!.end()
    await this.gone
  }
}

export interface Pool {
  readonly take: () => Promise<Victim>
  /** It lives and has nothing to do. */
  readonly give: (victim: Victim) => void
  readonly started: () => number
  readonly close: () => Promise<void>
}

export const build = async (entry = ENTRY): Promise<{ readonly program: string; readonly directory: string }> => {
  const directory = mkdtempSync(join(tmpdir(), "claw-kills-"))
  const [file = ""] = await bundle(entry, { directory, library: false })
  return { program: join(directory, file), directory }
}

export const openPool = async (program: string, cache: string, spare: number): Promise<Pool> => {
  let started = 0
  const all = new Set<Victim>()
  const idle: Array<Victim> = []
  const start = (): Victim => {
    started += 1
    const victim = new Victim(program, cache)
    all.add(victim)
    void victim.gone.then(() => all.delete(victim))
    return victim
  }
  // The first one fills the compile cache, which is written when a process ends by itself.
  const first = start()
  const told = await first.next()
  if (told?.warm === undefined) throw new Error(`the victim does not start: ${first.stderr}`)
  await first.end()
  const fill = () => {
    while (idle.length < spare) idle.push(start())
  }
  fill()
  return {
    take: async () => {
      const victim = idle.shift() ?? start()
      fill()
      const isNew = (await victim.next())?.warm !== undefined
      if (!isNew) throw new Error(`a victim did not start: ${victim.stderr}`)
      return victim
    },
    give: (victim) => {
      // As if it had just been started.
      victim.again()
      idle.unshift(victim)
    },
    started: () => started,
    close: async () => {
      await Promise.all(Array.from(all, (victim) => victim.kill()))
    }
  }
}

export const discard = (directory: string): void => rmSync(directory, { recursive: true, force: true })
