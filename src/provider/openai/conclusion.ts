/**
 * What a finished stream amounts to: an answer, or an error (LESSONS 5, 6, SETTLED 15, 20). Owns: finish reasons and
 * the rules that say which endings count. Pure.
 * Invariant: whether there are calls decides, not the finish reason; nothing that a limit or a filter cut is ever run.
 */
import type { FinishReason } from "../../domain/Event.ts"
import { fault } from "../../domain/FaultTexts.ts"
import type { CallId } from "../../domain/Ids.ts"
import type { Usage } from "../../domain/Usage.ts"
import type { Completed } from "../ModelPart.ts"
import { ProviderError } from "../ProviderError.ts"
import { type Assembly, type Offered, finish, isCut } from "./toolCalls.ts"

export interface Draft {
  readonly content: string
  readonly reasoning: string
  readonly assembly: Assembly
  /** As the server spelled it; absent: it never said. */
  readonly reason: string | undefined
  readonly usage: Usage | undefined
  readonly model: string | undefined
  /** What the server wants back of its reasoning. */
  readonly state?: string
}

const reasons: Readonly<Record<string, FinishReason>> = {
  stop: "stop",
  eos: "stop",
  eos_token: "stop",
  end_turn: "stop",
  stop_sequence: "stop",
  tool_calls: "tool_calls",
  tool_use: "tool_calls",
  function_call: "tool_calls",
  length: "length",
  max_tokens: "length",
  model_length: "length",
  model_context_window_exceeded: "length",
  content_filter: "content_filter",
  sensitive: "content_filter"
}

/** Finish reasons that say the server failed. */
const broken = new Set(["network_error", "insufficient_system_resource", "error", "abort"])

/** Of two finish reasons the one that warns wins, else the first. */
export const heavier = (a: string | undefined, b: string): string => {
  const weight = (reason: string) =>
    broken.has(reason) ? 3 : reasons[reason] === "content_filter" ? 2 : reasons[reason] === "length" ? 1 : 0
  return a === undefined || weight(b) > weight(a) ? b : a
}

const error = (code: ProviderError["code"], detail: string) => new ProviderError({ code, detail })

const objection = ({ content, reasoning, assembly, reason }: Draft): ProviderError | undefined => {
  const calls = assembly.drafts.length > 0
  if (reason !== undefined && broken.has(reason)) {
    return error("provider_unavailable", fault("broke_off", { reason }))
  }
  const kind = reason === undefined ? undefined : reasons[reason]
  if (kind === "length" && calls && isCut(assembly)) {
    return error("provider_output_truncated", fault("limit_in_call"))
  }
  if (kind === "content_filter" && (calls || content === "")) {
    return error("provider_refused", fault("filter_stopped"))
  }
  if (content !== "" || calls) return undefined
  if (kind === "length") {
    return error("provider_output_truncated", fault("limit_before_answer"))
  }
  return error("provider_bad_stream", fault(reasoning === "" ? "empty" : "thought_only"))
}

const reasonOf = (reason: string | undefined, calls: boolean): FinishReason => {
  const kind = reason === undefined ? "stop" : (reasons[reason] ?? "other")
  if (calls) return kind === "length" ? "length" : "tool_calls"
  return kind === "tool_calls" ? "stop" : kind
}

/** A model's name is no longer than this; it is a fact of every turn. */
const MODEL_LIMIT = 256

export const conclude = (draft: Draft, newId: () => CallId, offered?: Offered): Completed | ProviderError => {
  const refused = objection(draft)
  if (refused !== undefined) return refused
  const calls = draft.assembly.drafts.length > 0
  const { calls: tool_calls, bad } = calls ? finish(draft.assembly, newId, offered) : { calls: [], bad: [] }
  if (calls && tool_calls.length === 0 && draft.content === "") return error("provider_bad_stream", fault("empty"))
  return {
    type: "completed",
    message: {
      role: "assistant",
      content: draft.content.toWellFormed(),
      ...(draft.reasoning === "" ? {} : { reasoning: draft.reasoning.toWellFormed() }),
      ...(draft.state === undefined ? {} : { reasoning_state: draft.state }),
      tool_calls
    },
    bad_calls: bad,
    finish_reason: reasonOf(draft.reason, tool_calls.length > 0),
    ...(draft.usage === undefined ? {} : { usage: draft.usage }),
    ...(draft.model === undefined ? {} : { model: draft.model.slice(0, MODEL_LIMIT).toWellFormed() })
  }
}
