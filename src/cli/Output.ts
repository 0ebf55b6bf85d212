/**
 * Where a command's words go. Owns: the contract only.
 * Invariant: a reader that went away (EPIPE) is an answer, never an error.
 */
import { Context, type Effect } from "effect"

export class Output extends Context.Service<
  Output,
  {
    /** Waits until the reader took it; false: the reader is gone. */
    readonly out: (text: string) => Effect.Effect<boolean>
    /** Diagnostics and notes for people. */
    readonly err: (text: string) => Effect.Effect<void>
    readonly isTerminal: boolean
    readonly color: boolean
    /** Columns of the terminal; 80 where there is none. */
    readonly columns: () => number
  }
>()("claw/cli/Output") {}
