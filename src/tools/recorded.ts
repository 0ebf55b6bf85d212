/**
 * A call between two looks at the workspace, where it may change files (issue 5). Owns: which calls that are.
 * Invariants: a tool that changes nothing by its own word costs nothing; the look behind it follows however the call
 * ends, also under interruption, when nothing of it runs any more and before its result is told.
 */
import { Effect } from "effect"
import { type ChangingCall, type Checkpoints, none, type SkipReason, type Touch } from "../sandbox/Checkpoints.ts"
import type { Tool, ToolContext, ToolOutput } from "./Tool.ts"
import type { ToolError } from "./ToolError.ts"

/** Undefined: it only reads. */
const touchOf = (tool: Tool, args: unknown): Effect.Effect<Touch | undefined> =>
  tool.effect === "pure"
    ? Effect.succeed(undefined)
    : Effect.map(tool.assess(args), ({ opaque, paths, risk }): Touch | undefined => {
        if (risk === "safe") return undefined
        return opaque ? { kind: "anything" } : { kind: "paths", paths }
      })

/** Of one session: why a call is not kept is told once for each reason. */
export const makeRecorded = (checkpoints: Checkpoints["Service"]) => {
  const told = new Set<SkipReason>()
  const tell = ({ recorded }: ToolContext, skipped: SkipReason | undefined): void => {
    if (skipped === undefined || told.has(skipped)) return
    told.add(skipped)
    recorded?.({ skipped })
  }
  const around = Effect.fnUntraced(function* (
    call: ChangingCall,
    context: ToolContext,
    run: Effect.Effect<ToolOutput, ToolError>,
    restore: <A, E>(effect: Effect.Effect<A, E>) => Effect.Effect<A, E>
  ) {
    const { skipped, end } = yield* checkpoints.begin(call)
    tell(context, skipped)
    const exit = yield* Effect.exit(restore(run))
    const found = yield* end
    if (found.step !== undefined) context.recorded?.(found.step)
    tell(context, found.skipped)
    return yield* exit
  })
  return (tool: Tool, args: unknown, context: ToolContext, run: Effect.Effect<ToolOutput, ToolError>) =>
    Effect.flatMap(checkpoints === none ? Effect.undefined : touchOf(tool, args), (touch) => {
      if (touch === undefined) return run
      const { task_id, call_id } = context
      return Effect.uninterruptibleMask((restore) => around({ task_id, call_id, touch }, context, run, restore))
    })
}
