/**
 * What becomes of a stored session's task that nobody runs: the table of DESIGN §7 as a pure function.
 * Invariant: an effect that may have happened is repeated only where its tool says that this is harmless; whatever else
 * it was, the outcome is `uncertain` and not ours to decide.
 */
import type { Place, CallStep } from "../engine/Resumption.ts"
import type { CallId } from "../domain/Ids.ts"
import { type AnswerItem, type CallState, itemsOfTask, type SessionState } from "../domain/Session.ts"

export interface Known {
  /** By its tool's word, the call may be run again. */
  readonly repeatable: (call: CallState) => boolean
  /** Calls whose arguments did not parse. */
  readonly broken: ReadonlySet<CallId>
}

export type Recovery =
  /** No task runs, or it has ended. */
  | { readonly kind: "idle" }
  | { readonly kind: "resume"; readonly place: Place }
  /** These calls began and have no result, and may not be repeated. */
  | { readonly kind: "uncertain"; readonly calls: ReadonlyArray<CallId> }

const stepOf = (call: CallState, known: Known): CallStep | "uncertain" => {
  if (call.started > 0) {
    return known.repeatable(call) ? { do: "run", call, attempt: call.started + 1 } : "uncertain"
  }
  if (known.broken.has(call.call_id)) return { do: "reject", call }
  if (call.resolved === undefined) return { do: "check", call }
  // A grant may have ended since: it is looked at again when the call begins (SECURITY P12).
  if (call.resolved.via === "grant") return { do: "check", call }
  const allowed = call.resolved.decision === "allow_once" || call.resolved.decision === "allow_session"
  return allowed ? { do: "run", call, attempt: 1 } : { do: "deny", call }
}

const ofCalls = (calls: ReadonlyArray<CallState>, known: Known): Recovery => {
  const steps: Array<CallStep> = []
  const uncertain: Array<CallId> = []
  for (const call of calls) {
    const step = stepOf(call, known)
    if (step === "uncertain") uncertain.push(call.call_id)
    else steps.push(step)
  }
  return uncertain.length > 0
    ? { kind: "uncertain", calls: uncertain }
    : { kind: "resume", place: { kind: "calls", steps } }
}

const at = (kind: "turn" | "ask" | "finish"): Recovery => ({ kind: "resume", place: { kind } })

export const recover = (state: SessionState, known: Known): Recovery => {
  if (state.task === undefined) return { kind: "idle" }
  if (state.task.stream !== undefined) return at("ask")
  const answer = itemsOfTask(state).findLast((item): item is AnswerItem => item.kind === "answer")
  if (answer === undefined) return at("turn")
  const open = answer.calls.filter((call) => call.result === undefined)
  if (open.length > 0) return ofCalls(open, known)
  return at(answer.calls.length > 0 ? "turn" : "finish")
}
