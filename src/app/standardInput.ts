/**
 * What a script pipes into `claw run`. Owns: when to wait for it. A prompt given as an argument does not need it, so
 * an input that says nothing for a second is left alone, with a note; once it has begun it is read to its end.
 * Invariant: at most `MAX_BYTES`; more is an error, not a cut.
 */
import { fstatSync } from "node:fs"
import type { Readable } from "node:stream"
import { Effect, Schema } from "effect"

export const MAX_BYTES = 10 * 1024 * 1024

export class InputError extends Schema.TaggedError<InputError>()("InputError", {
  detail: Schema.String,
  /** The same in Chinese. */
  zh: Schema.String
}) {
  override get message(): string {
    return this.detail
  }
}

/** True where something may come: a pipe, a file or a socket, not a terminal and not /dev/null. */
export const mayHaveInput = (descriptor: number): boolean => {
  try {
    const stats = fstatSync(descriptor)
    return stats.isFIFO() || stats.isFile() || stats.isSocket()
  } catch {
    return false
  }
}

const tooLarge = new InputError({
  detail: `Standard input is larger than ${MAX_BYTES / 1024 / 1024} MiB.`,
  zh: `标准输入超过 ${MAX_BYTES / 1024 / 1024} MiB。`
})
const notText = new InputError({
  detail: "Standard input is not UTF-8 text.",
  zh: "标准输入不是 UTF-8 文本。"
})

const decode = (chunks: ReadonlyArray<Buffer>): Effect.Effect<string, InputError> =>
  Effect.try({
    try: () => new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(chunks)),
    catch: () => notText
  })

/** Reads to the end. With `patience_ms`, `undefined` when not one byte came in that time. */
export const read = (input: Readable, patience_ms?: number): Effect.Effect<string | undefined, InputError> =>
  Effect.callback<ReadonlyArray<Buffer> | undefined, InputError>((resume) => {
    const chunks: Array<Buffer> = []
    let size = 0
    let settled = false
    const timer = patience_ms === undefined ? undefined : setTimeout(() => lookOnce(), patience_ms)
    const settle = () => {
      settled = true
      clearTimeout(timer)
      input.off("data", onData).off("end", onEnd).off("error", onEnd)
      input.pause()
    }
    const stop = (found: ReadonlyArray<Buffer> | undefined) => {
      settle()
      resume(Effect.succeed(found))
    }
    const onEnd = () => stop(chunks)
    // A busy machine runs the timer before it looks at the input: what is there already comes first.
    const lookOnce = () => setImmediate(() => setImmediate(() => settled || chunks.length > 0 || stop(undefined)))
    const onData = (chunk: Buffer) => {
      clearTimeout(timer)
      chunks.push(chunk)
      size += chunk.length
      if (size <= MAX_BYTES) return
      settle()
      resume(Effect.fail(tooLarge))
    }
    input.on("data", onData).once("end", onEnd).once("error", onEnd)
    return Effect.sync(settle)
  }).pipe(Effect.flatMap((chunks) => (chunks === undefined ? Effect.succeed(undefined) : decode(chunks))))
