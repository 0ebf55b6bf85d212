/**
 * From a model's complete answer to the facts that are stored of it, in one append (SETTLED 7). Owns: ids unique in the
 * session, risk of each call, the error a call without a usable shape gets. Nothing runs here.
 * Invariant: one `tool_call` per call of the answer, in the model's order.
 */
import { Effect, Result } from "effect"
import type { RiskAssessment } from "../domain/Approval.ts"
import type { ReportBody } from "../domain/Event.ts"
import { newCallId, type TaskId } from "../domain/Ids.ts"
import type { ToolCall } from "../domain/Message.ts"
import type { CallState, SessionState } from "../domain/Session.ts"
import type { Completed } from "../provider/ModelPart.ts"
import { SUBAGENT } from "../tools/SubagentRunner.ts"
import { ToolError } from "../tools/ToolError.ts"
import type { ResolvedCall, ToolRegistry } from "../tools/ToolRegistry.ts"

export type Planned =
  | { readonly kind: "bad"; readonly call: ToolCall; readonly error: ToolError; readonly raw?: string }
  | {
      readonly kind: "ready"
      readonly call: ToolCall
      readonly resolved: ResolvedCall
      readonly assessment: RiskAssessment
      /** What a hook adds to its result. */
      readonly notes?: string
    }

/** Among used ids: there were others, which nobody knows any more. */
const FORGOTTEN = "\0"

/** Its beginning was summarised or cleared away, or subagents had calls, of which the state keeps nothing. */
const isForgetful = ({ history, seq, subagents }: SessionState, calls: ReadonlyArray<CallState>): boolean =>
  (history[0] === undefined ? seq > 0 : history[0].kind === "summary" || history[0].seq > 1) ||
  subagents.size > 0 ||
  calls.some(({ started, tool_name }) => tool_name === SUBAGENT && started > 0)

/** The call ids that a session has used. Where not all are known any more, every call gets one of ours. */
export const usedIds = (state: SessionState): Set<string> => {
  const calls = state.history.flatMap((item) => (item.kind === "answer" ? item.calls : []))
  const ids = calls.map(({ call_id }) => call_id)
  return new Set<string>(isForgetful(state, calls) ? [FORGOTTEN, ...ids] : ids)
}

const badArguments = (call: ToolCall, complaint: string, raw: string): Planned => {
  const detail = `The arguments of ${call.tool_name} are not a JSON object (${complaint}). Send the call again.`
  return { kind: "bad", call, error: new ToolError({ code: "tool_bad_arguments", detail }), raw }
}

const planOne = (registry: ToolRegistry["Service"], call: ToolCall) => {
  const resolved = registry.resolve(call)
  if (Result.isFailure(resolved)) return Effect.succeed<Planned>({ kind: "bad", call, error: resolved.failure })
  const { tool, args } = resolved.success
  return Effect.map(tool.assess(args), (assessment): Planned => ({
    kind: "ready",
    call,
    resolved: resolved.success,
    assessment
  })).pipe(
    Effect.catchCause(() => {
      const error = new ToolError({ code: "tool_failed", detail: `${call.tool_name} could not judge its arguments.` })
      return Effect.succeed<Planned>({ kind: "bad", call, error })
    })
  )
}

/** The same for a stored call, after a stop. */
export const planAgain = (registry: ToolRegistry["Service"], call: ToolCall, broken: boolean) =>
  broken ? Effect.succeed(badArguments(call, "they did not parse", "")) : planOne(registry, call)

/** What each call of an answer is, before anything is asked or run. Adds its ids to `used`. */
export const plan = Effect.fnUntraced(function* (
  registry: ToolRegistry["Service"],
  used: Set<string>,
  completed: Completed
) {
  const bad = new Map(completed.bad_calls.map((call) => [call.call_id, call]))
  const planned: Array<Planned> = []
  for (const made of completed.message.tool_calls) {
    const free = !used.has(made.call_id) && made.call_id !== "" && !used.has(FORGOTTEN)
    const call: ToolCall = { ...made, call_id: free ? made.call_id : newCallId() }
    used.add(call.call_id)
    const broken = bad.get(made.call_id)
    planned.push(
      broken === undefined ? yield* planOne(registry, call) : badArguments(call, broken.complaint, broken.raw)
    )
  }
  return planned
})

/** The `tool_call` facts of a plan, and the raw text of what did not parse. */
export const facts = (
  planned: ReadonlyArray<Planned>,
  at: { readonly task_id: TaskId; readonly turn: number }
): ReadonlyArray<ReportBody> =>
  planned.flatMap((item): ReadonlyArray<ReportBody> => {
    const { call_id, tool_name, arguments: content } = item.call
    const risk = item.kind === "ready" ? item.assessment.risk : "safe"
    const call: ReportBody = { type: "tool_call", ...at, call_id, tool_name, content: content.toWellFormed(), risk }
    if (item.kind === "ready" || item.raw === undefined) return [call]
    return [call, { type: "raw_arguments", ...at, call_id, raw: item.raw.toWellFormed() }]
  })
