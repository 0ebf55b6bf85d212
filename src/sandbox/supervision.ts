/**
 * How a program's own end is known: from the process itself, or, where isolation is around it, from a supervisor
 * inside, for what is outside knows only a number that stands for exit codes and signals alike.
 * Owns: the words a supervisor says on descriptor 3: `b`, the program begins; `e N`, it ended with wait status N; `l WHAT`,
 * it is ended for it took more than its share of that.
 * Invariant: whatever else is said there changes nothing and is not kept; an end is always reported.
 */
import type { ChildProcess } from "node:child_process"
import type { Socket } from "node:net"
import { constants } from "node:os"
import { Effect } from "effect"
import type { Limit } from "./enclosed.ts"

export interface Ending {
  readonly code: number | undefined
  readonly signal: string | undefined
}

/** One value, told once to everybody who waits for it. */
const makeOnce = <A>() => {
  let told: { readonly value: A } | undefined
  const waiting = new Set<(value: A) => void>()
  const tell = (value: A): void => {
    if (told !== undefined) return
    told = { value }
    for (const wake of waiting) wake(value)
    waiting.clear()
  }
  const heard = Effect.callback<A>((resume) => {
    if (told !== undefined) return resume(Effect.succeed(told.value))
    const wake = (value: A) => resume(Effect.succeed(value))
    waiting.add(wake)
    return Effect.sync(() => waiting.delete(wake))
  })
  return { tell, heard }
}

export const whenExited = (child: ChildProcess): Effect.Effect<Ending> => {
  const { heard, tell } = makeOnce<Ending>()
  const { exitCode, signalCode } = child
  if (exitCode !== null || signalCode !== null) tell({ code: exitCode ?? undefined, signal: signalCode ?? undefined })
  child.once("exit", (code, signal) => tell({ code: code ?? undefined, signal: signal ?? undefined }))
  return heard
}

const signalName = (number: number): string =>
  Object.entries(constants.signals).find(([, value]) => value === number)?.[0] ?? `signal ${number}`

/** A status as wait(2) gives it. */
export const endingOf = (status: number): Ending => {
  const signal = status & 0x7f
  return signal === 0
    ? { code: (status >> 8) & 0xff, signal: undefined }
    : { code: undefined, signal: signalName(signal) }
}

const LONGEST_LINE = 32

/** Until its end is said, the program's end is that of what is around it, once that has closed the socket. */
export const supervise = (socket: Socket, exited: Effect.Effect<Ending>) => {
  const status = makeOnce<Ending | undefined>()
  let begun = false
  let limit: Limit | undefined
  let rest = ""
  const read = (line: string): void => {
    if (line === "b") begun = true
    if (line === "l memory") limit = "memory_limit"
    if (line === "l processes") limit = "process_limit"
    const [, digits] = /^e (\d{1,5})$/.exec(line) ?? []
    if (digits !== undefined && begun) status.tell(endingOf(Number(digits)))
  }
  socket.on("data", (bytes: Buffer) => {
    const lines = (rest + bytes.toString("latin1")).split("\n")
    rest = (lines.pop() ?? "").slice(0, LONGEST_LINE)
    lines.forEach(read)
  })
  socket.once("close", () => status.tell(undefined))
  const ended = Effect.flatMap(status.heard, (ending) => (ending === undefined ? exited : Effect.succeed(ending)))
  return { ended, hasBegun: () => begun, limit: () => limit }
}
