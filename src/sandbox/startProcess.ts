/**
 * Starts one child behind a gate: it has its own session and group from the beginning, and does nothing until it is
 * released, so that it can be journaled first; if the harness dies before, the gate's end of input ends the child.
 * Owns: the spawn, the gate, closing what the child would inherit. Does not own: limits, ending (endProcesses).
 */
import { spawn, type ChildProcess } from "node:child_process"
import { closeSync, existsSync, readdirSync, readFileSync } from "node:fs"
import type { Socket } from "node:net"
import type { Readable } from "node:stream"
import { Effect } from "effect"
import type { Limit } from "./enclosed.ts"
import * as Points from "../observability/Points.ts"
import type { Leader } from "./endProcesses.ts"
import type { Pipe, PipePool } from "./pipePool.ts"
import { MARKER, outputsOf, startTimeOf, type Family } from "./processTable.ts"
import { supervise, whenExited, type Ending } from "./supervision.ts"

export interface Start {
  readonly argv: ReadonlyArray<string>
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly marker: string
  readonly merge: boolean
  /** Isolation is around the program: see `supervision.ts`. */
  readonly supervised: boolean
  /** A file that it gets as descriptor 4. */
  readonly input?: string | undefined
  /** What it reads on standard input. */
  readonly stdin?: string | undefined
}

export interface Started {
  readonly pid: number
  readonly startTime: string
  readonly family: Family
  readonly stdout: Readable
  readonly stderr: Readable | undefined
  readonly release: () => void
  /** Of the program itself. */
  readonly ended: Effect.Effect<Ending>
  /** False only where something around the program has not reached it yet. */
  readonly hasBegun: () => boolean
  /** Of what it took more than its share, where something around it said so. */
  readonly limit: () => Limit | undefined
  /** The first process: the program, or what is around it. */
  readonly leader: Leader
  /** Lets go of every descriptor on our side. */
  readonly dispose: () => void
}

/**
 * Waits for one line on descriptor 3, closes what would be inherited, then becomes the program. `exec` keeps the
 * process id. Status 125: the harness went away before the release. The small shell costs a third of a second bash.
 */
const gateScript = (
  { input, merge, supervised }: Pick<Start, "input" | "merge" | "supervised">,
  inherited: ReadonlyArray<number>
): string => {
  const closed = [...(supervised ? [] : [3]), ...inherited.filter((fd) => fd !== 3)]
  return [
    merge ? "exec 2>&1" : "",
    "IFS= read -r _ <&3 || exit 125",
    closed.length === 0 ? "" : `exec ${closed.map((fd) => `${fd}>&-`).join(" ")}`,
    supervised ? "trap '' TERM" : "",
    input === undefined ? 'exec "$@"' : `exec "$@" 4<'${input.replaceAll("'", "'\\''")}'`
  ].join("\n")
}

/** O_CLOEXEC on Linux; Node does not name it. */
const CLOSE_ON_EXEC = 0o2000000

/** Node opens everything close-on-exec; what it was itself given without that mark would reach every child. */
const inheritedDescriptors = (): ReadonlyArray<number> => {
  try {
    const flags = (fd: string) => /^flags:\s*([0-7]+)$/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, "latin1"))?.[1]
    const isInherited = (fd: string) => Number(fd) > 2 && (Number.parseInt(flags(fd) ?? "0", 8) & CLOSE_ON_EXEC) === 0
    return readdirSync("/proc/self/fd")
      .filter((fd) => existsSync(`/proc/self/fdinfo/${fd}`) && isInherited(fd))
      .map(Number)
  } catch {
    return []
  }
}

export interface Gate {
  readonly shell: string
  readonly script: (start: Parameters<typeof gateScript>[0]) => string
}

/** A plain `sh` may know only descriptors of one digit. */
const newGate = (): Gate => {
  const inherited = inheritedDescriptors()
  return {
    shell: inherited.some((fd) => fd > 9) ? "bash" : "sh",
    script: (start) => gateScript(start, inherited)
  }
}

let gate: Gate | undefined

/** The process has one: what it was given does not change, and looking costs a file read per open descriptor. */
export const makeGate = (): Gate => (gate ??= newGate())

export const SHELL = ["bash", "--noprofile", "--norc", "-c"] as const

const spawned = (child: ChildProcess): Effect.Effect<void, Error> =>
  Effect.callback<void, Error>((resume) => {
    child.once("spawn", () => resume(Effect.void))
    child.on("error", (error) => resume(Effect.fail(error)))
  })

const ignoreErrors = (stream: { on(event: "error", listener: () => void): unknown } | null | undefined): void => {
  stream?.on("error", () => {})
}

const describe = (child: ChildProcess, start: Start, out: Pipe | undefined, err: Pipe | undefined): Started => {
  const pid = child.pid as number
  const [, , , gate] = child.stdio
  const stdout = out?.reader ?? (child.stdout as Readable)
  const stderr = start.merge ? undefined : (err?.reader ?? (child.stderr as Readable))
  const streams = [stdout, stderr, child.stdin, child.stdout, child.stderr, gate]
  for (const stream of streams) ignoreErrors(stream)
  child.stdin?.end(start.stdin)
  const exited = whenExited(child)
  const supervision = start.supervised ? supervise(gate as Socket, exited) : undefined
  const family: Family = {
    leader: pid,
    ownsGroup: true,
    marker: start.marker,
    outputs: outputsOf(pid),
    seen: new Map()
  }
  return {
    pid,
    startTime: startTimeOf(pid),
    family,
    stdout,
    stderr,
    release: () => void (gate as NodeJS.WritableStream).end("\n"),
    ended: supervision?.ended ?? exited,
    hasBegun: supervision?.hasBegun ?? (() => true),
    limit: supervision?.limit ?? (() => undefined),
    leader: { isLiving: () => child.exitCode === null && child.signalCode === null, ended: exited },
    dispose: () => {
      for (const stream of streams) stream?.destroy()
    }
  }
}

const launch = (start: Start, gate: Gate, out: Pipe | undefined, err: Pipe | undefined): ChildProcess => {
  try {
    return spawn(gate.shell, ["-c", gate.script(start), gate.shell, ...start.argv], {
      cwd: start.cwd,
      env: { ...start.env, [MARKER]: start.marker },
      detached: true,
      stdio: [
        start.stdin === undefined ? "ignore" : "pipe",
        out?.childEnd ?? "pipe",
        start.merge ? (out?.childEnd ?? "ignore") : (err?.childEnd ?? "pipe"),
        "pipe"
      ]
    })
  } finally {
    for (const pipe of [out, err]) if (pipe !== undefined) closeSync(pipe.childEnd)
  }
}

/** Fails with the cause of the spawn (ENOENT, E2BIG, …); then nothing runs and nothing is held. */
export const startProcess = Effect.fnUntraced(function* (start: Start, gate: Gate, pool: PipePool) {
  const out = yield* pool.take
  const err = start.merge ? undefined : yield* pool.take
  const abandon = Effect.sync(() => {
    out?.reader.destroy()
    err?.reader.destroy()
  })
  Points.reach("process before")
  const child = yield* Effect.try({ try: () => launch(start, gate, out, err), catch: (cause) => cause as Error }).pipe(
    Effect.tapError(() => abandon)
  )
  // A spawn that failed has no pid and reports it in an event.
  if (child.pid === undefined)
    return yield* Effect.tapError(Effect.andThen(spawned(child), Effect.never), () => abandon)
  child.on("error", () => {})
  Points.reach("process at its gate")
  return describe(child, start, out, err)
})
