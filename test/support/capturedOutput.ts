/** An Output that keeps what it was given; `gate` makes its reader slow, `reader` makes it go away. */
import { Effect } from "effect"
import { Output } from "../../src/cli/Output.ts"

export interface Captured {
  readonly out: () => string
  readonly err: () => string
  readonly service: Output["Service"]
}

export interface CapturedOptions {
  /** Awaited before a write to standard output is taken. */
  readonly gate?: Effect.Effect<void>
  /** Writes that are taken before the reader is gone. */
  readonly reader?: number
  /** Standard output is a screen. */
  readonly screen?: boolean
}

export const captured = (options: CapturedOptions = {}): Captured => {
  const { gate = Effect.void, reader = Number.POSITIVE_INFINITY, screen = false } = options
  const out: Array<string> = []
  const err: Array<string> = []
  const service = Output.of({
    out: (text) =>
      Effect.andThen(
        gate,
        Effect.sync(() => {
          if (out.length >= reader) return false
          out.push(text)
          return true
        })
      ),
    err: (text) => Effect.sync(() => void err.push(text)),
    isTerminal: screen,
    color: false,
    columns: () => 80
  })
  return { out: () => out.join(""), err: () => err.join(""), service }
}
