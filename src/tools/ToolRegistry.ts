/**
 * The tools of one session. Owns: names, argument decoding, canonical digests, the spending of permits, timeouts.
 * Does not own: whether a call may run (approval), or the order of calls (engine).
 * Invariant: no tool runs without a permit for exactly this call id and these arguments, spent once.
 */
import { createHash } from "node:crypto"
import { Context, Effect, Layer, Result } from "effect"
import type { Permit } from "../domain/Approval.ts"
import * as Canonical from "../domain/Canonical.ts"
import type { ToolCall, ToolDefinition } from "../domain/Message.ts"
import { type Checkpoints, none } from "../sandbox/Checkpoints.ts"
import { makeRecorded } from "./recorded.ts"
import type { Tool, ToolContext, ToolOutput } from "./Tool.ts"
import { ToolError } from "./ToolError.ts"

/** A call whose tool is known and whose arguments are valid. */
export interface ResolvedCall {
  readonly call: ToolCall
  readonly tool: Tool
  readonly args: unknown
  /** SHA-256 of tool name and canonical arguments, hex. */
  readonly digest: string
}

export class ToolRegistry extends Context.Service<
  ToolRegistry,
  {
    /** In registration order: stable bytes for the model's prompt cache. */
    readonly definitions: ReadonlyArray<ToolDefinition>
    readonly resolve: (call: ToolCall) => Result.Result<ResolvedCall, ToolError>
    readonly execute: (
      resolved: ResolvedCall,
      permit: Permit,
      context: ToolContext
    ) => Effect.Effect<ToolOutput, ToolError>
  }
>()("claw/tools/ToolRegistry") {}

const digestOf = (name: string, args: unknown): string =>
  createHash("sha256")
    .update(`${name}\n${Canonical.stringify(args)}`)
    .digest("hex")

const parse = (call: ToolCall): Result.Result<unknown, ToolError> =>
  Result.try({
    // Blank arguments of a finished call are none (LESSONS 2).
    try: () => JSON.parse(call.arguments.trim() === "" ? "{}" : call.arguments) as unknown,
    catch: () =>
      new ToolError({ code: "tool_bad_arguments", detail: `The arguments of ${call.tool_name} are not valid JSON.` })
  })

const resolve = (tools: ReadonlyMap<string, Tool>, call: ToolCall): Result.Result<ResolvedCall, ToolError> => {
  const tool = tools.get(call.tool_name)
  if (tool === undefined) {
    const known = Array.from(tools.keys()).join(", ")
    return Result.fail(
      new ToolError({
        code: "tool_not_found",
        detail: `There is no tool ${JSON.stringify(call.tool_name)}. Tools: ${known}.`
      })
    )
  }
  return Result.flatMap(parse(call), (raw) =>
    Result.mapBoth(tool.decode(raw), {
      onFailure: (complaint) =>
        new ToolError({ code: "tool_bad_arguments", detail: `${call.tool_name}: ${complaint}` }),
      onSuccess: (args) => ({ call, tool, args, digest: digestOf(tool.name, raw) })
    })
  )
}

const execute =
  (record: ReturnType<typeof makeRecorded>) => (resolved: ResolvedCall, permit: Permit, context: ToolContext) =>
    Effect.suspend(() => {
      if (permit.call_id !== resolved.call.call_id || permit.digest !== resolved.digest || !permit.spend()) {
        return Effect.die(new Error(`tool ${resolved.tool.name} was started without a permit of its own`))
      }
      const { tool, args } = resolved
      const run = tool.run(args, context).pipe(
        Effect.timeoutOrElse({
          duration: tool.timeout_ms,
          orElse: () =>
            Effect.fail(
              new ToolError({ code: "tool_timeout", detail: `${tool.name} was stopped after ${tool.timeout_ms} ms.` })
            )
        })
      )
      return record(tool, args, context, run)
    })

/** What the model is told of tools. */
export const definitionsOf = (tools: ReadonlyArray<Tool>): ReadonlyArray<ToolDefinition> =>
  tools.map(({ name, description, parameters }) => ({ name, description, parameters }))

/** The tools are made for the first call: most sessions of a server only are there. */
export const makeLazily = (
  definitions: ReadonlyArray<ToolDefinition>,
  tools: () => ReadonlyArray<Tool>,
  checkpoints: Checkpoints["Service"] = none
) => {
  let byName: ReadonlyMap<string, Tool> | undefined
  return ToolRegistry.of({
    definitions,
    resolve: (call) => resolve((byName ??= new Map(tools().map((tool) => [tool.name, tool]))), call),
    execute: execute(makeRecorded(checkpoints))
  })
}

export const make = (tools: ReadonlyArray<Tool>, checkpoints: Checkpoints["Service"] = none) =>
  makeLazily(definitionsOf(tools), () => tools, checkpoints)

/** The same tools, but only those of these names: for who may do less. */
export const narrow = (
  registry: ToolRegistry["Service"],
  allows: (name: string) => boolean
): ToolRegistry["Service"] => {
  const definitions = registry.definitions.filter(({ name }) => allows(name))
  const known = definitions.map(({ name }) => name).join(", ")
  return {
    ...registry,
    definitions,
    resolve: (call) => {
      if (allows(call.tool_name)) return registry.resolve(call)
      const detail = `There is no tool ${JSON.stringify(call.tool_name)}. Tools: ${known}.`
      return Result.fail(new ToolError({ code: "tool_not_found", detail }))
    }
  }
}

/** A registry of exactly these tools; a later name replaces an earlier one. */
export const layer = (tools: ReadonlyArray<Tool>) => Layer.succeed(ToolRegistry, make(tools))
