/**
 * One question at the terminal whose answer is yes or no. Owns: which key means what. Invariant: only `y` is a yes; a
 * paste, and a key that comes before the question was seen, answers nothing (SECURITY P15).
 */
import { Clock, Effect } from "effect"
import { SETTLE_MS, TYPING_MS } from "./question.ts"
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
  let open_at = (yield* Clock.currentTimeMillis) + SETTLE_MS
  for (;;) {
    const input = yield* terminal.read
    const now = yield* Clock.currentTimeMillis
    if (input.kind === "end") return false
    if (input.kind === "resize") draw([], keys)
    else if (input.kind === "paste" || (now < open_at && input.name !== "ctrl+c")) {
      open_at = Math.max(open_at, now + TYPING_MS)
    } else {
      const name = input.name.toLowerCase()
      const answer = Object.hasOwn(meanings, name) ? meanings[name] : undefined
      if (answer === undefined) continue
      draw([], "")
      return answer
    }
  }
})
