/**
 * The process's own standard output and error as an Output. Invariants: a reader that went away (EPIPE) is the quiet
 * end of writing, never a crash; `out` waits until the bytes were taken.
 */
import { Effect } from "effect"
import { Output } from "../cli/Output.ts"

/** A reader that went away is its own business; a full disk is worth a sentence. */
const complain = (error: NodeJS.ErrnoException): void => {
  if (error.code !== "EPIPE")
    process.stderr.write(`claw: standard output cannot be written (${error.code ?? error.message}).\n`)
}

const write = (stream: NodeJS.WriteStream, text: string): Effect.Effect<boolean> =>
  Effect.callback((resume) => {
    if (stream.destroyed || stream.writableEnded) return resume(Effect.succeed(false))
    stream.write(text, (error) => {
      if (error && stream === process.stdout) complain(error)
      resume(Effect.succeed(!error))
    })
  })

export interface Streams {
  readonly stdout: NodeJS.WriteStream
  readonly stderr: NodeJS.WriteStream
  readonly no_color: boolean
}

export const make = ({ stdout, stderr, no_color }: Streams) => {
  // Errors arrive at the write's callback; without a listener they would end the process, too.
  for (const stream of [stdout, stderr]) stream.on("error", () => {})
  return Output.of({
    out: (text) => write(stdout, text),
    err: (text) => Effect.asVoid(write(stderr, text)),
    isTerminal: stdout.isTTY,
    color: stdout.isTTY && !no_color,
    columns: () => stdout.columns || 80
  })
}
