/**
 * A subagent's way out: its task's reporter, with every fact marked as its own. Owns: the mark, and what of its work is
 * shown as its call's live output. Invariant: what it reads back is its own state, which the task's state has folded.
 */
import { Effect } from "effect"
import type { LiveBody, ReportBody } from "../domain/Event.ts"
import type { CallId } from "../domain/Ids.ts"
import { initial, type SessionState } from "../domain/Session.ts"
import { Reporter } from "./Reporter.ts"

const SHOWN = 120

const short = (text: string): string => {
  const line = text.trim().split("\n", 1)[0] ?? ""
  return line.length <= SHOWN ? line : `${line.slice(0, SHOWN - 1).toWellFormed()}…`
}

/** A line of what it does now. */
const progressOf = (body: ReportBody): string => {
  switch (body.type) {
    case "tool_call":
      return `→ ${body.tool_name} ${short(body.content)}\n`
    case "text_completed":
      return body.content.trim() === "" ? "" : `${short(body.content)}\n`
    default:
      return ""
  }
}

/** What is told of a turn, or of what requests begin with, is told as the subagent's. */
const marked = (body: ReportBody, parent_call_id: CallId): ReportBody =>
  ("turn" in body || body.type === "model_head") && !("parent_call_id" in body) ? { ...body, parent_call_id } : body

/** Its text is told when it is whole; of its states only that the task's tools run again, behind a question. */
const heard = (body: LiveBody): ReadonlyArray<LiveBody> =>
  body.type === "state" && (body.state === "executing_tools" || body.state === "appending")
    ? [{ ...body, state: "executing_tools" }]
    : []

export const stateOf = (state: SessionState, call_id: CallId): SessionState =>
  state.subagents.get(call_id)?.state ?? initial

export const make = (root: Reporter["Service"], call_id: CallId, progress: (text: string) => void) => {
  const told = (bodies: ReadonlyArray<ReportBody>) => {
    for (const body of bodies) {
      const line = progressOf(body)
      if (line !== "") progress(line)
    }
    return bodies.map((body) => marked(body, call_id))
  }
  return Reporter.of({
    report: (bodies) => {
      const own =
        typeof bodies === "function" ? (state: SessionState) => told(bodies(stateOf(state, call_id))) : told(bodies)
      return Effect.map(root.report(own), (state) => stateOf(state, call_id))
    },
    later: (bodies) => root.later(told(bodies)),
    signal: (bodies) => {
      const told = bodies.flatMap(heard)
      if (told.length > 0) root.signal(told)
    },
    state: Effect.map(root.state, (state) => stateOf(state, call_id))
  })
}
