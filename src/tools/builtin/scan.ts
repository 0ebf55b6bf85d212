/**
 * Runs one search in a thread of its own, with a deadline; interruption ends the thread (LESSONS 33).
 * Invariant: when the effect returns the thread is gone, also where its regular expression would never have ended.
 */
import { Worker } from "node:worker_threads"
import { Effect } from "effect"
import { pause } from "../../sandbox/Pause.ts"
import { scanSource, type ScanMessage, type ScanRequest } from "./scanWorker.ts"

export interface Scanned {
  readonly files: ReadonlyArray<Extract<ScanMessage, { readonly type: "file" }>>
  /** Files that are binary, too large, or could not be read. */
  readonly skipped: number
  readonly limited: boolean
  readonly ending: "done" | "deadline" | "failed"
}

const MEMORY_MB = 256

const start = (request: ScanRequest) => {
  const resourceLimits = { maxOldGenerationSizeMb: MEMORY_MB }
  return new Worker(scanSource, {
    eval: true,
    workerData: request,
    env: {},
    resourceLimits,
    stdout: true,
    stderr: true
  })
}

const listen = (worker: Worker, files: Array<Extract<ScanMessage, { readonly type: "file" }>>) =>
  Effect.callback<Pick<Scanned, "skipped" | "limited" | "ending">>((resume) => {
    worker.on("message", (message: ScanMessage) => {
      if (message.type === "file") return void files.push(message)
      resume(Effect.succeed({ skipped: message.skipped, limited: message.limited, ending: "done" }))
    })
    const failed = () => resume(Effect.succeed({ skipped: 0, limited: false, ending: "failed" }))
    worker.once("error", failed).once("exit", failed)
  })

export const scan = (request: ScanRequest, deadlineMs: number): Effect.Effect<Scanned> =>
  Effect.acquireUseRelease(
    Effect.sync(() => start(request)),
    (worker) => {
      const files: Array<Extract<ScanMessage, { readonly type: "file" }>> = []
      const deadline = Effect.as(pause(deadlineMs), { skipped: 0, limited: false, ending: "deadline" as const })
      return Effect.map(Effect.raceFirst(listen(worker, files), deadline), (end): Scanned => ({ files, ...end }))
    },
    (worker) => Effect.promise(() => worker.terminate())
  )
