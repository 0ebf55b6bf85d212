/**
 * `fold`: one public event into the state. Total: an event that fits nothing changes nothing but `seq`, so that any
 * prefix of any sequence, also of a damaged one, gives a state that can go on (DESIGN §3, second consequence).
 */
import type { ApprovalRequest } from "./Approval.ts"
import type { Durable, DurableBody } from "./Event.ts"
import type { CallId } from "./Ids.ts"
import { restoredNote } from "./Restored.ts"
import {
  type AnswerItem,
  type CallResult,
  type CallState,
  type EndedTask,
  type HistoryItem,
  type RunningTask,
  type SessionState
} from "./Session.ts"
import { keyed, queued, unqueue } from "./queueFold.ts"
import { foldBelow } from "./subagentFold.ts"
import * as Usage from "./Usage.ts"
import { shortResults } from "./Shorten.ts"

const withTask = (state: SessionState, change: (task: RunningTask) => RunningTask): SessionState =>
  state.task === undefined ? state : { ...state, task: change(state.task) }

/** The history that a fold of many events made for itself: until it ends nobody else has seen it, so it may grow. */
let own: Array<HistoryItem> | undefined

const push = (state: SessionState, item: HistoryItem): SessionState => {
  if (state.history !== own) return { ...state, history: [...state.history, item] }
  own.push(item)
  return { ...state }
}

const withAnswer = (state: SessionState, index: number, answer: AnswerItem): SessionState => {
  if (state.history !== own) return { ...state, history: state.history.with(index, answer) }
  own[index] = answer
  return { ...state }
}

const withCall = (state: SessionState, id: CallId, change: (call: CallState) => CallState): SessionState => {
  const has = (item: HistoryItem) => item.kind === "answer" && item.calls.some((call) => call.call_id === id)
  const index = state.history.findLastIndex(has)
  const answer = state.history[index]
  if (answer?.kind !== "answer") return state
  const calls = answer.calls.map((call) => (call.call_id === id ? change(call) : call))
  return withAnswer(state, index, { ...answer, calls })
}

const started = (state: SessionState, event: Durable<"task_started">): SessionState => {
  const { task_id, prompt_id, content, idempotency_key: key, command } = event
  const free = unqueue(state, prompt_id)
  const next = command === undefined ? push(free, { kind: "prompt", seq: state.seq, prompt_id, content }) : free
  const order = command === undefined ? {} : { command: { name: command, focus: content.replace(/^\/\w+\s*/, "") } }
  return {
    ...next,
    task: { task_id, prompt_id, turn: 0, ...order, usage: Usage.none },
    queue_paused: command !== undefined && state.queue_paused,
    tasks: state.tasks + 1,
    keys: key === undefined ? state.keys : new Map(state.keys).set(key, { prompt_id, task_id, content })
  }
}

const answered = (state: SessionState, event: Durable<"text_completed">): SessionState => {
  const answer: AnswerItem = {
    kind: "answer",
    seq: state.seq,
    stream_id: event.stream_id,
    content: event.content,
    ...(event.reasoning === undefined ? {} : { reasoning: event.reasoning }),
    ...(event.reasoning_state === undefined ? {} : { reasoning_state: event.reasoning_state }),
    partial: event.partial === true,
    finish_reason: event.finish_reason,
    calls: []
  }
  return withTask(push(state, answer), ({ stream: _, ...task }) => task)
}

const called = (state: SessionState, event: Durable<"tool_call">): SessionState => {
  const index = state.history.length - 1
  const answer = state.history[index]
  if (answer?.kind !== "answer" || answer.calls.some((call) => call.call_id === event.call_id)) return state
  const { call_id, tool_name, content, risk } = event
  const call: CallState = { call_id, tool_name, arguments: content, risk, started: 0 }
  return withAnswer(state, index, { ...answer, calls: [...answer.calls, call] })
}

