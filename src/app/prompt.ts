/** The prompt of `claw run`: the words, standard input, or both. */
import { Effect } from "effect"
import { Output } from "../cli/Output.ts"
import { refusal } from "./failure.ts"
import { mayHaveInput, read } from "./standardInput.ts"

const PATIENCE_MS = 1_000

/** With words, standard input is context behind them; without, or with `-`, it is the prompt. */
export const promptFrom = Effect.fnUntraced(function* (words: ReadonlyArray<string>, stdin: typeof process.stdin) {
  const output = yield* Output
  const alone = words.length === 0 || (words.length === 1 && words[0] === "-")
  const told = words.join(" ")
  if (!alone && told.trim() === "")
    return yield* refusal(
      'The prompt is empty. Say what to do: claw run "…".',
      '提示为空。请说明要做什么：claw run "…"。'
    )
  if (alone && stdin.isTTY)
    return yield* refusal(
      'Say what to do: claw run "…", or pipe it in.',
      '请说明要做什么：claw run "…"，或通过管道传入。'
    )
  if (!alone && !mayHaveInput(stdin.fd)) return told
  const input = yield* Effect.mapError(read(stdin, alone ? undefined : PATIENCE_MS), ({ detail, zh }) =>
    refusal(detail, zh)
  )
  if (alone) {
    return input === undefined || input.trim() === ""
      ? yield* refusal("Standard input holds no prompt.", "标准输入中没有提示。")
      : input
  }
  if (input === undefined) yield* output.err("claw: nothing came on standard input; going on without it.\n")
  return input === undefined || input.trim() === "" ? told : `${told}\n\n<stdin>\n${input.trimEnd()}\n</stdin>`
})
