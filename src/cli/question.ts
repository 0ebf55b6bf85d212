/**
 * A person's way through one approval question, pure. Owns: which key means what, and that nothing typed before the
 * question was seen, and nothing that is a paste, can answer it (LESSONS 50, SECURITY P15, P16).
 * Invariants: only `y`, and `s` with an offered grant, allow; an empty answer, escape and everything else never do; a
 * line that begins with `/` is a command here too, never an answer or its reason.
 */
import type { Answer, ApprovalRequest } from "../domain/Approval.ts"
import type { Input } from "./Keyboard.ts"
import { clusters } from "./Width.ts"

export interface Question {
  readonly request: ApprovalRequest
  /** Keys count from here on, milliseconds; each that comes earlier was meant for something else and moves it. */
  readonly open_at: number
  /** A line was being typed when the question came: early keys still belong to it. */
  readonly typing: boolean
  readonly expanded: boolean
  /** `e` was the last key. */
  readonly fresh?: boolean
  /** What came last was no answer, and whoever pressed it should know. */
  readonly untaken?: boolean
  /** When a key last came, milliseconds. */
  readonly pressed_at?: number
  /** The answer of a key that counts once it has stayed alone: `settle`. */
  readonly pending?: Answered
  readonly phase:
    | { readonly kind: "choose" }
    | { readonly kind: "grant" }
    /** Typing the reason of a refusal. */
    | { readonly kind: "reason"; readonly text: string }
    /** Typing a command; the question stays open. */
    | { readonly kind: "command"; readonly text: string }
    /** The answer is on its way; keys mean nothing until the question is gone. */
    | { readonly kind: "answered" }
}

export interface Answered {
  readonly decision: Answer
  readonly grant_option?: string
  readonly reason?: string
}

/**
 * `command`: a line that begins with `/`, to be done while the question stays; `prompt`: a line that takes the place of
 * the question.
 */
export type Step =
  | { readonly question: Question; readonly command?: string; readonly prompt?: string }
  | { readonly answer: Answered }

/** Milliseconds in which a key is one that was typed before the question was seen. */
export const SETTLE_MS = 500
/** Milliseconds: keys that follow each other faster are a paste. An answer waits for so long whether it stays alone. */
export const APART_MS = 30
/** Milliseconds of silence that end what somebody was typing when the question came. */
export const TYPING_MS = 600

/** `typing`: a line was being typed just before. */
export const ask = (request: ApprovalRequest, now: number, typing = false): Question => ({
  request,
  open_at: now + (typing ? TYPING_MS : SETTLE_MS),
  typing,
  expanded: false,
  phase: { kind: "choose" }
})

/** Whether a key comes too early to be an answer. */
export const isEarly = (question: Question, now: number): boolean => now < question.open_at

const deny: Step = { answer: { decision: "deny" } }

const recovery: Readonly<Record<string, Answer>> = { r: "retry", k: "skip", x: "stop" }

const commanding = (question: Question, text: string): Step => ({
  question: { ...question, phase: { kind: "command", text } }
})

const choose = (question: Question, name: string): Step => {
  switch (name.toLowerCase()) {
    case "/":
      return commanding(question, "/")
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
      return { question: { ...question, expanded: !question.expanded, fresh: true } }
    case "enter":
      // `e` and Enter ask for the explanation, as a line would: that is no empty answer.
      return question.fresh === true ? { question: { ...question, fresh: false } } : deny
    case "escape":
    case "ctrl+d":
      return deny
    default:
      return { question }
  }
}

const grant = (question: Question, name: string): Step => {
  const options = question.request.grant_options
  const chosen = /^[1-9]$/.test(name) ? options[Number(name) - 1] : undefined
  if (chosen !== undefined) return { answer: { decision: "allow_session", grant_option: chosen.id } }
  const back = name === "escape" || name === "enter"
  return back ? { question: { ...question, phase: { kind: "choose" } } } : { question }
}

type Key = Extract<Input, { kind: "key" }>

const edited = (text: string, { name, text: typed }: Key): string =>
  name === "backspace" ? clusters(text).slice(0, -1).join("") : text + typed

const reason = (question: Question, text: string, input: Key): Step => {
  if (input.name === "enter" || input.name === "escape") {
    const given = input.name === "enter" ? text.trim() : ""
    if (given.startsWith("/")) return { question: { ...question, phase: { kind: "choose" } }, command: given }
    return { answer: { decision: "deny", ...(given === "" ? {} : { reason: given }) } }
  }
  return { question: { ...question, phase: { kind: "reason", text: edited(text, input) } } }
}