/** An event may come with its envelope: what a request is does not depend on how it was come by. */
const requestOf = (event: Durable<"approval_request">): ApprovalRequest => {
  const { request_id, kind, call_id, tool_name, content, risk, reason, preview, grant_options, expires_at } = event
  const { content_digest, shown, subagent } = event
  return {
    request_id,
    kind,
    call_id,
    tool_name,
    content,
    risk,
    reason,
    ...(preview === undefined ? {} : { preview }),
    grant_options,
    ...(content_digest === undefined ? {} : { content_digest }),
    ...(shown === undefined ? {} : { shown }),
    ...(subagent === undefined ? {} : { subagent }),
    ...(expires_at === undefined ? {} : { expires_at })
  }
}

const requested = (state: SessionState, event: Durable<"approval_request">): SessionState => {
  const request = requestOf(event)
  return withCall(state, event.call_id, ({ resolved, ...call }) => {
    const { request: old } = call
    const same = old?.request_id === request.request_id
    // Asked anew: what was decided before holds no more, be it by a policy that asked nobody.
    if (same || (old === undefined && request.kind === "tool"))
      return { ...call, request, ...(resolved === undefined ? {} : { resolved }) }
    return { ...call, request, ...(old === undefined ? {} : { before: [...(call.before ?? []), old.request_id] }) }
  })
}

/** The word to try again was for this attempt; behind it there is none. */
const begun = (call: CallState, attempt: number): CallState =>
  call.resolved?.decision === "retry"
    ? { ...call, started: attempt, resolved: { ...call.resolved, decision: "allow_once" } }
    : { ...call, started: attempt }

type Resolution = NonNullable<CallState["resolved"]>
const resolutions = new Map<string, Resolution>()

/** There are a few, and each call of a long conversation keeps one. */
const resolution = ({ decision, via }: Resolution): Resolution => {
  const name = `${decision} ${via}`
  const known = resolutions.get(name) ?? { decision, via }
  resolutions.set(name, known)
  return known
}

/** Written out where nobody was asked: a copy that gains a field keeps it in a second object, for every call of a session. */
const withResult = (call: CallState, result: CallResult): CallState => {
  const { arguments: args, before, call_id, request, resolved, risk, started, tool_name } = call
  if (request !== undefined || before !== undefined || resolved === undefined) return { ...call, result }
  return { call_id, tool_name, arguments: args, risk, started, resolved, result }
}

const resulted = (state: SessionState, event: Durable<"tool_result">): SessionState =>
  withCall(state, event.call_id, (call) =>
    call.result !== undefined
      ? call
      : withResult(call, {
          result: event.result,
          status: event.status,
          duration_ms: event.duration_ms,
          ...(event.exit_code === undefined ? {} : { exit_code: event.exit_code }),
          ...(event.signal === undefined ? {} : { signal: event.signal }),
          ...(event.truncated === undefined ? {} : { truncated: event.truncated }),
          ...(event.own_chars === undefined ? {} : { own_chars: event.own_chars })
        })
  )

/** What nobody but the person said becomes no task of its own: whoever goes on with the conversation reads it. */
const noted = (state: SessionState): SessionState => {
  const reports = state.queue.filter(({ from }) => from !== undefined)
  if (reports.length === 0) return state
  const queue = state.queue.filter(({ from }) => from === undefined)
  return reports.reduce<SessionState>((next, { content }) => push(next, { kind: "note", seq: state.seq, content }), {
    ...state,
    queue
  })
}

const ended = (given: SessionState, task: EndedTask): SessionState => {
  const state = noted(given)
  return {
    ...state,
    task: undefined,
    last: task,
    queue: state.queue.map((prompt) => (prompt.mode === "steer" ? { ...prompt, mode: "queue" } : prompt)),
    // A command neither lifts a pause nor begins one.
    queue_paused:
      state.task?.command === undefined ? task.status !== "completed" && state.queue.length > 0 : state.queue_paused,
    subagents: state.subagents.size === 0 ? state.subagents : new Map()
  }
}

const cut = (state: SessionState, upTo: number): ReadonlyArray<HistoryItem> =>
  state.history.filter((item) => item.seq > upTo)

const steered = (state: SessionState, event: Durable<"prompt_steered">): SessionState => {
  const { prompt_id, content, from, task_id } = event
  const told = unqueue(keyed(state, prompt_id, { task_id }), prompt_id)
  const { seq } = state
  return push(told, from === undefined ? { kind: "prompt", seq, prompt_id, content } : { kind: "note", seq, content })
}

