/**
 * How a call begins. Owns: what is stored before it does, which beginnings may be put off, and for how long.
 * Invariants: whatever may have an effect is stored before it begins; what a look shows comes behind its beginning.
 */
import { Clock, Effect } from "effect"
import type { ReportBody } from "../domain/Event.ts"
import * as Points from "../observability/Points.ts"
import { attributes, spans, traced } from "../observability/Telemetry.ts"
import { SubagentRunner } from "../tools/SubagentRunner.ts"
import { liveOutput } from "./liveOutput.ts"
import { recordOf } from "./recordOf.ts"
import { whileSilent } from "./silence.ts"
import type { Approved, Batch } from "./toolBatch.ts"

/** What it is about to make of its file, for a look after a crash. */
const intentOf = (batch: Batch, { call, resolved }: Approved["item"]): Effect.Effect<ReadonlyArray<ReportBody>> => {
  const { intent } = resolved.tool
  if (intent === undefined) return Effect.succeed([])
  const { task_id } = batch.at
  return Effect.map(intent(resolved.args), (about) =>
    about === undefined ? [] : [{ type: "file_intended", task_id, call_id: call.call_id, ...about } as const]
  )
}

/**
 * A look that nobody was asked about: it has no effect that its beginning would have to be stored before, and is mostly
 * over before anybody could see it begin. One append for the answer, the call and its result is one wait for the disk.
 */
const isLook = ({ item, holds, via }: Approved): boolean =>
  item.resolved.tool.effect === "pure" && holds === undefined && via !== "grant" && via !== "user"

/** The calls of one answer, until their beginnings are put off no more. */
export interface Quiet {
  isOver: boolean
  /** Shows what the looks that run have printed. */
  readonly held: Array<() => void>
}

/** Runs the calls; where there are looks among them, what is put off is stored after a while at the latest. */
export const quietly = <A, E>(
  { reporter }: Batch,
  calls: ReadonlyArray<Approved>,
  run: (quiet: Quiet) => Effect.Effect<A, E>
): Effect.Effect<A, E> => {
  const quiet: Quiet = { isOver: !calls.some(isLook), held: [] }
  if (quiet.isOver) return run(quiet)
  const store = Effect.suspend(() => {
    quiet.isOver = true
    return Effect.map(reporter.report([]), () => quiet.held.forEach((open) => open()))
  })
  return whileSilent(store, run(quiet))
}

/** Stores that it begins, and runs it; a look's beginning is stored with its result, or after a while. */
export const begin = Effect.fnUntraced(function* (batch: Batch, approved: Approved, quiet: Quiet) {
  const { item, permit, attempt } = approved
  const { call, resolved } = item
  const { call_id, tool_name } = call
  const { task_id } = batch.at
  const intent = yield* intentOf(batch, item)
  const started: ReadonlyArray<ReportBody> = [{ type: "tool_started", ...batch.at, call_id, attempt }, ...intent]
  const isPutOff = !quiet.isOver && isLook(approved)
  const live = liveOutput(batch, call, isPutOff)
  if (isPutOff) {
    // Both at once: who stores what is put off opens what is held.
    batch.reporter.later(started)
    quiet.held.push(live.open)
  } else yield* batch.reporter.report(started)
  const begun = yield* Clock.currentTimeMillis
  Points.reach("tool before")
  const executing = batch.registry
    .execute(resolved, permit, {
      task_id,
      call_id,
      emit: live.emit,
      recorded: recordOf(batch, call),
      processStarted: (pid, start_time) =>
        batch.reporter.report([{ type: "process_started", task_id, call_id, pid, start_time }])
    })
    .pipe(Effect.provideService(SubagentRunner, batch.subagents), traced(spans.tool, { [attributes.tool]: tool_name }))
  return { begun, live, executing }
})
