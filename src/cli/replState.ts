/**
 * What the terminal does with each key and each event of the session: pure, (state, happening) → state and actions.
 * Owns: which line is a command, what Ctrl-C means when, which question is open. The effects are thin around it.
 * Invariants: while a question is open the line being typed is kept, and gets only keys that were meant for it; a line
 * that begins with `/` never reaches the model (R086, R089); Ctrl-C never ends the program while a task runs (R092).
 */
import type { ApprovalRequest } from "../domain/Approval.ts"
import type { SessionEvent } from "../domain/Event.ts"
import type { PromptId } from "../domain/Ids.ts"
import type { Input } from "./Keyboard.ts"
import { complete } from "./completion.ts"
import { type Calls, noCalls, withCall } from "./ApprovalView.ts"
import * as LineEditor from "./lineEditor.ts"
import * as Picker from "./picker.ts"
import * as Question from "./question.ts"
import * as Transcript from "./Transcript.ts"
import { nothingWritten, type WrittenByPeople, writtenPrompt } from "./WrittenByPeople.ts"

export interface ReplState {
  readonly editor: LineEditor.Editor
  readonly view: Transcript.View
  readonly asked: ReadonlyArray<ApprovalRequest>
  readonly calls: Calls
  readonly question: Question.Question | undefined
  /** A choice that a command asked for; a question comes before it. */
  readonly picker: Picker.Picker | undefined
  /** A prompt is on its way to the session. */
  readonly submitting: boolean
  /** When Ctrl-C was last pressed at an empty, idle prompt, milliseconds. */
  readonly leaving_at: number | undefined
  /** When a key last changed the line being typed, milliseconds; absent: since it was sent, none did. */
  readonly typed_at: number | undefined
  /** What Tab could complete to. */
  readonly choices: ReadonlyArray<string>
  /** Prompts that were sent while a task ran, and still wait. */
  readonly waiting: ReadonlyArray<PromptId>
}

export type Action =
  | { readonly kind: "prompt"; readonly content: string; readonly when_busy: "reject" | "queue" }
  | { readonly kind: "command"; readonly name: string; readonly argument: string }
  | { readonly kind: "interrupt" }
  | { readonly kind: "answer"; readonly request: ApprovalRequest; readonly answered: Question.Answered }
  | { readonly kind: "remember"; readonly text: string }
  | { readonly kind: "exit" }

export interface Surroundings {
  /** Milliseconds. */
  readonly now: number
  readonly history: ReadonlyArray<string>
  readonly commands: ReadonlyArray<string>
  readonly workspace: string
  /** Prompts that have a name; absent: none. */
  readonly written?: WrittenByPeople
  /** Ids of what is granted; absent: not known. */
  readonly grants?: ReadonlyArray<string>
}

export interface Stepped {
  readonly state: ReplState
  readonly actions: ReadonlyArray<Action>
}

/** Milliseconds in which a second Ctrl-C at the empty prompt leaves. */
export const LEAVE_MS = 2_000

export const initial: ReplState = {
  editor: LineEditor.empty,
  view: Transcript.initial,
  asked: [],
  calls: noCalls,
  question: undefined,
  picker: undefined,
  submitting: false,
  leaving_at: undefined,
  typed_at: undefined,
  choices: [],
  waiting: []
}

const only = (state: ReplState, ...actions: ReadonlyArray<Action>): Stepped => ({ state, actions })

export const isBusy = (state: ReplState): boolean => state.submitting || state.view.task !== undefined

const withNextQuestion = (state: ReplState, now: number): ReplState => {
  const [next] = state.asked
  if (state.question?.request.request_id === next?.request_id) return state
  const typing = state.typed_at !== undefined && now - state.typed_at < Question.TYPING_MS
  return { ...state, question: next === undefined ? undefined : Question.ask(next, now, typing) }
}

const resolves = (event: SessionEvent, request: ApprovalRequest): boolean => {
  switch (event.type) {
    case "approval_resolved":
    case "tool_result":
      return event.call_id === request.call_id
    case "task_completed":
    case "task_canceled":
    case "task_failed":
      return true
    default:
      return false
  }
}

const wait = (waiting: ReplState["waiting"], event: SessionEvent): ReplState["waiting"] => {
  switch (event.type) {
    case "prompt_queued":
      return waiting.concat(event.prompt_id)
    case "prompt_unqueued":
    case "prompt_steered":
    case "task_started":
      return waiting.filter((id) => id !== event.prompt_id)
    default:
      return waiting
  }
}

/** Folds what the session said. */
export const onEvents = (state: ReplState, events: ReadonlyArray<SessionEvent>, now: number): ReplState => {
  let { calls, view, submitting, waiting } = state
  let asked = Array.from(state.asked)
  for (const event of events) {
    view = Transcript.reduce(view, event)
    if (event.type === "task_started" || event.type === "prompt_queued") submitting = false
    waiting = wait(waiting, event)
    calls = withCall(calls, event)
    if (event.type === "approval_request") asked.push(event)
    else asked = asked.filter((request) => !resolves(event, request))
  }
  return withNextQuestion({ ...state, view, asked, calls, submitting, waiting }, now)
}

