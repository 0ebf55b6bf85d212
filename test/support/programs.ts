/** Programs run to their end, with all they wrote. The child goes with the test that started it. */
import { spawn } from "node:child_process"
import { Effect } from "effect"

export interface Finished {
  readonly code: number | null
  readonly signal: string | null
  readonly stdout: string
  readonly stderr: string
}

export interface RunOptions {
  readonly cwd?: string
  /** The whole environment; default: PATH alone. */
  readonly env?: Readonly<Record<string, string>>
  /** Called with what was written so far, after each piece: the place to send a signal. */
  readonly onOutput?: (stdout: string, kill: (signal: NodeJS.Signals) => void) => void
}

/** PATH is all that a program needs to find its interpreter. */
export const bareEnvironment: Readonly<Record<string, string>> = { PATH: process.env["PATH"] ?? "" }

export const run = (command: string, args: ReadonlyArray<string>, options: RunOptions = {}): Effect.Effect<Finished> =>
  Effect.callback((done) => {
    const child = spawn(command, args, {
      cwd: options.cwd,
      env: { ...(options.env ?? bareEnvironment) },
      stdio: ["ignore", "pipe", "pipe"]
    })
    const output = { stdout: "", stderr: "" }
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
      output.stdout += chunk
      options.onOutput?.(output.stdout, (signal) => child.kill(signal))
    })
    child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
      output.stderr += chunk
    })
    child.on("error", (error) => done(Effect.die(error)))
    child.on("close", (code, signal) => done(Effect.succeed({ code, signal, ...output })))
    return Effect.sync(() => child.kill("SIGKILL"))
  })
