/**
 * The calls of one turn: checked one by one in the model's order, then run together (R071–R077, DESIGN §4).
 * Owns: the order of checks, which calls wait for which, the commit before and after each effect.
 * Invariants: nothing runs before all are checked; `tool_started` is durable before the effect; each call's result
 * is committed the moment it ends; a throwing tool is one failed observation (LESSONS 23, 25).
 */
import { Cause, Clock, Deferred, Effect, Exit, type Semaphore } from "effect"
import type { ApprovalGate, Verdict } from "../approval/ApprovalGate.ts"
import type { ApprovalRequest, Permit, Preview } from "../domain/Approval.ts"
import type { Durable, ReportBody } from "../domain/Event.ts"
import type { SessionId, TaskId } from "../domain/Ids.ts"
import type { Mask } from "../observability/Redact.ts"
import { attributes, spans } from "../observability/Telemetry.ts"
import type { ToolOutput } from "../tools/Tool.ts"
import { ToolError } from "../tools/ToolError.ts"
import type { ToolRegistry } from "../tools/ToolRegistry.ts"
import * as Bounded from "./bounded.ts"
import type { Limits } from "./EngineLimits.ts"
import type { Planned } from "./pairing.ts"
import type { Reporter } from "./Reporter.ts"
import type { Suspension } from "./Suspension.ts"

export interface Batch {
  readonly session_id: SessionId
  readonly at: { readonly task_id: TaskId; readonly turn: number }
  readonly registry: ToolRegistry["Service"]
  readonly gate: ApprovalGate["Service"]
  readonly reporter: Reporter["Service"]
  readonly limits: Limits
  readonly sessionSlots: Semaphore.Semaphore
  readonly processSlots: Semaphore.Semaphore
  readonly suspension: Suspension
  /** Takes known secrets out of a text. */
  readonly mask: Mask
}

type Ready = Extract<Planned, { readonly kind: "ready" }>
interface Approved {
  readonly item: Ready
  readonly permit: Permit
  readonly attempt: number
  readonly holds?: Verdict["holds"]
}

/** One call, and what is stored of it already where the task goes on after a stop. */
export interface Pending {
  readonly item: Planned
  readonly attempt: number
  readonly open?: ApprovalRequest
  readonly decided?: "allowed" | "denied"
}

export const fresh = (planned: ReadonlyArray<Planned>): ReadonlyArray<Pending> =>
  planned.map((item) => ({ item, attempt: 1 }))

const result = (
  batch: Batch,
  item: Planned,
  fields: Pick<Durable<"tool_result">, "status" | "result" | "duration_ms"> & Partial<Durable<"tool_result">>
): Durable<"tool_result"> => ({
  type: "tool_result",
  ...batch.at,
  call_id: item.call.call_id,
  tool_name: item.call.tool_name,
  is_error: fields.status !== "ok",
  ...fields
})

const resolvedBody = (batch: Batch, item: Ready, verdict: Verdict): ReportBody => {
  const { permit: _permit, holds: _holds, ...facts } = verdict
  const { call_id, tool_name } = item.call
  const { digest } = item.resolved
  const shown = batch.gate.shown(item.assessment, batch.mask)
  const about = { tool_name, digest, ...(shown === undefined ? {} : { shown }) }
  return { type: "approval_resolved", ...batch.at, call_id, ...facts, ...about }
}

const DENIED = "Denied. The call was not executed."

const deniedText = (verdict: Verdict): string => {
  const why =
    verdict.reason === undefined || verdict.reason === "" ? "." : `: ${verdict.reason.replace(/[.\s]+$/, "")}.`
  switch (verdict.via) {
    case "user":
      return `Denied by the user${why} The call was not executed.`
    case "timeout":
      return "Nobody answered the approval request in time. The call was not executed."
    default:
      return `Denied by policy${why} The call was not executed.`
  }
}