/** A line that begins with `/`. */
const commandOf = (line: string): Action => {
  const [name = "", ...rest] = line.slice(1).split(/\s+/)
  return { kind: "command", name, argument: rest.join(" ") }
}

/** It takes the place of the question, whose task it ends. */
const promptOf = (content: string): ReadonlyArray<Action> => [
  { kind: "remember", text: content },
  { kind: "prompt", content, when_busy: "reject" }
]

const submit = (state: ReplState, { written = nothingWritten }: Surroundings): Stepped => {
  const text = LineEditor.textOf(state.editor)
  const content = text.trim()
  const filled = writtenPrompt(content, written)
  const cleared = { ...state, typed_at: undefined, editor: { ...LineEditor.empty, killed: state.editor.killed } }
  if (content === "") return only(cleared)
  const remember: Action = { kind: "remember", text }
  if (filled === undefined && content.startsWith("/") && !content.includes("\n")) {
    return only(cleared, remember, commandOf(content))
  }
  // A task may have begun that has not been shown yet: what was typed then waits for its turn and is not lost.
  return only({ ...cleared, submitting: !isBusy(state) || state.submitting }, remember, {
    kind: "prompt",
    content: filled ?? text,
    when_busy: "queue"
  })
}

const onInterrupt = (state: ReplState, now: number): Stepped => {
  if (isBusy(state)) return only(state, { kind: "interrupt" })
  if (LineEditor.textOf(state.editor) !== "") return only({ ...state, editor: LineEditor.empty, leaving_at: undefined })
  if (state.leaving_at !== undefined && now - state.leaving_at < LEAVE_MS) return only(state, { kind: "exit" })
  return only({ ...state, leaving_at: now })
}

const onTab = (state: ReplState, { commands, grants, workspace }: Surroundings): Stepped => {
  const found = complete(state.editor.before.join(""), commands, workspace, grants)
  if (found === undefined) return only({ ...state, choices: [] })
  const after = state.editor.after
  const editor = { ...LineEditor.withText(state.editor, found.text), after }
  return only({ ...state, editor, choices: found.choices })
}

const onStep = (state: ReplState, question: Question.Question, step: Question.Step): Stepped => {
  if ("question" in step) return only({ ...state, question: step.question })
  const answer: Action = { kind: "answer", request: question.request, answered: step.answer }
  return only({ ...state, question: Question.answered(question) }, answer)
}

/** Time has gone by: an answer that stayed alone is given. */
export const onTick = (state: ReplState, now: number): Stepped =>
  state.question === undefined ? only(state) : onStep(state, state.question, Question.settle(state.question, now))

/** There is an answer that waits for `onTick`. */
export const isSettling = ({ question }: ReplState): boolean => question?.pending !== undefined

const onQuestion = (state: ReplState, question: Question.Question, input: Input, now: number): Stepped => {
  const step = Question.press(question, input, now)
  if ("question" in step) {
    const goesOn = question.typing && Question.isEarly(question, now)
    const editor = goesOn ? LineEditor.insert(state.editor, input.text) : state.editor
    const commands = step.command === undefined ? [] : [commandOf(step.command)]
    const prompts = step.prompt === undefined ? [] : promptOf(step.prompt)
    return only({ ...state, editor, question: step.question }, ...commands, ...prompts)
  }
  return onStep(state, question, step)
}

const onKey = (state: ReplState, key: Extract<Input, { kind: "key" }>, around: Surroundings): Stepped => {
  if (key.name === "tab") return onTab(state, around)
  const plain = { ...state, choices: [], leaving_at: undefined }
  if (key.name === "enter") {
    const more = LineEditor.continued(state.editor)
    return more === undefined ? submit(plain, around) : only({ ...plain, editor: more })
  }
  const empty = LineEditor.textOf(state.editor) === ""
  if (key.name === "ctrl+d" && empty) return isBusy(state) ? only(state) : only(state, { kind: "exit" })
  const editor = LineEditor.press(state.editor, key, around.history)
  return only(editor === undefined ? plain : { ...plain, editor, typed_at: around.now })
}

const onPicker = (state: ReplState, picker: Picker.Picker, input: Input): Stepped => {
  const step = Picker.press(picker, input)
  if ("picker" in step) return only({ ...state, picker: step.picker })
  const left = { ...state, picker: undefined }
  return "chosen" in step ? only(left, { kind: "command", ...step.chosen.command }) : only(left)
}

/** A command wants one of several. */
export const onPick = (state: ReplState, pick: Picker.Pick): ReplState => ({ ...state, picker: Picker.open(pick) })

/** What an input does. */
export const onInput = (state: ReplState, input: Input, around: Surroundings): Stepped => {
  if (state.question === undefined && state.picker !== undefined) return onPicker(state, state.picker, input)
  if (input.kind === "key" && input.name === "ctrl+c") return onInterrupt(state, around.now)
  if (state.question !== undefined) return onQuestion(state, state.question, input, around.now)
  if (input.kind === "paste")
    return only({ ...state, editor: LineEditor.insert(state.editor, input.text), choices: [] })
  return onKey(state, input, around)
}

/** The prompt was not taken: it is on its way no longer. */
export const refused = (state: ReplState): ReplState => ({ ...state, submitting: false })
