/**
 * ProcessRunner on Linux with bubblewrap around each call: read-only outside the workspace, the control plane and the
 * secrets out of reach, private /tmp, namespaces of its own, no network unless allowed, limits (DESIGN §6, T4–T7, T26).
 * Owns: whether isolation is in force, decided once in a process by the self-test, before the first call and not
 * before. Does not own: running and ending (ProcessRunner), the parts (this folder).
 * Invariants: `required` starts nothing without it; `auto` uses it where every attempt of the self-test held.
 */
import { execFile } from "node:child_process"
import { Context, Effect, Fiber, Layer, Scope } from "effect"
import { Isolation, PROCESS_ONLY, type IsolationReport, type IsolationSettings } from "../Isolation.ts"
import * as ProcessRunner from "../ProcessRunner.ts"
import { findGroups, makeGroup } from "./controlGroup.ts"
import { makeEmpty } from "./empty.ts"
import { enclose, reachesListed, roomOf, type Enclosing } from "./enclosure.ts"
import { outside, type Outside } from "./reach.ts"
import { findPrograms, type Programs } from "./supervisor.ts"
import { selfTest, type Tested } from "./selfTest.ts"
import { canWatchMemory } from "./supervisorText.ts"

export interface BubblewrapOptions extends Omit<ProcessRunner.ProcessOptions, "isolate"> {
  readonly settings: IsolationSettings
  /** Claw's own directories and files: hidden from every call. The first is where the self-test works. */
  readonly own: readonly [state: string, ...Array<string>]
  /** How listed hosts are reached; for tests. */
  readonly outside?: Outside
}

const SEARCH = "/usr/local/bin:/usr/bin:/bin"

const versionOf = (bwrap: string): Effect.Effect<string | undefined> =>
  Effect.callback((resume) => {
    execFile(bwrap, ["--version"], { timeout: 5000 }, (error, stdout) =>
      resume(Effect.succeed(error === null ? /\d+\.\d+[.\d]*/.exec(stdout)?.[0] : undefined))
    )
  })

const atLeast = (version: string, major: number, minor: number): boolean => {
  const [a = 0, b = 0] = version.split(".").map(Number)
  return a > major || (a === major && b >= minor)
}

interface Found {
  readonly enclosing: Enclosing
  readonly version: string
}

const find = Effect.fnUntraced(function* (options: BubblewrapOptions, empty: Enclosing["empty"]) {
  if (process.platform !== "linux") return "bubblewrap exists on Linux only"
  const { HOME: home, PATH: path } = options.environment
  const programs: Programs | { readonly missing: string } = findPrograms(path ?? SEARCH)
  if ("missing" in programs) return `${programs.missing} was not found on PATH`
  const version = yield* versionOf(programs.bwrap)
  if (version === undefined) return "bubblewrap does not start"
  const can = { canForbidMore: atLeast(version, 0, 8), canSize: atLeast(version, 0, 7) }
  const { own, settings } = options
  const groups = findGroups()
  return {
    enclosing: { programs, ...can, groups, outside: options.outside ?? outside, settings, home, own, empty },
    version
  } satisfies Found
})

/** What holds a call to its memory here, as a group that was made for a moment shows. */
const memoryOf = ({ canSize, groups, settings }: Enclosing): string => {
  if (settings.memory_mb === 0) return "memory without a limit"
  const group = makeGroup(groups, settings)
  group.remove()
  if (group.memory) return "memory bounded by a control group"
  return canSize && canWatchMemory ? "memory watched by claw" : "memory bounded for each process only"
}

const networkOf = (settings: IsolationSettings): string => {
  if (settings.network) return "with network"
  return reachesListed(settings) ? `no network but ${settings.hosts.length} listed hosts by HTTP` : "no network"
}

const inForce = ({ enclosing, version }: Found, tries: number): string =>
  "Commands run in bubblewrap " +
  `${version}: read-only outside the workspace, secrets hidden, ${networkOf(enclosing.settings)}, ` +
  `processes of their own, ${memoryOf(enclosing)}; ${tries} ways out were tried and held`

