/**
 * From a session's events to what a person sees of them. Pure; owns the view and its changes, its lines are
 * transcriptLines'. Invariants: an item once settled never changes and none is taken away, so that it can be printed
 * into the scrollback once; replayed facts alone give the same items as the live run, but for live output's last lines
 * (R090, R094).
 */
import type { Durable, SessionEvent, StateName, Waits } from "../domain/Event.ts"
import { announcement } from "../domain/FromClaw.ts"
import { none, type Usage } from "../domain/Usage.ts"
import { SUBAGENT } from "../tools/SubagentRunner.ts"
import { type InBackground, inBackground, type Inner, innerWithin, isWithin } from "./transcriptBelow.ts"
import { type Answer, begin, complete, extend, type Piece } from "./transcriptAnswer.ts"

export { render, type Rendered, type TranscriptOptions } from "./transcriptLines.ts"

export interface RunningTool {
  readonly call_id: string
  readonly tool_name: string
  readonly content: string
  readonly phase: "waiting" | "approval" | "running"
  readonly startedAt: number
  /** The last part of its live output. */
  readonly output: string
  readonly received: number
  /** What a subagent did last: its calls and words. */
  readonly inner: ReadonlyArray<Inner>
}

type Terminal = Durable<"task_completed"> | Durable<"task_canceled"> | Durable<"task_failed">

/** Said of an answer where it ends, or of the conversation. */
export type Note = "superseded" | "interrupted" | "broken" | "overlong" | "filtered" | "cleared"

export type Item =
  | { readonly kind: "prompt"; readonly text: string; readonly queued: boolean }
  | ({ readonly kind: "text" } & Piece)
  | { readonly kind: "thought"; readonly ms?: number; readonly text: string }
  | { readonly kind: "tool"; readonly call: RunningTool; readonly result: Durable<"tool_result"> }
  | { readonly kind: "note"; readonly note: Note }
  | { readonly kind: "standsIn"; readonly model: string; readonly code: string }
  | { readonly kind: "restored"; readonly event: Durable<"files_restored"> }
  | { readonly kind: "hookFailed"; readonly hook: string; readonly reason: string }
  | { readonly kind: "unrecorded"; readonly reason: Durable<"checkpoint_skipped">["reason"] }
  | {
      readonly kind: "compacted"
      readonly before: number
      readonly after: number
      readonly summarised: boolean
      readonly digest?: string
    }
  | { readonly kind: "end"; readonly event: Terminal; readonly ms?: number }

export interface View {
  readonly items: ReadonlyArray<Item>
  readonly answer: Answer | undefined
  /** The model has said its last word: what still goes on is no thinking. */
  readonly answered: boolean
  readonly thinking:
    | { readonly text: string; readonly received: number; readonly since: number; readonly last: number }
    | undefined
  readonly thoughtShown: boolean
  readonly tools: ReadonlyArray<RunningTool>
  readonly background: ReadonlyArray<InBackground>
  readonly state: StateName
  readonly waits: Waits | undefined
  readonly task: { readonly task_id: string; readonly since: number; readonly usage: Usage } | undefined
  readonly retry:
    | { readonly attempt: number; readonly code: string; readonly until: number; readonly message?: string }
    | undefined
}

export const initial: View = {
  items: [],
  answer: undefined,
  answered: false,
  thinking: undefined,
  thoughtShown: false,
  tools: [],
  background: [],
  state: "idle",
  waits: undefined,
  task: undefined,
  retry: undefined
}

// Enough for the lines that are shown of what still runs.
const KEPT = 4_000

const add = (view: View, ...items: ReadonlyArray<Item>): View =>
  items.length === 0 ? view : { ...view, items: [...view.items, ...items] }

const texts = (pieces: ReadonlyArray<Piece>): ReadonlyArray<Item> => pieces.map((piece) => ({ kind: "text", ...piece }))

/** Settles the reasoning, once a turn. */
const thought = (view: View, reasoning: string | undefined, at: number): View => {
  const { thinking } = view
  const text = thinking?.text ?? reasoning ?? ""
  if (view.thoughtShown || text.trim() === "") return { ...view, thinking: undefined }
  const ms = thinking === undefined ? {} : { ms: Math.max(thinking.last, at) - thinking.since }
  return {
    ...add(view, { kind: "thought", text: text.slice(0, KEPT), ...ms }),
    thinking: undefined,
    thoughtShown: true
  }
}

