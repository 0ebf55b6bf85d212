/**
 * The calls of one turn: checked one by one in the model's order, then run together (R071–R077, DESIGN §4).
 * Owns: the order of checks, which calls wait for which, the commit before and after each effect.
 * Invariants: nothing runs before all are checked; `tool_started` is durable before any effect; what each call did is
 * committed the moment it ends (`tool_ended` where hooks are yet to be told, else its result); a throwing tool is one failed observation (LESSONS 23, 25).
 */
import { Cause, Clock, Deferred, Effect, Exit, Semaphore } from "effect"
import { type ApprovalGate, CHANGED, type Verdict } from "../approval/ApprovalGate.ts"
import type { ApprovalRequest, Permit, Preview, RiskAssessment } from "../domain/Approval.ts"
import type { Durable, ReportBody } from "../domain/Event.ts"
import type { CallId, SessionId, TaskId } from "../domain/Ids.ts"
import * as Points from "../observability/Points.ts"
import type { Mask } from "../observability/Redact.ts"
import type { RunSubagent } from "../tools/SubagentRunner.ts"
import type { ToolRegistry } from "../tools/ToolRegistry.ts"
import type { Limits } from "./EngineLimits.ts"
import * as Beginning from "./beginning.ts"
import { mustWait } from "./callOrder.ts"
import * as Hooked from "./hooked.ts"
import type { HooksShape } from "./Hooks.ts"
import { complaint, fieldsOf } from "./outcome.ts"
import type { Planned } from "./pairing.ts"
import type { Reporter } from "./Reporter.ts"
import type { Suspension } from "./Suspension.ts"
import { DENIED, deniedText, ENDED, unrun } from "./verdictText.ts"

export interface Batch {
  readonly session_id: SessionId
  readonly at: { readonly task_id: TaskId; readonly turn: number }
  readonly registry: ToolRegistry["Service"]
  readonly gate: ApprovalGate["Service"]
  readonly hooks: HooksShape
  readonly reporter: Reporter["Service"]
  readonly limits: Limits
  readonly sessionSlots: Semaphore.Semaphore
  readonly processSlots: Semaphore.Semaphore
  readonly suspension: Suspension
  readonly subagents: RunSubagent
  /** Around a call that begins: it waits here for others that change something, with no place taken. */
  readonly inTurn: <A, E>(call_id: CallId, effect: Effect.Effect<A, E>) => Effect.Effect<A, E>
  /** Takes known secrets out of a text. */
  readonly mask: Mask
}

type Ready = Extract<Planned, { readonly kind: "ready" }>
export interface Approved {
  readonly item: Ready
  readonly permit: Permit
  readonly attempt: number
  readonly via: Verdict["via"]
  readonly holds?: Verdict["holds"]
}

/** One call, and what is stored of it already where the task goes on after a stop. */
export interface Pending {
  readonly item: Planned
  readonly attempt: number
  readonly open?: ApprovalRequest
  readonly decided?: "allowed" | "denied"
  /** What allowed it before, and is stored: it is judged again, and is told only where something else decides. */
  readonly judged?: Verdict["via"]
  /** Why it is asked about again. */
  readonly changed?: string
}

type How = Omit<Pending, "item" | "attempt" | "judged">

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
  const { permit: _permit, holds: _holds, again: _again, ...facts } = verdict
  const { call_id, tool_name } = item.call
  const { digest } = item.resolved
  const shown = batch.gate.shown(item.assessment, batch.mask)
  const about = { tool_name, digest, ...(shown === undefined ? {} : { shown }) }
  return { type: "approval_resolved", ...batch.at, call_id, ...facts, ...about }
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

/** The same call judged as things are now; a tool that cannot judge it any more does not run it. */
const reassess = ({ assessment, resolved }: Ready): Effect.Effect<RiskAssessment> =>
  Effect.catchCause(resolved.tool.assess(resolved.args), () =>
    Effect.succeed({ ...assessment, forbidden: "The call could not be judged again." })
  )

const verdictOf = (batch: Batch, item: Ready, { open, decided, changed }: How) => {
  const { call, resolved, assessment } = item
  const preview = Effect.map(resolved.tool.preview(resolved.args), (shown) => maskedPreview(shown, batch.mask))
  const { session_id, at } = batch
  return batch.gate
    .check({
      session_id,
      ...at,
      call,
      digest: resolved.digest,
      assessment,
      preview,
      ...(assessment.command === undefined ? {} : { reassess: reassess(item) }),
      ...(open === undefined ? {} : { open }),
      ...(decided === "allowed" ? { allowed: true } : {}),
      ...(changed === undefined ? {} : { changed })
    })
    .pipe(Effect.tapError(({ reason }) => batch.reporter.report([resolvedBody(batch, item, unasked(reason))])))
}

/** Whose files change with every look is not asked about for ever. */
const MOST_CHANGES = 3