/** A preview shows what stands in a file, which the journal would keep. */
const maskedPreview = (preview: Preview | undefined, mask: Mask): Preview | undefined => {
  switch (preview?.kind) {
    case "diff":
      return { ...preview, diff: mask(preview.diff) }
    case "text":
      return { ...preview, text: mask(preview.text) }
    default:
      return preview
  }
}

/** The task fails for it, and the audit says why (R168). */
const unasked = (reason: string): Verdict => ({
  decision: "deny",
  via: "policy",
  reason: `nobody was there to be asked: ${reason}`
})

const checkOne = Effect.fnUntraced(function* (batch: Batch, { item, attempt, open, decided }: Pending) {
  if (decided === "denied") {
    batch.reporter.later([result(batch, item, { status: "denied", result: DENIED, duration_ms: 0 })])
    return undefined
  }
  if (item.kind === "bad") {
    batch.reporter.later([
      result(batch, item, { status: "error", result: batch.mask(item.error.message), duration_ms: 0 })
    ])
    return undefined
  }
  const { call, resolved, assessment } = item
  const preview = Effect.map(resolved.tool.preview(resolved.args), (shown) => maskedPreview(shown, batch.mask))
  const { session_id, at } = batch
  const check = { session_id, ...at, call, digest: resolved.digest, assessment, preview }
  const verdict = yield* batch.gate
    .check({
      ...check,
      ...(open === undefined ? {} : { open }),
      ...(decided === "allowed" ? { allowed: true } : {})
    })
    .pipe(Effect.tapError(({ reason }) => batch.reporter.report([resolvedBody(batch, item, unasked(reason))])))
  const resolution = resolvedBody(batch, item, verdict)
  if (verdict.permit !== undefined) {
    if (decided === undefined) {
      if (verdict.via === "user") yield* batch.reporter.report([resolution])
      else batch.reporter.later([resolution])
    }
    const { permit, holds } = verdict
    return { item, permit, attempt, ...(holds === undefined ? {} : { holds }) } satisfies Approved
  }
  const denied = result(batch, item, { status: "denied", result: deniedText(verdict), duration_ms: 0 })
  yield* batch.reporter.report([resolution, denied])
  return undefined
})

/** True where `later` must wait for `earlier`: same path and one of them changes it, or one may touch anything. */
const mustWait = (earlier: Ready, later: Ready): boolean => {
  if (earlier.assessment.opaque || later.assessment.opaque) return true
  if (earlier.assessment.risk === "safe" && later.assessment.risk === "safe") return false
  return earlier.assessment.paths.some((path) => later.assessment.paths.includes(path))
}

const failureFields = (error: ToolError, mask: Mask) =>
  ({ status: error.code === "tool_timeout" ? "timeout" : "error", result: mask(error.message) }) as const

const outputFields = (output: ToolOutput, { limits, mask }: Batch) => {
  const bounded = Bounded.cut(mask(output.content).toWellFormed(), limits.tool_output_chars)
  const status = output.timed_out === true ? "timeout" : output.is_error === true ? "error" : "ok"
  return {
    status,
    result: bounded.text,
    ...(output.exit_code === undefined ? {} : { exit_code: output.exit_code }),
    ...(output.signal === undefined ? {} : { signal: output.signal }),
    ...(bounded.cut || output.truncated === true ? { truncated: true } : {})
  } as const
}

const fieldsOf = (exit: Exit.Exit<ToolOutput, ToolError>, batch: Batch) => {
  if (Exit.isSuccess(exit)) return outputFields(exit.value, batch)
  const error = exit.cause.reasons.find(Cause.isFailReason)?.error
  return failureFields(error ?? new ToolError({ code: "tool_failed", detail: "The tool failed inside." }), batch.mask)
}

