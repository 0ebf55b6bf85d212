/**
 * Runs a program so that nothing of it outlives the call (R131, LESSONS 17–19).
 * Owns: the child's environment, limits on time and output, ending and proving the end of everything it started.
 * Does not own: whether it may run (approval), what a command means (CommandAnalysis).
 * Invariant: the effect returns (with a result, at its time limit, or interrupted) when no process of the call lives
 * and no descriptor of it is held here.
 * Uses node:child_process itself: Effect's ChildProcess reports death by a signal as an untyped failure, has no gate
 * before the program begins, and cannot see who escaped the group.
 */
import { statSync } from "node:fs"
import type { Readable } from "node:stream"
import { Context, Effect, Layer, Schema } from "effect"
import * as Points from "../observability/Points.ts"
import { KnownSecrets, type Mask } from "../observability/Redact.ts"
import { childEnvironment, type Environment } from "./childEnvironment.ts"
import type { Enclosed, Limit, Over, Visit } from "./enclosed.ts"
import { endProcesses } from "./endProcesses.ts"
import { endLeftover, type Leftover } from "./Leftover.ts"
import { makeCapture, makeDecoder, makeLive, startOf, type Captured, type OutputLimits } from "./outputBuffer.ts"
import * as LastResort from "./lastResort.ts"
import { pause } from "./Pause.ts"
import { makePipePool, type PipePool } from "./pipePool.ts"
import { makeGate, SHELL, startProcess, type Started } from "./startProcess.ts"
import type { Ending } from "./supervision.ts"

export type { Enclosed, Limit, Limits, Over, Visit } from "./enclosed.ts"

export class ProcessError extends Schema.TaggedError<ProcessError>()("ProcessError", {
  reason: Schema.Literals(["bad_directory", "no_shell", "not_started", "not_ended", "not_isolated"]),
  detail: Schema.String
}) {
  override get message(): string {
    return this.detail
  }
}

export interface ProcessSpec {
  /** Marks every process of the call; no other call on this machine has it. */
  readonly id: string
  readonly command: { readonly script: string } | { readonly argv: readonly [string, ...Array<string>] }
  /** Absolute. */
  readonly cwd: string
  readonly timeout_ms: number
  /** What it reads on standard input, which then ends; absent: nothing. */
  readonly stdin?: string
  /** Default true: one stream, in the order of writing. */
  readonly merge?: boolean
  readonly emit?: (text: string) => void
  /** Awaited before the program begins. */
  readonly processStarted?: (pid: number, startTime: string) => Effect.Effect<void, unknown>
}

export interface ProcessResult {
  readonly output: Captured
  /** Empty when merged. */
  readonly errors: Captured
  readonly exit_code?: number
  readonly signal?: string
  readonly timed_out: boolean
  /** Isolation gave it no network, or that of the listed hosts alone. */
  readonly offline?: true
  /** Hosts that it asked for, where some are listed. */
  readonly visits?: ReadonlyArray<Visit>
  /** It was ended, or a process of it was, for what it did or took. */
  readonly limit?: { readonly kind: Limit; readonly detail: string }
  /** What isolation found when the call was over; for the person and the model. */
  readonly notes?: ReadonlyArray<string>
}

export class ProcessRunner extends Context.Service<
  ProcessRunner,
  {
    readonly run: (spec: ProcessSpec) => Effect.Effect<ProcessResult, ProcessError>
    /** After a crash: ends what a journaled process left behind; true when nothing of it lives. */
    readonly endLeftover: (leftover: Leftover) => Effect.Effect<boolean>
  }
>()("claw/sandbox/ProcessRunner") {}

export interface ProcessOptions {
  /** The harness's own environment; only listed names of it reach a child. */
  readonly environment: Environment
  /** More names to pass on: the operator's decision. */
  readonly passEnvironment?: ReadonlyArray<string>
  readonly limits?: Partial<ProcessLimits>
  /** Puts isolation around each program, e.g. bubblewrap; its failure means that nothing is started. */
  readonly isolate?: Isolate
}

/** Called uninterruptibly, so that what it makes is always ended; a long wait of its own it makes interruptible. */
export type Isolate = (argv: ReadonlyArray<string>, cwd: string) => Effect.Effect<Enclosed, ProcessError>

export interface ProcessLimits extends OutputLimits {
  /** Milliseconds between TERM and KILL. */
  readonly grace_ms: number
  /** Milliseconds for output that is still in the pipe when the program has ended. */
  readonly drain_ms: number
}