const command = (question: Question, text: string, input: Key): Step => {
  const open: Question = { ...question, phase: { kind: "choose" } }
  if (input.name === "enter") return { question: open, command: text.trim() }
  const next = input.name === "escape" ? "" : edited(text, input)
  return next === "" ? { question: open } : commanding(question, next)
}

const typedSoFar = ({ phase }: Question): string => (phase.kind === "command" ? phase.text : "")

/** What a whole line says about a call that was cut off; every other one is a new prompt. */
const lineOfRecovery = (open: Question, line: string): Step => {
  const word = line.toLowerCase()
  if (line === "") return { question: open }
  if (line.startsWith("/")) return { question: open, command: line }
  if (word === "e") return { question: { ...open, expanded: !open.expanded } }
  const decision = Object.hasOwn(recovery, word) ? recovery[word] : undefined
  return decision === undefined ? { question: open, prompt: line } : { answer: { decision } }
}

/** Here a line answers and no single key: whoever begins to type a prompt has not decided anything (SETTLED 14). */
const recover = (question: Question, input: Key): Step => {
  const [text, open] = [typedSoFar(question), { ...question, phase: { kind: "choose" } } as const]
  if (question.phase.kind === "answered") return { question }
  if (input.name === "enter") return lineOfRecovery(open, text.trim())
  if (input.name === "ctrl+d" && text === "") return { question: open, command: "/exit" }
  const next = input.name === "escape" ? "" : edited(text, input)
  return next === "" ? { question: open } : commanding(question, next)
}

const pressRecovery = (question: Question, input: Input, now: number): Step => {
  if (isEarly(question, now)) return { question: closed(question, now) }
  const { pressed_at = Number.NEGATIVE_INFINITY } = question
  if (input.kind === "paste") return commanding({ ...question, pressed_at: now }, typedSoFar(question) + input.text)
  // The end of a line that came with it is a paste's.
  const pasted = input.name === "enter" && (input.together === true || now - pressed_at < APART_MS)
  return pasted ? { question: { ...question, pressed_at: now } } : recover({ ...question, pressed_at: now }, input)
}

const isChoosing = ({ phase }: Question): boolean => phase.kind === "choose" || phase.kind === "grant"

/**
 * Keys that come in one read, or faster than anybody presses them, are a paste without brackets: text for a line that is
 * being typed, and no answer.
 */
const isPasted = (question: Question, input: Input, now: number): boolean => {
  if (input.kind === "paste") return true
  const { pressed_at = Number.NEGATIVE_INFINITY } = question
  return isChoosing(question) && (input.together === true || now - pressed_at < APART_MS)
}

/** Closed for a while; what was chosen so far counts for nothing. */
const closed = ({ pending: _, ...question }: Question, now: number): Question => ({
  ...question,
  untaken: !question.typing,
  ...(question.phase.kind === "grant" ? { phase: { kind: "choose" } } : {}),
  pressed_at: now,
  open_at: Math.max(question.open_at, now + TYPING_MS)
})

const step = (question: Question, input: Key): Step => {
  switch (question.phase.kind) {
    case "choose":
      return choose(question, input.name)
    case "grant":
      return grant(question, input.name)
    case "reason":
      return reason(question, question.phase.text, input)
    case "command":
      return command(question, question.phase.text, input)
    case "answered":
      return { question }
  }
}

/** What an input does. Pastes and early keys do nothing but keep the question closed for longer. */
export const press = (question: Question, input: Input, now: number): Step => {
  if (question.request.kind === "recovery") return pressRecovery(question, input, now)
  if (input.kind === "paste" || isPasted(question, input, now) || isEarly(question, now)) {
    return { question: closed(question, now) }
  }
  const { pending: _, untaken: __, ...open } = question
  const done = step({ ...open, pressed_at: now }, input)
  if (!("answer" in done) || !isChoosing(question)) return done
  return { question: { ...open, pressed_at: now, pending: done.answer } }
}

/** The answer of a key that stayed alone, once that is certain. */
export const settle = (question: Question, now: number): Step => {
  const { pending, pressed_at = now } = question
  return pending !== undefined && now - pressed_at >= APART_MS ? { answer: pending } : { question }
}

/** The question after its answer was given: once. */
export const answered = ({ pending: _, ...question }: Question): Question => ({
  ...question,
  phase: { kind: "answered" }
})
