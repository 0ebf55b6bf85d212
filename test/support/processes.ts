/** A look at the machine's processes for tests: who carries a word in his command line, and what we hold open. */
import { isolationDefaults } from "../../src/config/IsolationSettings.ts"
import { mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { findGroups } from "../../src/sandbox/bubblewrap/controlGroup.ts"
import { makeEmpty } from "../../src/sandbox/bubblewrap/empty.ts"
import { enclose } from "../../src/sandbox/bubblewrap/enclosure.ts"
import { outside, type Outside } from "../../src/sandbox/bubblewrap/reach.ts"
import { findPrograms } from "../../src/sandbox/bubblewrap/supervisor.ts"
import type { IsolationSettings } from "../../src/sandbox/Isolation.ts"
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

export const isolationSettings: IsolationSettings = { ...isolationDefaults, mode: "required" }

/** bubblewrap around each call, in force or an error: what a test wants to see must not fall back. */
export const isolatedRunnerOf = (
  options: Partial<ProcessRunner.ProcessOptions> & {
    readonly settings?: Partial<IsolationSettings>
    readonly own?: ReadonlyArray<string>
    /** As where no control group can be made. */
    readonly watched?: boolean
    readonly outside?: Outside
    /** What is done to the finished command line. */
    readonly change?: (argv: ReadonlyArray<string>) => ReadonlyArray<string>
  } = {}
) =>
  Effect.gen(function* () {
    const { change = (argv) => argv, own = [], settings, watched, outside: machine = outside, ...others } = options
    const programs = findPrograms(process.env["PATH"] ?? "")
    if ("missing" in programs) return yield* Effect.die(`install ${programs.missing}: these tests need it`)
    const enclosing = {
      programs,
      canForbidMore: true,
      canSize: true,
      outside: machine,
      groups: watched === true ? undefined : findGroups(),
      settings: { ...isolationSettings, ...settings },
      home: others.environment?.["HOME"] ?? "/tmp",
      own,
      empty: yield* makeEmpty
    }
    const isolate: ProcessRunner.Isolate = (argv, cwd) =>
      Effect.map(enclose(enclosing, argv, cwd), (enclosed) => ({ ...enclosed, argv: change(enclosed.argv) }))
    return yield* runnerOf({ ...others, isolate })
  })

/** The same contract for both. */
export const eachDriver = (
  name: string,
  body: (driver: {
    readonly isolated: boolean
    readonly runnerOf: (options?: Partial<ProcessRunner.ProcessOptions>) => ReturnType<typeof runnerOf>
  }) => void
): void => {
  describe(name, () => body({ isolated: false, runnerOf }))
  describe(`${name}, in bubblewrap`, () => body({ isolated: true, runnerOf: isolatedRunnerOf }))
}

/** Where scripts run when nothing else is said: nobody's repository. */
const place = mkdtempSync(join(tmpdir(), "claw-test-"))
process.on("exit", () => rmSync(place, { recursive: true, force: true }))

let calls = 0

export const script = (text: string, more: Partial<ProcessRunner.ProcessSpec> = {}): ProcessRunner.ProcessSpec => ({
  id: `test-${process.pid}-${calls++}`,
  command: { script: text },
  cwd: place,
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
