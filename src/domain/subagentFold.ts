/** A subagent's facts, folded into a state of its own under its call. Pure. Owns: where that state stands; `Fold` folds. */
import type { Durable, DurableBody } from "./Event.ts"
import type { CallId, PromptId } from "./Ids.ts"
import { initial, type SessionState, type Subagent } from "./Session.ts"
import * as Usage from "./Usage.ts"

const withSubagent = (state: SessionState, id: CallId, subagent: Subagent | undefined): SessionState => {
  const subagents = new Map(state.subagents)
  if (subagent === undefined) subagents.delete(id)
  else subagents.set(id, subagent)
  return { ...state, subagents }
}

/** What it spent is its task's, too. */
const spentBelow = (state: SessionState, { charged, session_usage }: Durable<"usage">): SessionState =>
  state.task === undefined || charged === undefined
    ? { ...state, usage: session_usage }
    : { ...state, usage: session_usage, task: { ...state.task, usage: Usage.add(state.task.usage, charged) } }

/** A fact of a subagent, told by the call that began it: folded into a state of its own. */
export const foldBelow = (
  apply: (state: SessionState, event: DurableBody) => SessionState,
  state: SessionState,
  parent: CallId,
  event: DurableBody
): SessionState => {
  if (event.type === "subagent_ended") return withSubagent(state, parent, undefined)
  if (event.type === "subagent_started") {
    const { background = false, content, task_id, title } = event
    const prompt = { type: "task_started", task_id, prompt_id: parent as string as PromptId, content } as const
    return withSubagent(state, parent, { title, background, state: apply({ ...initial, seq: state.seq }, prompt) })
  }
  const known = state.subagents.get(parent)
  if (known === undefined) return state
  const inside = apply({ ...known.state, seq: state.seq }, event)
  const next = withSubagent(state, parent, { ...known, state: inside })
  return event.type === "usage" ? spentBelow(next, event) : next
}
