/**
 * What a person would be shown or could answer, for `claw policy check`: corpus kind `terminal`. Owns: which of the
 * terminal's own functions answers for which place. Invariant: a text that had to be changed to be shown never passes as
 * "allow", and nothing typed or pasted early is an answer (SECURITY P15, P16).
 */
import type { ApprovalRequest } from "../domain/Approval.ts"
import type { CallId, RequestId } from "../domain/Ids.ts"
import { subjectText } from "./ApprovalView.ts"
import type { Input } from "./Keyboard.ts"
import * as Question from "./question.ts"
import { makeSanitiser, revealLine, sanitise } from "./Sanitise.ts"

export interface Displayed {
  readonly verdict: "allow" | "ask" | "deny"
  readonly reasons: ReadonlyArray<string>
  readonly shown: string
  /** The text shown is not the text given: something in it was made visible. */
  readonly sanitised?: true
}

const question: ApprovalRequest = {
  request_id: "req_shown" as RequestId,
  kind: "tool",
  call_id: "call_shown" as CallId,
  tool_name: "bash",
  content: "{}",
  risk: "dangerous",
  reason: "",
  grant_options: []
}

const shownAs = (input: string, shown: string): Displayed =>
  shown === input
    ? { verdict: "allow", reasons: ["it is shown as it is"], shown }
    : { verdict: "ask", reasons: ["what does not show by itself was made visible"], shown, sanitised: true }

const keysOf = (input: string): ReadonlyArray<Input> =>
  Array.from(input, (char) => ({ kind: "key", name: char === "\n" ? "enter" : char, text: char === "\n" ? "" : char }))

/** Keys at a question, `after` milliseconds behind its appearance. */
const typed = (input: string, after: number): Displayed => {
  let open = Question.ask(question, 0)
  let now = after
  for (const key of keysOf(input)) {
    const pressed = Question.press(open, key, now)
    now += Question.APART_MS
    const step = "answer" in pressed ? pressed : Question.settle(pressed.question, now)
    if (!("answer" in step)) {
      open = step.question
      continue
    }
    const allows = step.answer.decision === "allow_once" || step.answer.decision === "allow_session"
    return {
      verdict: allows ? "allow" : "deny",
      reasons: [`the answer is ${step.answer.decision}`],
      shown: sanitise(input)
    }
  }
  return { verdict: "ask", reasons: ["nothing of it was an answer; the question still waits"], shown: sanitise(input) }
}

/** In pieces of one code unit: how a stream is cut must change nothing. */
const streamed = (input: string): string => {
  const sanitiser = makeSanitiser()
  return input.split("").map(sanitiser.push).join("") + sanitiser.flush()
}

export const commandText = (command: string): string =>
  subjectText({ ...question, preview: { kind: "command", command, parts: [] } })

export const display = (input: string, where: string): Displayed => {
  if (/before/.test(where)) return typed(input, -50)
  if (/stdin/.test(where)) return typed(input, Question.SETTLE_MS)
  if (/title/.test(where)) return shownAs(input, revealLine(input))
  if (/argument/.test(where)) return shownAs(input, commandText(input))
  return shownAs(input, streamed(input))
}
