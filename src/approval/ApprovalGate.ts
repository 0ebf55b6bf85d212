/**
 * Policy, then grant, then a person: the one gate on the way to a tool (R137, DESIGN §6).
 * Owns: the order of checks, the minting of permits. Does not own: what is asked of whom (Approver), commits (engine).
 * Invariant: a permit exists only for an allow decision; a policy deny beats every grant; what is not one of the two
 * allow decisions denies.
 */
import { Context, type Effect } from "effect"
import type { Answer, ApprovalRequest, Grant, Permit, Preview, RiskAssessment, Via } from "../domain/Approval.ts"
import type { CallId, GrantId, RequestId, SessionId, TaskId } from "../domain/Ids.ts"
import type { ToolCall } from "../domain/Message.ts"
import type { ApprovalRequired, Question, Reply } from "./Approver.ts"

/**
 * `ask` asks for what changes something; `accept-edits` lets file edits inside the workspace pass; `plan` refuses
 * every change; `never-ask` refuses what would be asked; `bypass` allows what is not denied.
 */
export type Mode = "ask" | "accept-edits" | "plan" | "never-ask" | "bypass"

/** Said in the question that is asked again, and in the audit of the one before. */
export const CHANGED = "what it runs has changed since it was asked about"

export interface Check {
  readonly session_id: SessionId
  readonly task_id: TaskId
  readonly turn: number
  readonly call: ToolCall
  /** Digest of tool name and canonical arguments, as the registry made it. */
  readonly digest: string
  readonly assessment: RiskAssessment
  /** Made only when a person is asked. */
  readonly preview: Effect.Effect<Preview | undefined>
  /** The question about this call that is open already, from before a restart: asked on under its id. */
  readonly open?: ApprovalRequest
  /** This call was allowed before a restart, and that is stored: a permit again, unless policy denies by now. */
  readonly allowed?: true
  /** Its assessment, made anew: files may have changed since. Absent: it depends on nothing that changes. */
  readonly reassess?: Effect.Effect<RiskAssessment>
  /** Whose call it is, where not the task's own. */
  readonly subagent?: { readonly call_id: CallId; readonly title: string }
  /** It is asked about again for this reason, which the question says. */
  readonly changed?: string
}

/** The decision and its reasons: becomes `approval_resolved`, field by field. */
export interface Verdict {
  readonly decision: Answer
  readonly via: Via
  /** Name of the policy rule that decided or made it ask. */
  readonly rule?: string
  readonly reason?: string
  readonly request_id?: RequestId
  /** To be stored with the decision, in one append (SETTLED 8). */
  readonly grant?: Grant
  /** The stored grant that allowed it. */
  readonly grant_id?: GrantId
  readonly by?: string
  /** Present exactly when the decision allows. */
  readonly permit?: Permit
  /**
   * Present where what allowed it may end: false where it allows no more, or what would run is no more what was asked
   * about. Asked when the call begins (SECURITY P12).
   */
  readonly holds?: Effect.Effect<boolean>
  /** With a denial that nobody meant: while it was asked about, what it would run changed. To be checked again so. */
  readonly again?: RiskAssessment
}

export class ApprovalGate extends Context.Service<
  ApprovalGate,
  {
    readonly check: (check: Check) => Effect.Effect<Verdict, ApprovalRequired>
    /** Puts a question that is about no permission to whoever can answer: what becomes of a call that a crash cut off. */
    readonly ask: (question: Question) => Effect.Effect<Reply, ApprovalRequired>
    /** What a call is about, as its decision and its grant are shown later: a command, or a path of the workspace. */
    readonly shown: (assessment: RiskAssessment, mask: (text: string) => string) => string | undefined
  }
>()("claw/approval/ApprovalGate") {}