/** What was asked for stays in its own words for as long as it is worked on (LESSONS 13). */
const isAsked = ({ task }: SessionState, item: HistoryItem): boolean =>
  item.kind === "prompt" && item.prompt_id === task?.prompt_id

const compacted = (state: SessionState, event: Durable<"compacted">): SessionState => {
  const { shortened, summary, up_to_seq } = event
  const kept = state.history.filter((item) => item.seq > up_to_seq || isAsked(state, item))
  const newest = kept.findLast(({ kind }) => kind === "answer")
  const short =
    shortened === undefined
      ? kept
      : kept.map((one) => (one.seq > shortened.up_to_seq ? one : shortResults(one, shortened.chars, one === newest)))
  const history: Array<HistoryItem> =
    summary === "" ? short : [{ kind: "summary", seq: up_to_seq, content: summary }, ...short]
  // A fold of many goes on growing what is its own.
  if (state.history === own) own = history
  return { ...state, history }
}

const restored = (state: SessionState, event: Durable<"files_restored">): SessionState =>
  event.count === 0 ? state : push(state, { kind: "note", seq: state.seq, content: restoredNote(event) })

const apply = (state: SessionState, event: DurableBody): SessionState => {
  switch (event.type) {
    case "task_started":
      return started(state, event)
    case "prompt_queued":
      return queued(state, event)
    case "prompt_unqueued":
      return unqueue(keyed(state, event.prompt_id, { withdrawn: true }), event.prompt_id)
    case "prompt_steered":
      return steered(state, event)
    case "thinking": {
      const { stream_id, reasoning_stream_id, turn } = event
      return withTask(state, (task) => ({ ...task, turn, stream: { stream_id, reasoning_stream_id } }))
    }
    case "stream_reset": {
      const stream = { stream_id: event.next_stream_id, reasoning_stream_id: event.next_reasoning_stream_id }
      return withTask(state, (task) => ({ ...task, stream }))
    }
    case "text_completed":
      return answered(state, event)
    case "tool_call":
      return called(state, event)
    case "approval_request":
      return requested(state, event)
    case "approval_resolved": {
      const resolved = resolution(event)
      return withCall(state, event.call_id, (call) => ({ ...call, resolved }))
    }
    case "tool_started":
      return withCall(state, event.call_id, (call) => begun(call, event.attempt))
    case "tool_result":
      return resulted(state, event)
    case "usage":
      return withTask({ ...state, usage: event.session_usage }, (task) => ({ ...task, usage: event.usage }))
    case "compacted":
      return compacted(state, event)
    case "cleared":
      return { ...state, history: cut(state, event.up_to_seq) }
    case "files_restored":
      return restored(state, event)
    case "task_completed":
      return ended(state, { task_id: event.task_id, status: "completed", usage: event.usage })
    case "task_canceled":
      return ended(state, { task_id: event.task_id, status: "canceled", usage: event.usage })
    case "task_failed":
      return ended(state, { task_id: event.task_id, status: "failed", usage: event.usage, error: event.error })
    default:
      return state
  }
}

/** Folds the next public event. An event of a kind this version does not know counts and changes nothing. */
export const fold = (state: SessionState, event: DurableBody): SessionState => {
  const counted = { ...state, seq: state.seq + 1 }
  const parent = "parent_call_id" in event ? event.parent_call_id : undefined
  return parent === undefined ? apply(counted, event) : foldBelow(apply, counted, parent, event)
}

/** The same as `fold` of one after another, without a copy of the history for each: for journals that are read whole. */
export const foldAll = (
  state: SessionState,
  events: ReadonlyArray<{ readonly seq: number; readonly body: DurableBody }>
): SessionState => {
  own = state.history.slice()
  try {
    let folded: SessionState = { ...state, history: own }
    // Numbers stay those of the journal, also behind one that could not be read.
    for (const { seq, body } of events)
      folded = fold(folded.seq === seq - 1 ? folded : { ...folded, seq: seq - 1 }, body)
    return folded
  } finally {
    own = undefined
  }
}