const missing = (settings: IsolationSettings, why: string, attempts: IsolationReport["attempts"] = []) =>
  settings.mode === "required"
    ? ({
        state: "required",
        detail: `No command runs, for isolation is required and missing: ${why}.`,
        attempts
      } as const)
    : ({
        state: "unavailable",
        detail: `${PROCESS_ONLY}nothing isolates their files and network: ${why}.`,
        attempts
      } as const)

const conclude = (found: Found, { attempts, broken }: Tested): IsolationReport => {
  const { settings } = found.enclosing
  if (broken !== undefined) return missing(settings, broken.replace(/\.$/, ""))
  const out = attempts.filter(({ held }) => !held).map(({ name }) => name)
  if (out.length > 0) return missing(settings, `the self-test got out by ${out.join(", ")}`, attempts)
  return { state: "in_force", detail: `${inForce(found, attempts.length)}.`, attempts }
}

/** A runner of its own for the test: it goes with it. */
const test = Effect.fnUntraced(function* (options: BubblewrapOptions, { enclosing }: Found) {
  const isolate: ProcessRunner.Isolate = (argv, cwd) => enclose(enclosing, argv, cwd)
  const context = yield* Layer.build(ProcessRunner.layer({ ...options, isolate }))
  const { run } = Context.get(context, ProcessRunner.ProcessRunner)
  const { canForbidMore, home, settings } = enclosing
  const how = { canForbidMore, room: roomOf(enclosing), network: settings.network, proxied: reachesListed(settings) }
  return yield* selfTest({ scratch: options.own[0], home, ...how, run })
}, Effect.scoped)

const make = Effect.fnUntraced(function* (options: BubblewrapOptions) {
  const { settings } = options
  const scope = yield* Effect.scope
  const examine = Effect.gen(function* () {
    const empty = yield* Effect.provideService(makeEmpty, Scope.Scope, scope)
    const found = yield* find(options, empty)
    if (typeof found === "string") return { report: missing(settings, found), enclosing: undefined }
    const report = conclude(found, yield* test(options, found))
    return { report, enclosing: report.state === "in_force" ? found.enclosing : undefined }
  })
  // A fiber of its own: whoever is interrupted while he waits for it does not end it for the others.
  let started: Fiber.Fiber<Effect.Success<typeof examine>> | undefined
  const begin = Effect.map(Effect.forkIn(examine, scope), (fiber) => (started = fiber))
  const examined = Effect.flatMap(
    Effect.suspend(() => (started === undefined ? begin : Effect.succeed(started))),
    Fiber.join
  )
  const isolate: ProcessRunner.Isolate = (argv, cwd) =>
    Effect.flatMap(Effect.interruptible(examined), ({ enclosing, report }) => {
      if (enclosing !== undefined) return enclose(enclosing, argv, cwd)
      return report.state === "required"
        ? Effect.fail(new ProcessRunner.ProcessError({ reason: "not_isolated", detail: report.detail }))
        : Effect.succeed({ argv, supervised: false })
    })
  const runner = yield* Layer.build(ProcessRunner.layer({ ...options, isolate }))
  const { endLeftover, run } = Context.get(runner, ProcessRunner.ProcessRunner)
  const telling = ProcessRunner.ProcessRunner.of({
    endLeftover,
    run: (spec) =>
      Effect.flatMap(run(spec), (result) =>
        Effect.map(examined, ({ enclosing }) =>
          enclosing === undefined || settings.network ? result : { ...result, offline: true }
        )
      )
  })
  const isolation = Isolation.of({ report: Effect.map(examined, ({ report }) => report) })
  return Context.add(Context.make(ProcessRunner.ProcessRunner, telling), Isolation, isolation)
})

export const layer = (options: BubblewrapOptions): Layer.Layer<ProcessRunner.ProcessRunner | Isolation> =>
  Layer.effectContext(make(options))