const withTool = (view: View, call_id: string, change: (tool: RunningTool) => Partial<RunningTool>): View => ({
  ...view,
  tools: view.tools.map((tool) => (tool.call_id === call_id ? { ...tool, ...change(tool) } : tool))
})

const onText = (view: View, event: Extract<SessionEvent, { type: "text_delta" }>, at: number): View => {
  const said = thought(view, undefined, at)
  const current = said.answer?.stream_id === event.stream_id ? said.answer : begin(event.stream_id)
  const { answer, pieces } = extend(current, event.offset, event.content)
  return { ...add(said, ...texts(pieces)), answer, retry: undefined }
}

const onThinking = (view: View, event: Extract<SessionEvent, { type: "thinking_delta" }>, at: number): View => {
  const known = view.thinking ?? { text: "", received: 0, since: at, last: at }
  const fresh = event.content.slice(Math.max(0, known.received - event.offset))
  const text = (known.text + fresh).slice(-KEPT)
  const received = Math.max(known.received, event.offset + event.content.length)
  return { ...view, thinking: { text, received, since: known.since, last: at }, retry: undefined }
}

/** How an answer that had begun ended before the model's last word; a person's interrupt is no failure. */
export const cutNote = (event: Durable<"text_completed">): Note | undefined => {
  const { content, finish_reason, partial, reasoning = "" } = event
  const [empty, cancelled] = [content.trim() === "", finish_reason === "cancelled"]
  if (partial === true) return empty && !(cancelled && reasoning) ? undefined : cancelled ? "interrupted" : "broken"
  if (finish_reason === "length") return "overlong"
  return finish_reason === "content_filter" ? "filtered" : undefined
}

const onCompleted = (view: View, event: Durable<"text_completed">, at: number): View => {
  const said = thought(view, event.reasoning, at)
  const answer = said.answer?.stream_id === event.stream_id ? said.answer : undefined
  const { pieces, replaces } = complete(answer, event.content)
  const superseded: ReadonlyArray<Item> = replaces ? [{ kind: "note", note: "superseded" }] : []
  const note = cutNote(event)
  const cut: ReadonlyArray<Item> = note === undefined ? [] : [{ kind: "note", note }]
  return {
    ...add(said, ...superseded, ...texts(pieces), ...cut),
    answer: undefined,
    answered: event.finish_reason === "stop",
    retry: undefined
  }
}

const onResult = (view: View, event: Durable<"tool_result">, at: number): View => {
  const unknown: RunningTool = {
    call_id: event.call_id,
    tool_name: event.tool_name,
    content: "",
    phase: "running",
    startedAt: at,
    output: "",
    received: 0,
    inner: []
  }
  const call = view.tools.find((tool) => tool.call_id === event.call_id) ?? unknown
  const tools = view.tools.filter((tool) => tool.call_id !== event.call_id)
  return { ...add(view, { kind: "tool", call, result: event }), tools }
}

const onEnd = (view: View, event: Terminal, at: number): View => {
  const ms = view.task === undefined ? {} : { ms: at - view.task.since }
  return { ...initial, items: [...view.items, { kind: "end", event, ...ms }] }
}

const grown = (tool: RunningTool, { content, offset }: { readonly content: string; readonly offset: number }) => ({
  output: (tool.output + content.slice(Math.max(0, tool.received - offset))).slice(-KEPT),
  received: Math.max(tool.received, offset + content.length)
})

const onLive = (view: View, event: SessionEvent, at: number): View | undefined => {
  switch (event.type) {
    case "text_delta":
      return onText(view, event, at)
    case "thinking_delta":
      return onThinking(view, event, at)
    case "tool_output_delta":
      // A subagent's own facts tell more.
      return withTool(view, event.call_id, (tool) => (tool.tool_name === SUBAGENT ? {} : grown(tool, event)))
    case "state":
      return { ...view, state: event.state, waits: event.on }
    case "retrying": {
      const { attempt, code, delay_ms, message } = event
      const said = message === undefined ? {} : { message }
      return { ...view, retry: { attempt, code, until: at + delay_ms, ...said } }
    }
    default:
      return undefined
  }
}

