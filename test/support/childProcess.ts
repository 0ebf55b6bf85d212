/** A child process that runs a TypeScript file, its lines of output, its end. It goes with its scope. */
import { Effect, Queue } from "effect"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { createInterface } from "node:readline"

export const runScript = (script: URL, args: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const lines = yield* Queue.unbounded<string>()
    const child = yield* Effect.acquireRelease(
      Effect.sync(() => spawn(process.execPath, [script.pathname, ...args], { stdio: ["pipe", "pipe", "inherit"] })),
      (started) => Effect.sync(() => void started.kill("SIGKILL"))
    )
    createInterface({ input: child.stdout }).on("line", (line) => Queue.offerUnsafe(lines, line))
    const closed = once(child, "close")
    return {
      line: Queue.take(lines),
      /** What was printed and not taken yet. */
      rest: Effect.map(Queue.clear(lines), (left): ReadonlyArray<string> => left),
      endInput: Effect.sync(() => void child.stdin.end()),
      kill: Effect.andThen(
        Effect.sync(() => void child.kill("SIGKILL")),
        Effect.promise(() => closed)
      )
    }
  })

const storeScript = new URL("./storeChild.ts", import.meta.url)
export const storeChild = (...args: ReadonlyArray<string>) => runScript(storeScript, args)

const runtimeScript = new URL("./runtimeChild.ts", import.meta.url)
export const runtimeChild = (...args: ReadonlyArray<string>) => runScript(runtimeScript, args)

const undoScript = new URL("./undoChild.ts", import.meta.url)
export const undoChild = (...args: ReadonlyArray<string>) => runScript(undoScript, args)
