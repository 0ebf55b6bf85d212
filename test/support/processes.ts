/** A look at the machine's processes for tests: who carries a word in his command line, and what we hold open. */
import { readdirSync, readFileSync, readlinkSync } from "node:fs"
import { Effect, Layer } from "effect"
import * as ProcessRunner from "../../src/sandbox/ProcessRunner.ts"

const attempt = <A>(read: () => A): A | undefined => {
  try {
    return read()
  } catch {
    return undefined
  }
}

/** Living processes (zombies are gone) whose command line contains the word. */
export const processesWith = (word: string): ReadonlyArray<number> =>
  readdirSync("/proc")
    .filter((pid) => /^\d+$/.test(pid))
    .filter((pid) => attempt(() => readFileSync(`/proc/${pid}/cmdline`, "utf8"))?.includes(word))
    .filter((pid) => !/\) [ZX] /.test(attempt(() => readFileSync(`/proc/${pid}/stat`, "latin1")) ?? ") X "))
    .map(Number)

/** Open descriptors, by what they are: numbers change, leaks add entries. */
export const openDescriptors = (): ReadonlyArray<string> =>
  readdirSync("/proc/self/fd")
    .flatMap((fd) => attempt(() => readlinkSync(`/proc/self/fd/${fd}`)) ?? [])
    .map((link) => link.replace(/\d+/g, "N"))
    .filter((link) => !link.startsWith("/proc"))
    .toSorted()

export const runnerOf = (options: Partial<ProcessRunner.ProcessOptions> = {}) =>
  Effect.flatMap(
    Layer.build(ProcessRunner.layer({ environment: { PATH: process.env["PATH"], HOME: "/tmp" }, ...options })),
    (context) => ProcessRunner.ProcessRunner.pipe(Effect.provide(context))
  )

let calls = 0

export const script = (text: string, more: Partial<ProcessRunner.ProcessSpec> = {}): ProcessRunner.ProcessSpec => ({
  id: `test-${process.pid}-${calls++}`,
  command: { script: text },
  cwd: "/tmp",
  timeout_ms: 20_000,
  ...more
})

/** A number of seconds that no other test sleeps: how a child is recognised. */
export const oddSleep = (): string => `${7000 + (process.pid % 1000)}.${calls++}`

/** An emit that wakes a waiter when the text has appeared. */
export const receipt = (word: string) => {
  let seen = ""
  let wake: (() => void) | undefined
  return {
    emit: (text: string) => {
      seen += text
      if (seen.includes(word)) wake?.()
    },
    arrived: Effect.callback<void>((resume) => {
      if (seen.includes(word)) return resume(Effect.void)
      wake = () => resume(Effect.void)
    })
  }
}
