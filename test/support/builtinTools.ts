/** The built-in tools in a directory of their own, called the way the engine calls them: resolved, assessed, permitted. */
import { Effect, Layer, Result } from "effect"
import type { CommandPlan, Permit, SimpleCommand } from "../../src/domain/Approval.ts"
import { type CallId, newTaskId } from "../../src/domain/Ids.ts"
import * as ProcessRunner from "../../src/sandbox/ProcessRunner.ts"
import * as Workspace from "../../src/sandbox/Workspace.ts"
import { type BuiltinOptions, makeBuiltinTools } from "../../src/tools/builtin/BuiltinTools.ts"
import type { FileIntent, ToolContext } from "../../src/tools/Tool.ts"
import * as ToolRegistry from "../../src/tools/ToolRegistry.ts"
import type { Dir } from "./workspaceDir.ts"

let calls = 0

export const toolCall = (tool_name: string, args: unknown) => ({
  call_id: `call-${process.pid}-${calls++}` as CallId,
  tool_name,
  arguments: typeof args === "string" ? args : JSON.stringify(args)
})

export const permitFor = (resolved: ToolRegistry.ResolvedCall): Permit => {
  let spent = false
  const spend = () => !spent && (spent = true)
  return { call_id: resolved.call.call_id, digest: resolved.digest, spend }
}

export const contextFor = (
  resolved: ToolRegistry.ResolvedCall,
  emit: (text: string) => void = () => {}
): ToolContext => ({
  task_id: newTaskId(),
  call_id: resolved.call.call_id,
  emit,
  processStarted: () => Effect.void
})

export const plainCommand = (text: string): SimpleCommand => ({
  argv: text.split(" "),
  text,
  notPlain: [],
  unsettled: [],
  names: [],
  paths: [],
  prefix: [],
  readOnly: false
})

/** An analysis that finds nothing to object to, one command to a line, and the redirects it is told of. */
export const plainAnalysis = (source: string): CommandPlan => ({
  source,
  commands: source.split("\n").map(plainCommand),
  reads: [],
  writes: Array.from(source.matchAll(/>+\s*(\S+)/g), (match) => match[1] as string),
  doubts: []
})

export const toolsIn = Effect.fnUntraced(function* (
  there: Dir,
  analyse: (source: string) => CommandPlan = plainAnalysis,
  guard?: BuiltinOptions["guard"]
) {
  const layers = Layer.mergeAll(
    Workspace.layer({ root: there.ws }),
    ProcessRunner.layer({ environment: { PATH: process.env["PATH"], HOME: "/tmp" } })
  )
  const tools = yield* Effect.provide(
    makeBuiltinTools({ analyse, ...(guard === undefined ? {} : { guard }) }),
    yield* Layer.build(layers)
  )
  const registry = ToolRegistry.make(tools)
  const resolve = (name: string, args: unknown) => Effect.fromResult(registry.resolve(toolCall(name, args)))
  const call = Effect.fnUntraced(function* (name: string, args: unknown, emit?: (text: string) => void) {
    const resolved = yield* resolve(name, args)
    return yield* registry.execute(resolved, permitFor(resolved), contextFor(resolved, emit))
  })
  return {
    registry,
    tools,
    call,
    /** The content, or the sentence of the error. */
    say: (name: string, args: unknown) =>
      Effect.map(Effect.result(call(name, args)), (result) =>
        Result.isSuccess(result) ? result.success.content : `! ${result.failure.detail}`
      ),
    assess: (name: string, args: unknown) =>
      Effect.flatMap(resolve(name, args), ({ args: decoded, tool }) => tool.assess(decoded)),
    preview: (name: string, args: unknown) =>
      Effect.flatMap(resolve(name, args), ({ args: decoded, tool }) => tool.preview(decoded)),
    /** What the call is about to do, and later whether it did. */
    intent: (name: string, args: unknown) =>
      Effect.flatMap(resolve(name, args), ({ args: decoded, tool }) => tool.intent?.(decoded) ?? Effect.undefined),
    probe: (name: string, args: unknown, intent?: FileIntent) =>
      Effect.flatMap(
        resolve(name, args),
        ({ args: decoded, tool }) => tool.probe?.(decoded, intent) ?? Effect.succeed({ state: "unknown" as const })
      )
  }
})
