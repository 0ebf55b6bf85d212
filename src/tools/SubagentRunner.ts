/**
 * How a call runs a model of its own (R313; LESSONS 32). Owns: the tag and its words. The engine provides it around each
 * call, so that whoever is asked knows whose subagent it makes. Invariant: what a subagent may do is never more than what
 * the run that asks for it may.
 */
import { Context, type Effect } from "effect"
import type { ToolContext, ToolOutput } from "./Tool.ts"
import type { ToolError } from "./ToolError.ts"

/** The tool's name, by which it is left out where nobody may go deeper. */
export const SUBAGENT = "subagent"

export interface SubagentOrder {
  /** A few words for people. */
  readonly title: string
  /** All that it is told: it has no other history. */
  readonly prompt: string
  /** Names of the tools that it gets; absent: all that the caller has. */
  readonly tools?: ReadonlyArray<string>
  /** It changes nothing: every call that would is refused. */
  readonly read_only?: boolean
  /** Fewer turns than the limit allows. */
  readonly max_turns?: number
  /** The call ends at once; the report comes later as a message. */
  readonly background?: boolean
}

export type RunSubagent = (
  order: SubagentOrder,
  context: Pick<ToolContext, "call_id" | "emit">
) => Effect.Effect<ToolOutput, ToolError>

/** Absent: nobody runs subagents here. */
export const SubagentRunner = Context.Reference<RunSubagent | undefined>("claw/tools/SubagentRunner", {
  defaultValue: () => undefined
})
