/**
 * One question at the terminal whose answer is yes or no. Owns: which key means what. Invariant: only `y` is a yes; a
 * paste, and a key that comes before the question was seen, answers nothing (SECURITY P15).
 */
import { Effect } from "effect"
import { soleKeys } from "./soleKey.ts"
import { Terminal } from "./Terminal.ts"
import { wrap } from "./Width.ts"

const meanings: Readonly<Record<string, boolean>> = {
  y: true,
  n: false,
  enter: false,
  escape: false,
  "ctrl+c": false,
  "ctrl+d": false
}

/** False where the terminal went away, too. */
export const askYes = Effect.fnUntraced(function* (lines: ReadonlyArray<string>, keys: string) {
  const terminal = yield* Terminal
  const draw = (settled: ReadonlyArray<string>, live: string) => {
    const columns = terminal.columns()
    const shown = wrap(live, columns)
    const cursor = { row: shown.length - 1, column: 0 }
    terminal.draw({ settled: settled.flatMap((line) => wrap(line, columns)), live: shown, cursor })
  }
  draw(lines, keys)
  const key = yield* soleKeys(terminal, (name) => Object.hasOwn(meanings, name))
  for (;;) {
    const heard = yield* key
    if (heard.kind === "end") return false
    if (heard.kind === "resize") draw([], keys)
    else {
      const answer = Object.hasOwn(meanings, heard.name) ? meanings[heard.name] : undefined
      if (answer === undefined) continue
      draw([], "")
      return answer
    }
  }
})