export const DEFAULT_LIMITS: ProcessLimits = {
  head_chars: 30_000,
  tail_chars: 30_000,
  live_chars: 64_000,
  grace_ms: 2_000,
  drain_ms: 100
}

const reader = (stream: Readable, push: (text: string) => void): Effect.Effect<void> => {
  const decoder = makeDecoder()
  let ended = false
  const waiting = new Set<() => void>()
  const finish = () => {
    if (ended) return
    ended = true
    push(decoder.end())
    for (const wake of waiting) wake()
  }
  stream.on("data", (bytes: Buffer) => !ended && push(decoder.decode(bytes)))
  stream.once("end", finish).once("close", finish)
  return Effect.callback<void>((resume) => {
    if (ended) return resume(Effect.void)
    const wake = () => resume(Effect.void)
    waiting.add(wake)
    return Effect.sync(() => waiting.delete(wake))
  })
}

/** One turn of the event loop: what the kernel holds for us has been read. */
const oneTurn = Effect.callback<void>((resume) => {
  const immediate = setImmediate(() => resume(Effect.void))
  return Effect.sync(() => clearImmediate(immediate))
})

/** Before anything is cut: half a secret is one, too. */
const masked = (mask: Mask, push: (text: string) => void) => {
  const stream = mask.stream()
  return { push: (text: string) => push(stream.push(text)), end: () => push(stream.end()) }
}

const watch = (started: Started, spec: ProcessSpec, limits: ProcessLimits, mask: Mask) => {
  const output = makeCapture(limits)
  const errors = makeCapture(limits)
  const live = makeLive(spec.emit ?? (() => {}), limits, () => performance.now())
  const into = (capture: typeof output) =>
    masked(mask, (text) => {
      Points.reach("process output")
      capture.push(text)
      live.push(text)
    })
  const [out, err] = [into(output), into(errors)]
  const streams = [reader(started.stdout, out.push)]
  if (started.stderr !== undefined) streams.push(reader(started.stderr, err.push))
  const end = () => {
    out.end()
    err.end()
    live.end()
  }
  const closed = Effect.all(streams, { concurrency: "unbounded", discard: true })
  // A loop that was busy lets the timer fire before the pipe was read: two more turns read it.
  const patience = pause(limits.drain_ms).pipe(Effect.andThen(oneTurn), Effect.andThen(oneTurn))
  return { output, errors, end, drained: Effect.raceFirst(closed, patience) }
}

const explain = (spec: ProcessSpec, cause: Error): ProcessError => {
  const code = (cause as NodeJS.ErrnoException).code
  if (code === "ENOENT") return new ProcessError({ reason: "no_shell", detail: "bash was not found on PATH." })
  if (code === "E2BIG")
    return new ProcessError({ reason: "not_started", detail: "The command is too long to be started." })
  if (code === "ERR_INVALID_ARG_VALUE") {
    return new ProcessError({ reason: "not_started", detail: "The command contains a NUL character." })
  }
  return new ProcessError({
    reason: "not_started",
    detail: `The command could not be started in ${spec.cwd} (${code ?? "unknown error"}).`
  })
}

const checkDirectory = (cwd: string): Effect.Effect<void, ProcessError> =>
  Effect.suspend(() => {
    const isDirectory = statSync(cwd, { throwIfNoEntry: false })?.isDirectory() === true
    if (isDirectory) return Effect.void
    return Effect.fail(new ProcessError({ reason: "bad_directory", detail: `The directory ${cwd} does not exist.` }))
  })

/** From its announcement, behind which it begins, to its end. */
const going = (started: Started, spec: ProcessSpec) => {
  const announce = Effect.mapError(
    spec.processStarted?.(started.pid, started.startTime) ?? Effect.void,
    () => new ProcessError({ reason: "not_started", detail: "The command was not run: its start could not be stored." })
  )
  const release = Effect.sync(started.release).pipe(Effect.tap(() => Points.at("process released")))
  return Effect.andThen(
    Effect.andThen(announce, release),
    Effect.tap(started.ended, () => Points.at("process ended"))
  )
}

