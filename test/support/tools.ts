/** Small tools whose effects a test can see. */
import { Deferred, Effect, Schema } from "effect"
import type { Risk } from "../../src/domain/Approval.ts"
import * as Tool from "../../src/tools/Tool.ts"
import type { ToolError } from "../../src/tools/ToolError.ts"

const Args = Schema.Struct({ path: Schema.optionalKey(Schema.String), n: Schema.optionalKey(Schema.Int) })
type Args = typeof Args.Type

export interface Probe {
  readonly tool: Tool.Tool
  /** What began and ended, in order: `+1`, `-1`. */
  readonly log: Array<string>
}

export interface ProbeOptions {
  readonly name?: string
  readonly risk?: Risk
  readonly opaque?: boolean
  readonly effect?: Tool.EffectClass
  readonly announced?: boolean
  readonly probe?: Tool.Probe
  readonly run?: (args: Args, context: Tool.ToolContext) => Effect.Effect<Tool.ToolOutput, ToolError>
}

export const probe = (options: ProbeOptions = {}): Probe => {
  const log: Array<string> = []
  const tool = Tool.make({
    name: options.name ?? "probe",
    description: "a probe",
    parameters: Args,
    ...(options.effect === undefined ? {} : { effect: options.effect }),
    ...(options.announced === undefined ? {} : { announced: options.announced }),
    assess: ({ path }) =>
      Effect.succeed({
        risk: options.risk ?? "safe",
        reason: "",
        paths: path === undefined ? [] : [path],
        opaque: options.opaque ?? false
      }),
    ...(options.probe === undefined ? {} : { probe: () => Effect.succeed(options.probe as Tool.Probe) }),
    run: (args, context) =>
      Effect.acquireUseRelease(
        Effect.sync(() => void log.push(`+${args.n ?? 0}`)),
        () => options.run?.(args, context) ?? Effect.succeed({ content: `ran ${args.n ?? 0}` }),
        () => Effect.sync(() => void log.push(`-${args.n ?? 0}`))
      )
  })
  return { tool, log }
}

/** A tool that waits until told. */
export const waiting = (name = "wait") => {
  const begun = Deferred.makeUnsafe<void>()
  const go = Deferred.makeUnsafe<void>()
  const made = probe({
    name,
    run: () => Effect.as(Effect.andThen(Deferred.succeed(begun, undefined), Deferred.await(go)), { content: "went on" })
  })
  return { ...made, begun: Deferred.await(begun), go: Deferred.succeed(go, undefined) }
}