const onTool = (view: View, event: SessionEvent, at: number): View | undefined => {
  switch (event.type) {
    case "tool_call": {
      const { call_id, tool_name, content } = event
      const tool: RunningTool = {
        call_id,
        tool_name,
        content,
        phase: "waiting",
        startedAt: at,
        output: "",
        received: 0,
        inner: []
      }
      return { ...view, tools: [...view.tools, tool] }
    }
    case "approval_request":
      return withTool(view, event.call_id, () => ({ phase: "approval" }))
    case "approval_resolved":
      return withTool(view, event.call_id, () => ({ phase: "waiting" }))
    case "tool_started":
      return withTool(view, event.call_id, () => ({ phase: "running", startedAt: at, output: "", received: 0 }))
    case "tool_result":
      return onResult(view, event, at)
    default:
      return undefined
  }
}

const onReset = (view: View, event: Durable<"stream_reset">): View => {
  const shown = view.answer !== undefined && view.answer.settled !== ""
  const cut = shown ? add(view, { kind: "note", note: "superseded" }) : view
  const { model, reason: code } = event
  const marked = model === undefined ? cut : add(cut, { kind: "standsIn", model, code })
  return { ...marked, answer: undefined, thinking: undefined, thoughtShown: false }
}

const textOf = ({ content, from }: Durable<"prompt_queued">): string =>
  from === undefined ? content : (announcement(content) ?? content)

/**
 * What a subagent does shows under its call, and that one's under the call of the task's own that it all belongs to; or
 * by its name where its call has ended.
 */
const below = (view: View, parent: string, event: SessionEvent): View => {
  const told = { ...view, background: inBackground(view.background, parent, event) }
  const root = view.tools.find(({ call_id, inner }) => isWithin(call_id, inner, parent))
  if (root === undefined) return told
  if (event.type === "approval_request") return withTool(told, root.call_id, () => ({ phase: "approval" }))
  if (event.type === "approval_resolved") return withTool(told, root.call_id, () => ({ phase: "running" }))
  return withTool(told, root.call_id, ({ call_id, inner }) => ({ inner: innerWithin(call_id, inner, parent, event) }))
}

/** The view after an event. */
export const reduce = (view: View, event: SessionEvent): View => {
  const at = Date.parse(event.ts)
  if ("parent_call_id" in event && event.parent_call_id !== undefined) return below(view, event.parent_call_id, event)
  const known = onLive(view, event, at) ?? onTool(view, event, at)
  if (known !== undefined) return known
  switch (event.type) {
    case "task_started": {
      const task = { task_id: event.task_id, since: at, usage: none }
      // A command stands there already, as it was typed.
      if (event.command !== undefined) return { ...view, task }
      return { ...add(view, { kind: "prompt", text: event.content, queued: false }), task }
    }
    case "prompt_steered":
      return add(view, { kind: "prompt", text: event.content, queued: false })
    case "prompt_queued":
      // A report is told in full where the model reads it.
      return add(view, { kind: "prompt", text: textOf(event), queued: true })
    case "thinking":
      return { ...view, answer: begin(event.stream_id), answered: false, thinking: undefined, thoughtShown: false }
    case "text_completed":
      return onCompleted(view, event, at)
    case "stream_reset":
      return onReset(view, event)
    case "usage":
      return view.task === undefined ? view : { ...view, task: { ...view.task, usage: event.usage } }
    case "compacted":
      return add(view, {
        kind: "compacted",
        before: event.tokens_before,
        after: event.tokens_after,
        summarised: event.summary !== "",
        ...(event.digest_reason === undefined ? {} : { digest: event.digest_reason })
      })
    case "cleared":
      return add(view, { kind: "note", note: "cleared" })
    case "files_restored":
      return add(view, { kind: "restored", event })
    case "hook_failed":
      return add(view, { kind: "hookFailed", hook: event.hook, reason: event.reason })
    case "checkpoint_skipped":
      return add(view, { kind: "unrecorded", reason: event.reason })
    case "task_completed":
    case "task_canceled":
    case "task_failed":
      return onEnd(view, event, at)
    default:
      return view
  }
}