const make = (options: ProcessOptions, pool: PipePool, mask: Mask) => {
  const limits = { ...DEFAULT_LIMITS, ...options.limits }
  const env = childEnvironment(options.environment, options.passEnvironment)
  const gate = makeGate()
  const isolate: Isolate = options.isolate ?? ((argv) => Effect.succeed({ argv, supervised: false }))

  const start = (spec: ProcessSpec, { argv, input, supervised }: Enclosed) => {
    const { cwd, id: marker, merge = true, stdin } = spec
    const request = { argv, cwd, env, marker, merge, supervised, input, stdin }
    return Effect.mapError(startProcess(request, gate, pool), (cause) => explain(spec, cause))
  }

  const attend = Effect.fnUntraced(function* (
    started: Started,
    spec: ProcessSpec,
    restore: <A, E>(effect: Effect.Effect<A, E>) => Effect.Effect<A, E>
  ) {
    const isGone = LastResort.attend(started.family)
    const { output, errors, end, drained } = watch(started, spec, limits, mask)
    const bounded = Effect.timeoutOption(going(started, spec), spec.timeout_ms)
    const exit = yield* Effect.exit(
      restore(Effect.tap(bounded, (ending) => (ending._tag === "Some" ? drained : Effect.void)))
    )
    // What has not begun has nothing to tidy up.
    const gone = yield* endProcesses(started.family, started.hasBegun() ? limits.grace_ms : 0, started.leader)
    isGone()
    const ending = yield* finalEnding(started, gone)
    // What it said while it was being ended is still in the pipe.
    if (exit._tag === "Success") yield* Effect.andThen(oneTurn, oneTurn)
    started.dispose()
    end()
    if (exit._tag === "Failure") return yield* Effect.failCause(exit.cause)
    if (ending === undefined)
      return yield* new ProcessError({ reason: "not_ended", detail: "A process of the command could not be ended." })
    if (!started.hasBegun() && exit.value._tag === "Some") return yield* notBegun(output.result(), errors.result())
    const result = resultOf(ending, output.result(), errors.result(), exit.value._tag === "None")
    return { result, limit: started.limit() }
  })

  const run = Effect.fn("ProcessRunner.run")(function* (spec: ProcessSpec) {
    yield* checkDirectory(spec.cwd)
    const argv = "argv" in spec.command ? spec.command.argv : [...SHELL, spec.command.script]
    return yield* Effect.uninterruptibleMask((restore) =>
      Effect.flatMap(isolate(argv, spec.cwd), (enclosed) => {
        let over: Over = { notes: [] }
        const end = Effect.map(enclosed.end ?? Effect.succeed(over), (said) => void (over = said))
        return start(spec, enclosed).pipe(
          Effect.tap(({ pid }) => Effect.sync(() => enclosed.admit?.(pid))),
          Effect.flatMap((started) => attend(started, spec, restore)),
          Effect.ensuring(end),
          Effect.map(({ limit, result }) => withEnd(result, enclosed, limit, over))
        )
      })
    )
  })

  return ProcessRunner.of({ run, endLeftover: (leftover) => endLeftover(leftover, limits.grace_ms) })
}

/** The leader is reaped by us alone, so its end is always reported; a family that is stuck reports nothing. */
const finalEnding = (started: Started, gone: boolean): Effect.Effect<Ending | undefined> =>
  gone ? started.ended : Effect.succeed(undefined)

const withEnd = (
  result: ProcessResult,
  { limits }: Enclosed,
  said: Limit | undefined,
  { notes, over, visits }: Over
): ProcessResult => {
  const kind = said ?? over
  return {
    ...result,
    ...(kind === undefined || limits === undefined ? {} : { limit: { kind, detail: limits[kind] } }),
    ...(visits === undefined ? {} : { visits }),
    ...(notes.length === 0 ? {} : { notes })
  }
}

/** Only where something is around the program: it said why on the way out. */
const notBegun = (...said: ReadonlyArray<Captured>): ProcessError => {
  const text = said.map((one) => one.text.trim()).join(" ")
  const why = startOf(text, 300) || "nothing was said of the reason"
  return new ProcessError({ reason: "not_isolated", detail: `The command was not started: ${why}.` })
}

const resultOf = (ending: Ending, output: Captured, errors: Captured, timedOut: boolean): ProcessResult => ({
  output,
  errors,
  ...(ending.code === undefined ? {} : { exit_code: ending.code }),
  ...(ending.signal === undefined ? {} : { signal: ending.signal }),
  timed_out: timedOut
})

export const layer = (options: ProcessOptions): Layer.Layer<ProcessRunner> =>
  Layer.effect(
    ProcessRunner,
    Effect.gen(function* () {
      const pool = yield* makePipePool(options.environment["PATH"] ?? "/usr/bin:/bin")
      return make(options, pool, yield* KnownSecrets)
    })
  )
