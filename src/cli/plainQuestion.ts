/**
 * An approval question on a terminal without a screen: printed once, answered by one line. Owns: what a line means.
 * Invariants: only a line that was typed after the question stood there answers it; only `y`, and `s` with an offered
 * grant, allow; an empty line, the end of input and everything else refuse (SECURITY P15, P16), but a line that begins
 * with `/` is a command: it answers nothing, and `/exit` leaves.
 */
import { Effect, Queue } from "effect"
import type { ApprovalRequest } from "../domain/Approval.ts"
import { type ApprovalOptions, answerLines, approvalLines, explainedLines, keysLine } from "./ApprovalView.ts"
import type { Locale } from "./Commands.ts"
import { Output } from "./Output.ts"
import { type Answered, SETTLE_MS } from "./question.ts"
import { apart } from "./soleKey.ts"

export type Said =
  | { readonly kind: "line"; readonly text: string }
  | { readonly kind: "interrupt" }
  | { readonly kind: "end" }

const recovery = { r: "retry", x: "stop" } as const

/** What a line answers: `y`, `s`, `s 2`, `n why not`; for an interrupted call `r`, `k`, `x`. */
export const readAnswer = (line: string, request: ApprovalRequest): Answered => {
  const [, word = "", rest = ""] = /^\s*(\p{L}*)\s*(.*?)\s*$/su.exec(line) ?? []
  const letter = word.toLowerCase()
  if (request.kind === "recovery") return { decision: letter === "r" || letter === "x" ? recovery[letter] : "skip" }
  if ((letter === "y" || letter === "yes") && rest === "") return { decision: "allow_once" }
  const option = request.grant_options[/^[1-9]$/.test(rest) ? Number(rest) - 1 : rest === "" ? 0 : -1]
  if (letter === "s" && option !== undefined) return { decision: "allow_session", grant_option: option.id }
  return letter === "n" && rest !== "" ? { decision: "deny", reason: rest } : { decision: "deny" }
}

/** The next thing said; the end of input stays for whoever asks after it. */
export const next = (said: Queue.Queue<Said>): Effect.Effect<Said> =>
  Effect.tap(Queue.take(said), (one) => (one.kind === "end" ? Queue.offer(said, one) : Effect.void))

/** Takes away what was typed before the question could be read; true where that was something. */
const dropEarly = (said: Queue.Queue<Said>) =>
  Effect.flatMap(Queue.clear(said), (early) =>
    Effect.as(
      early.some(({ kind }) => kind === "end") ? Queue.offer(said, { kind: "end" }) : Effect.void,
      early.some(({ kind }) => kind === "line")
    )
  )

/**
 * The next thing said, once it is certain that no line comes right behind it: then all of them are a paste, which is
 * asked again about (`undefined`).
 */
const sole = (said: Queue.Queue<Said>): Effect.Effect<Said | undefined> =>
  Effect.flatMap(next(said), (one) => {
    if (one.kind !== "line" || one.text.trim().startsWith("/")) return Effect.succeed(one)
    return Effect.map(Effect.andThen(apart, dropEarly(said)), (pasted) => (pasted ? undefined : one))
  })

/** What is left of a paste, until it is quiet. */
const dropPaste = (said: Queue.Queue<Said>): Effect.Effect<void> =>
  Effect.flatMap(Effect.andThen(Effect.sleep(SETTLE_MS), dropEarly(said)), (more) =>
    more ? dropPaste(said) : Effect.void
  )

const hints = {
  en: "Answer first, or /exit to leave.",
  "zh-CN": "请先回答，或用 /exit 退出。"
} as const

/** What any terminal shows at least. */
const ROWS = 24

/** Asks, and waits for a line; `undefined` where `resolved` came first: somebody else answered, or time did. */
export const askPlain = Effect.fnUntraced(function* (
  request: ApprovalRequest,
  said: Queue.Queue<Said>,
  resolved: Effect.Effect<unknown>,
  locale: Locale,
  place: Pick<ApprovalOptions, "place"> = {}
) {
  const output = yield* Output
  yield* dropEarly(said)
  const columns = output.columns()
  const options = { columns, color: false, locale, expanded: true, explained: false, rows: ROWS, ...place }
  yield* output.out(`${approvalLines(request, options).join("\n")}\n? `)
  yield* Effect.sleep(SETTLE_MS)
  // A line that came too early is no answer: the mark comes again, so that nobody waits for it.
  if (yield* dropEarly(said)) yield* output.out("? ")
  for (;;) {
    const answer = yield* Effect.raceFirst(sole(said), Effect.as(resolved, "resolved" as const))
    if (answer === "resolved") return void (yield* output.out("\n"))
    if (answer === undefined) {
      yield* dropPaste(said)
      yield* output.out("? ")
      continue
    }
    const text = answer.kind === "line" ? answer.text.trim() : ""
    if (/^e(?:xplain)?$/i.test(text)) {
      const lines = explainedLines(request, options)
      const keys = lines.length < ROWS ? [keysLine(request, locale)] : answerLines(request, options)
      yield* output.out(`${[...lines, ...keys].join("\n")}\n? `)
      continue
    }
    if (!text.startsWith("/")) return readAnswer(text, request)
    if (/^\/(?:exit|quit)$/i.test(text)) return "leave" as const
    yield* output.out(`${hints[locale]}\n? `)
  }
})
