/**
 * A person's way through one approval question, pure. Owns: which key means what, and that nothing typed before the
 * question was seen can answer it (LESSONS 50, SECURITY P15, P16).
 * Invariant: only `y`, and `s` with an offered grant, allow; an empty answer, escape and everything else never do.
 */
import type { Answer, ApprovalRequest } from "../domain/Approval.ts"
import type { Input } from "./Keyboard.ts"

export interface Question {
  readonly request: ApprovalRequest
  /** Milliseconds; keys count from `SETTLE_MS` later on. */
  readonly drawn_at: number
  readonly expanded: boolean
  readonly phase:
    | { readonly kind: "choose" }
    | { readonly kind: "grant" }
    /** Typing the reason of a refusal. */
    | { readonly kind: "reason"; readonly text: string }
}

export interface Answered {
  readonly decision: Answer
  readonly grant_option?: string
  readonly reason?: string
}

export type Step = { readonly question: Question } | { readonly answer: Answered }

/** Milliseconds in which a key is one that was meant for something else. */
export const SETTLE_MS = 150

export const ask = (request: ApprovalRequest, now: number): Question => ({
  request,
  drawn_at: now,
  expanded: false,
  phase: { kind: "choose" }
})

const deny: Step = { answer: { decision: "deny" } }

const choose = (question: Question, name: string): Step => {
  switch (name.toLowerCase()) {
    case "y":
      return { answer: { decision: "allow_once" } }
    case "s": {
      const [first, second] = question.request.grant_options
      if (first === undefined) return { question }
      if (second === undefined) return { answer: { decision: "allow_session", grant_option: first.id } }
      return { question: { ...question, phase: { kind: "grant" } } }
    }
    case "n":
      return { question: { ...question, phase: { kind: "reason", text: "" } } }
    case "e":
      return { question: { ...question, expanded: !question.expanded } }
    case "enter":
    case "escape":
    case "ctrl+d":
      return deny
    default:
      return { question }
  }
}

const grant = (question: Question, name: string): Step => {
  const options = question.request.grant_options
  const chosen = name === "enter" ? options[0] : /^[1-9]$/.test(name) ? options[Number(name) - 1] : undefined
  if (chosen !== undefined) return { answer: { decision: "allow_session", grant_option: chosen.id } }
  return name === "escape" ? { question: { ...question, phase: { kind: "choose" } } } : { question }
}

const reason = (question: Question, text: string, input: Extract<Input, { kind: "key" }>): Step => {
  if (input.name === "enter" || input.name === "escape") {
    const given = input.name === "enter" ? text.trim() : ""
    return { answer: { decision: "deny", ...(given === "" ? {} : { reason: given }) } }
  }
  const next = input.name === "backspace" ? Array.from(text).slice(0, -1).join("") : text + input.text
  return { question: { ...question, phase: { kind: "reason", text: next } } }
}

/** What an input does. Pastes and early keys do nothing. */
export const press = (question: Question, input: Input, now: number): Step => {
  if (input.kind === "paste" || now - question.drawn_at < SETTLE_MS) return { question }
  switch (question.phase.kind) {
    case "choose":
      return choose(question, input.name)
    case "grant":
      return grant(question, input.name)
    case "reason":
      return reason(question, question.phase.text, input)
  }
}
