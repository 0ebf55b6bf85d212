/**
 * What a subagent was doing when its process died, for the person who is asked about it. Pure. Owns: which of its calls are
 * shown and how. Invariant: each call that may have happened and has no result is shown.
 */
import type { ApprovalRequest, Risk } from "../domain/Approval.ts"
import type { CallId } from "../domain/Ids.ts"
import { hasFinished } from "../domain/SubagentReport.ts"
import { type CallState, itemsOfTask, type SessionState, type Subagent } from "../domain/Session.ts"

const ENDED = 5
const SHOWN = 300
const INDENT = "  "

const callsOf = (inside: SessionState): ReadonlyArray<CallState> =>
  itemsOfTask(inside).flatMap((item) => (item.kind === "answer" ? item.calls : []))

/** It had made no call and was not done: nothing can have happened, it may begin again, and nobody need be asked. */
export const hadDoneNothing = ({ subagents }: SessionState, id: CallId): boolean => {
  const inside = subagents.get(id)?.state
  return inside !== undefined && callsOf(inside).length === 0 && !hasFinished(inside)
}

const short = (text: string): string =>
  text.length <= SHOWN ? text : `${text.slice(0, SHOWN - 1).toWellFormed()}… (${text.length} characters)`

/** What says most about a call; all of its arguments where that is not known. */
const told = ({ arguments: content, tool_name }: CallState): string => {
  try {
    const args = JSON.parse(content) as Readonly<Record<string, unknown>>
    const telling = args["command"] ?? args["path"] ?? args["title"]
    return `${tool_name}: ${short(typeof telling === "string" ? telling : content)}`
  } catch {
    return `${tool_name}: ${short(content)}`
  }
}

const became = ({ request, resolved, result, started }: CallState): string => {
  if (result !== undefined) return result.status
  if (started > 0) return "was running: it may or may not have happened"
  return request !== undefined && resolved === undefined ? "waited for an answer" : "had not begun"
}

const linesOf = (state: SessionState, calls: ReadonlyArray<CallState>): ReadonlyArray<string> => {
  const over = calls.filter(({ result }) => result !== undefined)
  const shown = calls.filter((call) => call.result === undefined || over.slice(-ENDED).includes(call))
  const earlier = calls.length - shown.length
  return [
    ...(earlier === 0 ? [] : [`${earlier} earlier ${earlier === 1 ? "call" : "calls"}`]),
    ...shown.flatMap((call) => {
      const below = state.subagents.get(call.call_id)
      const inner = below === undefined || call.result !== undefined ? [] : linesOf(state, callsOf(below.state))
      return [`[${became(call)}] ${told(call)}`, ...inner.map((line) => INDENT + line)]
    })
  ]
}

const order: ReadonlyArray<Risk> = ["safe", "mutating", "dangerous"]

/** Of all that it began, and those below it. */
const riskOf = (state: SessionState, calls: ReadonlyArray<CallState>): Risk => {
  const began = calls.filter(({ started }) => started > 0)
  const below = began.flatMap(({ call_id }) =>
    callsOf(state.subagents.get(call_id)?.state ?? { ...state, history: [] })
  )
  const risks = [...began.map(({ risk }) => risk), ...(below.length === 0 ? [] : [riskOf(state, below)])]
  return order[Math.max(0, ...risks.map((risk) => order.indexOf(risk)))] ?? "safe"
}

const text = (state: SessionState, { background: _, title, state: inside }: Subagent): string => {
  const prompt = inside.history.find((item) => item.kind === "prompt")
  const lines = linesOf(state, callsOf(inside))
  return [
    `subagent: ${title}`,
    ...(prompt?.kind === "prompt" ? [`task: ${short(prompt.content)}`] : []),
    "what it did last:",
    ...lines.map((line) => INDENT + line)
  ].join("\n")
}

/** What the question about such a call shows in place of what it was given. */
export const cutWork = (state: SessionState, id: CallId): Partial<Pick<ApprovalRequest, "preview" | "risk">> => {
  const subagent = state.subagents.get(id)
  if (subagent === undefined) return {}
  return { preview: { kind: "text", text: text(state, subagent) }, risk: riskOf(state, callsOf(subagent.state)) }
}
