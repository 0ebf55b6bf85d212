/**
 * Calls that ran when their process died (DESIGN §7, SETTLED 14). Owns: what can be found out of one without anybody's
 * help, and what a person's word about one does. Invariants: a look changes nothing; without `retry` nothing runs again;
 * the word and what follows from it are stored in one append.
 */
import { Effect, Exit, Result } from "effect"
import type { ApprovalGate } from "../approval/ApprovalGate.ts"
import type { ApprovalRequired, Reply } from "../approval/Approver.ts"
import type { ApprovalRequest } from "../domain/Approval.ts"
import { uncertainText } from "../domain/Decide.ts"
import type { ReportBody } from "../domain/Event.ts"
import type { TaskId } from "../domain/Ids.ts"
import type { ToolCall } from "../domain/Message.ts"
import type { SessionState } from "../domain/Session.ts"
import { finishedText, hasFinished } from "../domain/SubagentReport.ts"
import type { ToolOutput } from "../tools/Tool.ts"
import type { ToolRegistry } from "../tools/ToolRegistry.ts"
import { type Bounds, fieldsOf } from "./outcome.ts"
import type { ReportError, Reporter } from "./Reporter.ts"
import type { CallMark, CallStep, Look, Resumption } from "./Resumption.ts"
import { TaskFailure } from "./TaskFailure.ts"

const unknown: Look = { kind: "unknown" }

const done = (output: ToolOutput, bounds: Bounds): Look => ({
  kind: "done",
  ...fieldsOf(Exit.succeed(output), bounds)
})

/** By what is stored of its subagent, the tool's own word, or its look at the world. */
export const look = (
  registry: ToolRegistry["Service"],
  bounds: Bounds,
  call: ToolCall,
  { announced, intent }: CallMark,
  inside: SessionState | undefined
): Effect.Effect<Look> =>
  Effect.suspend(() => {
    if (inside !== undefined && hasFinished(inside)) {
      return Effect.succeed(done({ content: finishedText(inside) }, bounds))
    }
    const resolved = Result.getOrUndefined(registry.resolve(call))
    if (resolved === undefined) return Effect.succeed(unknown)
    const { tool, args } = resolved
    if (tool.effect === "pure" || tool.effect === "idempotent") return Effect.succeed<Look>({ kind: "again" })
    if (tool.announced === true && !announced) return Effect.succeed<Look>({ kind: "again" })
    if (tool.effect !== "probe" || tool.probe === undefined) return Effect.succeed(unknown)
    return Effect.map(tool.probe(args, intent), (probe): Look => {
      if (probe.state === "unknown") return unknown
      if (probe.state === "not_done") return { kind: "again" }
      return done(probe.output, bounds)
    })
  }).pipe(Effect.catchCause(() => Effect.succeed(unknown)))

interface Place {
  readonly at: { readonly task_id: TaskId; readonly turn: number }
  readonly gate: ApprovalGate["Service"]
  readonly reporter: Reporter["Service"]
}

const resolution = (place: Place, request: ApprovalRequest, reply: Reply): ReportBody => {
  const { call_id, request_id, tool_name } = request
  const { decision, via, by, reason } = reply
  const said = { ...(by === undefined ? {} : { by }), ...(reason === undefined ? {} : { reason }) }
  return { type: "approval_resolved", ...place.at, call_id, request_id, tool_name, decision, via, ...said }
}

const skipped = ({ at }: Place, { call_id, tool_name }: ApprovalRequest, reply: Reply): ReportBody => {
  const result = uncertainText(reply.reason)
  return { type: "tool_result", ...at, call_id, tool_name, status: "uncertain", result, is_error: true, duration_ms: 0 }
}

/** Asks on under the stored question. True: the call is to run again; false: it has its result. */
const askedOn = Effect.fnUntraced(function* (place: Place, request: ApprovalRequest) {
  const reply = yield* place.gate.ask({ ...place.at, request })
  const said = resolution(place, request, reply)
  switch (reply.decision) {
    case "retry":
      yield* place.reporter.report([said])
      return true
    case "stop":
      // Where a new prompt took its place, the task's end says so of every open question.
      if (reply.via !== "recovery") yield* place.reporter.report([said])
      return yield* new TaskFailure({ code: "interrupted_by_restart" })
    default:
      yield* place.reporter.report([said, skipped(place, request, reply)])
      return false
  }
})

/** What is left to do once a person has spoken about every call that was cut off, in whatever order. */
const heardOf = (place: Place, steps: ReadonlyArray<CallStep>) =>
  Effect.map(
    Effect.forEach(
      steps,
      (step): Effect.Effect<ReadonlyArray<CallStep>, TaskFailure | ReportError | ApprovalRequired> =>
        step.do === "ask"
          ? Effect.map(askedOn(place, step.request), (again) => (again ? [{ ...step, do: "run" }] : []))
          : Effect.succeed([step]),
      { concurrency: "unbounded" }
    ),
    (left) => left.flat()
  )

/** A word about what was cut off needs no place to run: it is heard, and stored, before the task waits for one. */
export const heard = Effect.fnUntraced(function* (parts: Omit<Place, "at">, task_id: TaskId, from: Resumption) {
  if (from.place.kind !== "calls") return from
  const turn = (yield* parts.reporter.state).task?.turn ?? 0
  const steps = yield* heardOf({ ...parts, at: { task_id, turn } }, from.place.steps).pipe(
    Effect.catchTag("ApprovalRequired", (error) =>
      Effect.fail(new TaskFailure({ code: "approval_required", detail: error.message }))
    )
  )
  return { ...from, place: { kind: "calls", steps } } satisfies Resumption
})