/** Asked again as long as what would run changes while it is asked about (SECURITY P12). */
const settled = Effect.fnUntraced(function* (batch: Batch, asked: Ready, how: How) {
  let item = asked
  let verdict = yield* verdictOf(batch, item, how)
  for (let times = 0; verdict.again !== undefined && times < MOST_CHANGES; times++) {
    yield* batch.reporter.report([resolvedBody(batch, item, verdict)])
    item = { ...asked, assessment: verdict.again }
    verdict = yield* verdictOf(batch, item, { changed: CHANGED })
  }
  return { item, verdict }
})

const checkOne = Effect.fnUntraced(function* (batch: Batch, pending: Pending) {
  const { item: asked, attempt, judged, ...how } = pending
  const { decided } = how
  if (decided === "denied") {
    batch.reporter.later([result(batch, asked, unrun(attempt, "denied", DENIED))])
    return undefined
  }
  if (asked.kind === "bad") {
    batch.reporter.later([result(batch, asked, unrun(attempt, "error", complaint(asked.error, batch.mask)))])
    return undefined
  }
  const heard = yield* Hooked.beforeCall(batch, asked)
  const { item, verdict } =
    heard.refused === undefined ? yield* settled(batch, heard.item, how) : { item: asked, verdict: heard.refused }
  const resolution = resolvedBody(batch, item, verdict)
  if (verdict.permit !== undefined) {
    if (decided === undefined && (judged === undefined || judged === "grant" || judged !== verdict.via)) {
      if (verdict.via === "user") yield* batch.reporter.report([resolution])
      else batch.reporter.later([resolution])
    }
    const { permit, holds, via } = verdict
    return { item, permit, attempt, via, ...(holds === undefined ? {} : { holds }) } satisfies Approved
  }
  const denied = result(batch, item, unrun(attempt, "denied", deniedText(verdict)))
  yield* batch.reporter.report([resolution, denied])
  return undefined
})

/** The grant ended after the call was checked, while others were asked about or ran (SECURITY P12). */
const refuseEnded = (batch: Batch, { item, via, attempt }: Approved) => {
  const verdict: Verdict =
    via === "grant"
      ? { decision: "deny", via, rule: "grant", reason: "the grant ended before the call began" }
      : { decision: "deny", via: "policy", rule: "content", reason: CHANGED }
  const denied = result(batch, item, unrun(attempt, "denied", ENDED))
  return Effect.as(batch.reporter.report([resolvedBody(batch, item, verdict), denied]), 0)
}

const runOne = Effect.fnUntraced(function* (batch: Batch, quiet: Beginning.Quiet, approved: Approved) {
  const { item, holds } = approved
  const { call } = item
  if (holds !== undefined && !(yield* holds)) return yield* refuseEnded(batch, approved)
  const { begun, executing, live } = yield* Beginning.begin(batch, approved, quiet)
  const exit = yield* Effect.exit(executing)
  if (Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause)) return yield* Effect.interrupt
  Points.reach("tool after")
  live.end()
  const duration_ms = Math.round((yield* Clock.currentTimeMillis) - begun)
  yield* Hooked.afterCall(batch, item, fieldsOf(exit, batch), {
    result: (fields) => batch.reporter.report([result(batch, item, { ...fields, duration_ms })]),
    ended: (fields) => {
      const { call_id } = call
      return batch.reporter.report([{ type: "tool_ended", ...batch.at, call_id, ...fields, duration_ms }])
    }
  })
  return duration_ms
})

/** What calls before it changed is asked about again, before it takes a slot; undefined: it is denied by now. */
const stillApproved = Effect.fnUntraced(function* (batch: Batch, one: Approved) {
  if (one.holds === undefined || one.via === "grant" || (yield* one.holds)) return one
  const item = { ...one.item, assessment: yield* reassess(one.item) }
  const again = yield* checkOne(batch, {
    item,
    attempt: one.attempt,
    ...(one.via === "user" ? { changed: CHANGED } : {})
  })
  batch.reporter.signal([{ type: "state", state: "executing_tools", task_id: batch.at.task_id }])
  return again
})

/** Runs what was approved; returns the milliseconds the tools took, added up. */
const runAll = Effect.fnUntraced(function* (batch: Batch, quiet: Beginning.Quiet, approved: ReadonlyArray<Approved>) {
  const asking = yield* Semaphore.make(1)
  const running = approved.map((one) => ({ one, end: Deferred.makeUnsafe<void>() }))
  const durations = yield* Effect.forEach(
    running,
    ({ one, end }, index) => {
      const before = running.slice(0, index).filter((earlier) => mustWait(earlier.one.item, one.item))
      const slotted = (still: Approved) => {
        // What it runs takes places, and is an effect, of its own.
        if (still.item.resolved.tool.placeless === true)
          return Effect.andThen(batch.suspension.pass, Effect.as(runOne(batch, quiet, still), 0))
        const own = batch.suspension.during(runOne(batch, quiet, still))
        return batch.sessionSlots.withPermits(1)(batch.processSlots.withPermits(1)(own))
      }
      const run = Effect.flatMap(asking.withPermits(1)(stillApproved(batch, one)), (still) =>
        still === undefined ? Effect.succeed(0) : batch.inTurn(still.item.call.call_id, slotted(still))
      )
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
  return yield* Beginning.quietly(batch, approved, (quiet) => runAll(batch, quiet, approved))
})
