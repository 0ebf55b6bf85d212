/**
 * The built `claw serve` for tests, and programs of other people that talk to it. Owns: that both end with their scope,
 * and that a program which is not installed is said as such: nothing here is skipped.
 */
import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from "node:child_process"
import { accessSync, constants } from "node:fs"
import { join } from "node:path"
import { Effect, type Scope } from "effect"
import { type Served, type ServedOptions, startServed } from "../../scripts/benchServer/served.ts"

export type { Served } from "../../scripts/benchServer/served.ts"

/** Other machines' programs take their time, and so does this one when it is busy; a second try tells the two apart. */
export const OUTSIDE = { timeout: 90_000, retry: 1 } as const

/** Started before, stopped after; its end must be orderly. */
export const served = (options: ServedOptions = {}): Effect.Effect<Served, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.promise(() => startServed(options)),
    (server) =>
      Effect.promise(async () => {
        const how = await server.stop()
        if (how !== "0") throw new Error(`claw serve ended with ${how}: ${server.stderr()}`)
      })
  )

/** The scripted model, and nobody to sign in. */
export const demo = (...args: ReadonlyArray<string>) => served({ args: ["--no-auth", "--provider", "demo", ...args] })

/** The program's Debian package where it is not of its name. */
const packages: Readonly<Record<string, string>> = { nc: "netcat-openbsd", promtool: "prometheus" }

const isThere = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** Where a program is; a test that needs one fails with what to install. */
export const programAt = (name: string): Effect.Effect<string> => {
  const found = (process.env["PATH"] ?? "")
    .split(":")
    .map((directory) => join(directory, name))
    .find(isThere)
  if (found !== undefined) return Effect.succeed(found)
  return Effect.die(new Error(`${name} is not installed: apt-get install ${packages[name] ?? name}`))
}

export interface Outside {
  readonly child: ChildProcessWithoutNullStreams
  readonly stdout: () => string
  /** Resolves when this stands in the output; dies where the program ends first. */
  readonly said: (text: string) => Effect.Effect<void>
  readonly write: (text: string | Uint8Array) => Effect.Effect<void>
  readonly ended: Effect.Effect<{ readonly code: number | null; readonly stdout: string; readonly stderr: string }>
}

const over = (child: ChildProcess) => Effect.sync(() => void child.kill("SIGKILL"))

/** Starts a program that goes with the scope. */
export const outside = Effect.fnUntraced(function* (name: string, ...args: ReadonlyArray<string>) {
  const path = name.startsWith("/") ? name : yield* programAt(name)
  const child = yield* Effect.acquireRelease(
    Effect.sync(() => spawn(path, args, { stdio: "pipe" })),
    over
  )
  const got = { stdout: "", stderr: "" }
  const waiting = new Set<() => void>()
  const look = () => {
    for (const wake of waiting) wake()
  }
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    got.stdout += text
    look()
  })
  child.stderr.setEncoding("utf8").on("data", (text: string) => (got.stderr += text))
  child.stdin.on("error", () => {})
  const done = new Promise<number | null>((resolve) => {
    child.once("error", (error) => {
      got.stderr += error.message
      resolve(null)
    })
    child.once("close", resolve)
  })
  const said = (text: string) =>
    Effect.callback<void>((resume) => {
      const check = () => {
        if (!got.stdout.includes(text)) return
        waiting.delete(check)
        resume(Effect.void)
      }
      waiting.add(check)
      void done.then(() => {
        check()
        resume(Effect.die(new Error(`${name} ended without ${text}: ${got.stdout}${got.stderr}`)))
      })
      check()
    })
  return {
    child,
    stdout: () => got.stdout,
    said,
    write: (text) => Effect.sync(() => void child.stdin.write(text)),
    ended: Effect.map(
      Effect.promise(() => done),
      (code) => ({ code, ...got })
    )
  } satisfies Outside
})

/** A program run to its end on what comes on its standard input. */
export const outsideRun = (name: string, args: ReadonlyArray<string>, input = "") =>
  Effect.scoped(
    Effect.gen(function* () {
      const program = yield* outside(name, ...args)
      program.child.stdin.end(input)
      return yield* program.ended
    })
  )

export interface Event {
  readonly type: string
  readonly seq?: number
  readonly content?: string
  readonly nonce?: string
  readonly error?: { readonly code: string }
}

/** Lines of JSON as events; a last line without its end is none. */
export const eventsOf = (output: string): ReadonlyArray<Event> =>
  output
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Event)

/** Types in order, runs of the same one drawn together. */
export const typesOf = (events: ReadonlyArray<Event>): ReadonlyArray<string> =>
  events.map(({ type }) => type).filter((type, i, all) => type !== all[i - 1])

export const ofType = (events: ReadonlyArray<Event>, ...types: ReadonlyArray<string>): ReadonlyArray<Event> =>
  events.filter(({ type }) => types.includes(type))

const deltas = (events: ReadonlyArray<Event>): string =>
  ofType(events, "text_delta")
    .map(({ content }) => content)
    .join("")

/** What the deltas gave beside what the whole text was. */
export const texts = (events: ReadonlyArray<Event>) => ({
  deltas: deltas(events),
  completed: ofType(events, "text_completed")
    .map(({ content }) => content)
    .join("")
})
