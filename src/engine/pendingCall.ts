/**
 * A stored call as the batch takes it where a task goes on. Owns: what a stored decision is still worth.
 * Invariant: what a person allowed is what its files said then; other ones are asked about again (SECURITY P12).
 */
import { Effect } from "effect"
import { CHANGED } from "../approval/ApprovalGate.ts"
import { contentOf } from "../approval/Cover.ts"
import type { ApprovalRequest } from "../domain/Approval.ts"
import type { ToolRegistry } from "../tools/ToolRegistry.ts"
import * as Pairing from "./pairing.ts"
import type { CallStep } from "./Resumption.ts"
import type { Pending } from "./toolBatch.ts"

/** A question about a dead call knows the files of before only where these had been asked about. */
const wasOther = (request: ApprovalRequest | undefined, content: string | undefined): boolean => {
  if (request === undefined || (request.kind === "recovery" && request.content_digest === undefined)) return false
  return request.content_digest !== content
}

export const pendingOf = Effect.fnUntraced(function* (registry: ToolRegistry["Service"], step: CallStep) {
  const { call_id, tool_name, arguments: args, request, resolved } = step.call
  const item = yield* Pairing.planAgain(registry, { call_id, tool_name, arguments: args }, step.do === "reject")
  const content = item.kind === "ready" ? contentOf(item.assessment) : undefined
  if (step.do === "run") {
    const allowed = wasOther(request, content) ? { changed: CHANGED } : ({ decided: "allowed" } as const)
    return { item, attempt: step.attempt, ...allowed } satisfies Pending
  }
  if (step.do === "reject") return { item, attempt: 1 } satisfies Pending
  const { attempt } = step
  // Whoever asks has made something else of it by now (`recovering.heard`); what nobody was heard about never runs.
  if (step.do === "deny" || step.do === "ask") return { item, attempt, decided: "denied" } satisfies Pending
  if (resolved !== undefined) return { item, attempt, judged: resolved.via } satisfies Pending
  return { item, attempt, ...(request === undefined ? {} : { open: request }) } satisfies Pending
})
