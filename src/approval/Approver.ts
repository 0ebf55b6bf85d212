/**
 * How a person is asked. Owns: the contract only; a runtime provides the one that journals the question and waits
 * for the first answer of any client (DESIGN §6), a program may provide its own.
 * Invariant: interrupting `ask` withdraws the question and leaves no reader behind (R129, R163).
 */
import { Context, Effect, Layer, Schema } from "effect"
import type { Answer, ApprovalRequest } from "../domain/Approval.ts"
import type { CallId, TaskId } from "../domain/Ids.ts"

/** Nobody can answer, and the mode says to ask: the task ends with `approval_required` (SETTLED 5). */
export class ApprovalRequired extends Schema.TaggedError<ApprovalRequired>()("ApprovalRequired", {
  tool_name: Schema.String,
  reason: Schema.String
}) {
  get code() {
    return "approval_required" as const
  }
  override get message(): string {
    return `${this.tool_name} needs an approval and nobody can be asked (${this.reason}). Allow it by a rule or with --mode, or type the task at claw's prompt in a terminal, which asks: claw run never does.`
  }
}

export interface Question {
  readonly task_id: TaskId
  readonly turn: number
  /** The call of the subagent that asks. */
  readonly parent_call_id?: CallId
  readonly request: ApprovalRequest
}

/**
 * `timeout` and `cancel` (nobody may answer any more) are refusals; `recovery`: another prompt took the question's place;
 * `grant_option` is an id of the request's options (default: the first).
 */
export interface Reply {
  readonly decision: Answer
  readonly via: "user" | "timeout" | "cancel" | "recovery"
  readonly grant_option?: string
  readonly reason?: string
  readonly by?: string
}

export class Approver extends Context.Service<
  Approver,
  {
    readonly ask: (question: Question) => Effect.Effect<Reply, ApprovalRequired>
  }
>()("claw/approval/Approver") {}

/** Nobody is there. */
export const layerNobody = Layer.succeed(
  Approver,
  Approver.of({
    ask: ({ request }) => Effect.fail(new ApprovalRequired({ tool_name: request.tool_name, reason: request.reason }))
  })
)

/** Answers by a function, for programs and tests. */
export const layerWith = (answer: (question: Question) => Effect.Effect<Reply, ApprovalRequired>) =>
  Layer.succeed(Approver, Approver.of({ ask: answer }))
