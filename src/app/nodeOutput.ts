/**
 * The process's own standard output and error as an Output. Invariants: a reader that went away (EPIPE) is the quiet
 * end of writing, never a crash; `out` waits until the bytes were taken.
 */
import { Effect } from "effect"
import { Output } from "../cli/Output.ts"

const write = (stream: NodeJS.WriteStream, text: string): Effect.Effect<boolean> =>
  Effect.callback((resume) => {
    if (stream.destroyed || stream.writableEnded) return resume(Effect.succeed(false))
    stream.write(text, (error) => resume(Effect.succeed(error === null || error === undefined)))
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
