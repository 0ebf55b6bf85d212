/**
 * Asks the person at the terminal whether a directory is trusted, before anything of it takes effect. Owns: which key
 * means what. Invariants: only `y` trusts; a paste, and a key that comes before the question was seen, answers nothing
 * and keeps it closed for longer (SECURITY P15, P16); what is bound is what was shown.
 */
import { Effect } from "effect"
import type { Standing } from "../config/WorkspaceTrust.ts"
import type { Locale } from "./Commands.ts"
import { soleKeys } from "./soleKey.ts"
import { Terminal } from "./Terminal.ts"
import { contentLines, questionLines, trustTexts } from "./TrustView.ts"
import { wrap } from "./Width.ts"

/** `leave`: the person left, or the terminal went away. */
export type TrustAnswered = "trusted" | "declined" | "leave"

const meanings: Readonly<Record<string, TrustAnswered>> = {
  y: "trusted",
  n: "declined",
  enter: "declined",
  escape: "declined",
  "ctrl+c": "leave",
  "ctrl+d": "leave"
}

export const askTrust = Effect.fnUntraced(function* (standing: Standing, locale: Locale) {
  const terminal = yield* Terminal
  const text = trustTexts[locale]
  const draw = (settled: ReadonlyArray<string>, live: string) => {
    const columns = terminal.columns()
    const lines = wrap(live, columns)
    const row = lines.length - 1
    terminal.draw({ settled: settled.flatMap((line) => wrap(line, columns)), live: lines, cursor: { row, column: 0 } })
  }
  draw(["", ...questionLines(standing, locale)], text.keys)
  const key = yield* soleKeys(terminal, (name) => Object.hasOwn(meanings, name))
  for (;;) {
    const heard = yield* key
    if (heard.kind === "end") return "leave" as const
    if (heard.kind === "resize") draw([], text.keys)
    else {
      if (heard.name === "e") draw(contentLines(standing, locale), text.keys)
      const answer = Object.hasOwn(meanings, heard.name) ? meanings[heard.name] : undefined
      if (answer === undefined) continue
      draw(answer === "leave" ? [] : [text.answered[answer]], "")
      return answer
    }
  }
})
