/**
 * What of a tool's end is stored and what the model reads of it. Owns: status, cut, masking. Pure.
 * Invariant: no known secret and no more than the limit leaves here; a tool that throws is one failed result.
 */
import { Cause, Exit } from "effect"
import { hinted } from "../context/RecoveryHints.ts"
import { shorten } from "../domain/Shorten.ts"
import type { Mask } from "../observability/Redact.ts"
import type { ToolOutput } from "../tools/Tool.ts"
import { ToolError } from "../tools/ToolError.ts"
import type { Limits } from "./EngineLimits.ts"

export interface Bounds {
  readonly limits: Limits
  readonly mask: Mask
}

/** What the model reads of a call that failed: the tool's sentence, and what to do. */
export const complaint = (error: ToolError, mask: Mask): string => hinted(mask(error.message), error)

const failureFields = (error: ToolError, mask: Mask) =>
  ({ status: error.code === "tool_timeout" ? "timeout" : "error", result: complaint(error, mask) }) as const

const outputFields = (output: ToolOutput, { limits, mask }: Bounds) => {
  const bounded = shorten(mask(output.content).toWellFormed(), limits.tool_output_chars)
  const result = output.is_error === true ? hinted(bounded.text, output) : bounded.text
  const status = output.timed_out === true ? "timeout" : output.is_error === true ? "error" : "ok"
  return {
    status,
    result,
    ...(output.exit_code === undefined ? {} : { exit_code: output.exit_code }),
    ...(output.signal === undefined ? {} : { signal: output.signal }),
    ...(bounded.cut || output.truncated === true ? { truncated: true } : {})
  } as const
}

/** What a call's end says in its `tool_result`. */
export const fieldsOf = (exit: Exit.Exit<ToolOutput, ToolError>, bounds: Bounds) => {
  if (Exit.isSuccess(exit)) return outputFields(exit.value, bounds)
  const error = exit.cause.reasons.find(Cause.isFailReason)?.error
  return failureFields(error ?? new ToolError({ code: "tool_failed", detail: "The tool failed inside." }), bounds.mask)
}
