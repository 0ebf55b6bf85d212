/**
 * One call judged outside a session, for `claw policy`: the same tools say what it would do and the same policy decides
 * as at the gate. Owns: a workspace's tools without anything that could run. Invariant: nothing here starts a program or
 * changes a file; a call that no tool would take is refused.
 */
import { Effect, Layer, Result } from "effect"
import type { Mode } from "../approval/ApprovalGate.ts"
import { contentOf, type Subject, ruledPath } from "../approval/Cover.ts"
import { decide, type Judgement } from "../approval/Policy.ts"
import type { Rule } from "../approval/Rules.ts"
import type { Grant, Preview } from "../domain/Approval.ts"
import type { CallId } from "../domain/Ids.ts"
import type { ToolCall } from "../domain/Message.ts"
import { usualSecrets } from "../config/SecretPlaces.ts"
import * as CommandAnalysis from "../sandbox/CommandAnalysis.ts"
import { ProcessRunner } from "../sandbox/ProcessRunner.ts"
import { secretFiles } from "../sandbox/SecretFiles.ts"
import * as Workspace from "../sandbox/Workspace.ts"
import { makeBuiltinTools } from "../tools/builtin/BuiltinTools.ts"
import * as ToolRegistry from "../tools/ToolRegistry.ts"

export interface Place {
  /** Absolute real path. */
  readonly workspace: string
  readonly path?: string
  readonly home?: string
  /** Claw's own, which no tool reaches. */
  readonly own: ReadonlyArray<string>
  /** Where variables moved secrets to. */
  readonly moved: ReadonlyArray<string>
}

export interface Around {
  readonly rules: ReadonlyArray<Rule>
  readonly grants: ReadonlyArray<Grant>
  readonly mode: Mode
}

export type Judged =
  | {
      readonly kind: "judged"
      readonly subject: Subject
      readonly judgement: Judgement
      readonly preview: Preview | undefined
    }
  /** No tool would run it: the model is told so. */
  | { readonly kind: "refused"; readonly code: string; readonly why: string }

export interface Judge {
  readonly judge: (tool: string, args: string, around: Around) => Effect.Effect<Judged>
  /** What an exact grant of this call holds, and the content it would be bound to. */
  readonly digest: (tool: string, args: string) => Effect.Effect<Pick<Grant, "content"> & { readonly digest: string }>
}

const nothingRuns = Layer.succeed(
  ProcessRunner,
  ProcessRunner.of({
    run: () => Effect.die(new Error("judging a call runs nothing")),
    endLeftover: () => Effect.succeed(true)
  })
)

const callOf = (tool_name: string, args: string): ToolCall => ({
  call_id: "call_judged" as CallId,
  tool_name,
  arguments: args
})

export const makeJudge = Effect.fnUntraced(function* ({ workspace, path, home, own, moved }: Place) {
  const context = { workspace, ...(path === undefined ? {} : { path }), ...(home === undefined ? {} : { home }) }
  const analyse = (source: string) => CommandAnalysis.analyse(source, context)
  const parts = Layer.merge(Workspace.layer({ root: workspace, ownDirectories: own }), nothingRuns)
  // The rules are another question's each time, and what tools leave out is read from them.
  let rules: ReadonlyArray<Rule> = []
  const guard = {
    ruled: (tool: string, file: string) => ruledPath(rules, workspace)(tool, file),
    secret: secretFiles([...usualSecrets(home), ...moved]).has
  }
  const registry = ToolRegistry.make(yield* Effect.provide(makeBuiltinTools({ analyse, guard }), parts))

  const judge: Judge["judge"] = Effect.fnUntraced(function* (tool, args, around) {
    const resolved = registry.resolve(callOf(tool, args))
    if (Result.isFailure(resolved))
      return { kind: "refused", code: resolved.failure.code, why: resolved.failure.detail } satisfies Judged
    const { call, digest, tool: found, args: decoded } = resolved.success
    rules = around.rules
    const subject: Subject = { ...around, call, digest, assessment: yield* found.assess(decoded), workspace }
    const preview = yield* found.preview(decoded)
    return { kind: "judged", subject, judgement: decide(subject), preview } satisfies Judged
  })

  const digest: Judge["digest"] = Effect.fnUntraced(function* (tool, args) {
    const resolved = registry.resolve(callOf(tool, args))
    if (Result.isFailure(resolved)) return { digest: "" }
    const content = contentOf(yield* resolved.success.tool.assess(resolved.success.args))
    return { digest: resolved.success.digest, ...(content === undefined ? {} : { content }) }
  })
  return { judge, digest } satisfies Judge
})
