/** The prompt of `claw run`: the words, standard input, or both. */
import { Effect } from "effect"
import { EXIT } from "../cli/Commands.ts"
import { Output } from "../cli/Output.ts"
import { Failure } from "./failure.ts"
import { mayHaveInput, read } from "./standardInput.ts"

const PATIENCE_MS = 1_000

const usage = (detail: string) => new Failure({ exit: EXIT.usage, detail })

/** With words, standard input is context behind them; without, or with `-`, it is the prompt. */
export const promptFrom = Effect.fnUntraced(function* (words: ReadonlyArray<string>, stdin: typeof process.stdin) {
  const output = yield* Output
  const alone = words.length === 0 || (words.length === 1 && words[0] === "-")
  const told = words.join(" ")
  if (!alone && told.trim() === "") return yield* usage('The prompt is empty. Say what to do: claw run "…".')
  if (alone && stdin.isTTY) return yield* usage('Say what to do: claw run "…", or pipe it in.')
  if (!alone && !mayHaveInput(stdin.fd)) return told
  const input = yield* Effect.mapError(read(stdin, alone ? undefined : PATIENCE_MS), (error) => usage(error.detail))
  if (alone) {
    return input === undefined || input.trim() === "" ? yield* usage("Standard input holds no prompt.") : input
  }
  if (input === undefined) yield* output.err("claw: nothing came on standard input; going on without it.\n")
  return input === undefined || input.trim() === "" ? told : `${told}\n\n<stdin>\n${input.trimEnd()}\n</stdin>`
})