const liveOutput = (batch: Batch, item: Ready) => {
  const masked = batch.mask.stream()
  let offset = 0
  const show = (text: string): void => {
    const room = batch.limits.live_output_chars - offset
    const content = text.slice(0, Math.max(0, room)).toWellFormed()
    if (content === "") return
    const { call_id } = item.call
    const { task_id } = batch.at
    batch.reporter.signal([{ type: "tool_output_delta", task_id, stream_id: call_id, call_id, offset, content }])
    offset += content.length
  }
  return { emit: (text: string) => show(masked.push(text)), end: () => show(masked.end()) }
}

const ENDED = "The approval that covered this call has ended. It was not executed; try again to be asked anew."

/** The grant ended after the call was checked, while others were asked about or ran (SECURITY P12). */
const refuseEnded = (batch: Batch, item: Ready) => {
  const verdict: Verdict = {
    decision: "deny",
    via: "grant",
    rule: "grant",
    reason: "the grant ended before the call began"
  }
  const denied = result(batch, item, { status: "denied", result: ENDED, duration_ms: 0 })
  return Effect.as(batch.reporter.report([resolvedBody(batch, item, verdict), denied]), 0)
}

const runOne = Effect.fnUntraced(function* (batch: Batch, { item, permit, attempt, holds }: Approved) {
  const { call, resolved } = item
  if (holds !== undefined && !(yield* holds)) return yield* refuseEnded(batch, item)
  yield* batch.reporter.report([{ type: "tool_started", ...batch.at, call_id: call.call_id, attempt }])
  const begun = yield* Clock.currentTimeMillis
  const live = liveOutput(batch, item)
  const exit = yield* batch.registry
    .execute(resolved, permit, {
      task_id: batch.at.task_id,
      call_id: call.call_id,
      emit: live.emit,
      processStarted: (pid, start_time) => {
        const { task_id } = batch.at
        const started = { type: "process_started", task_id, call_id: call.call_id, pid, start_time } as const
        return Effect.ignore(batch.reporter.report([started]))
      }
    })
    .pipe(
      Effect.withSpan(spans.tool, { attributes: { [attributes.tool]: call.tool_name } }, { captureStackTrace: false }),
      Effect.exit
    )
  if (Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause)) return yield* Effect.interrupt
  live.end()
  const duration_ms = Math.round((yield* Clock.currentTimeMillis) - begun)
  yield* batch.reporter.report([result(batch, item, { ...fieldsOf(exit, batch), duration_ms })])
  return duration_ms
})

/** Runs what was approved; returns the milliseconds the tools took, added up. */
const runAll = Effect.fnUntraced(function* (batch: Batch, approved: ReadonlyArray<Approved>) {
  const running = approved.map((one) => ({ one, end: Deferred.makeUnsafe<void>() }))
  const durations = yield* Effect.forEach(
    running,
    ({ one, end }, index) => {
      const before = running.slice(0, index).filter((earlier) => mustWait(earlier.one.item, one.item))
      const own = batch.suspension.during(runOne(batch, one))
      const run = batch.sessionSlots.withPermits(1)(batch.processSlots.withPermits(1)(own))
      const waits = Effect.forEach(before, (earlier) => Deferred.await(earlier.end), { discard: true })
      return Effect.andThen(waits, run).pipe(Effect.ensuring(Deferred.succeed(end, undefined)))
    },
    { concurrency: "unbounded" }
  )
  return durations.reduce((sum, ms) => sum + ms, 0)
})

/** Checks all, then runs what may run. Every call has its result when this returns. */
export const run = Effect.fnUntraced(function* (batch: Batch, calls: ReadonlyArray<Pending>) {
  const approved: Array<Approved> = []
  for (const pending of calls) {
    const ok = yield* checkOne(batch, pending)
    if (ok !== undefined) approved.push(ok)
  }
  if (approved.length === 0) {
    yield* batch.reporter.report([])
    return 0
  }
  batch.reporter.signal([{ type: "state", state: "executing_tools", task_id: batch.at.task_id }])
  return yield* runAll(batch, approved)
})
