/** What a conversation is shown as: prompts, answers, calls, notes and ends. Owns: the shapes. Units: milliseconds. */
import type { ApprovalRequest, Risk } from "../../domain/Approval.ts"
import type { BudgetLeft } from "../../domain/Budget.ts"
import type { Durable, StateName } from "../../domain/Event.ts"
import type { Report } from "../../domain/FromClaw.ts"
import type { HookName } from "../../domain/HookName.ts"
import type { Usage } from "../../domain/Usage.ts"

export interface PromptItem {
  readonly kind: "prompt"
  readonly key: string
  readonly at: number
  readonly text: string
  /** It reached a running task. */
  readonly steered: boolean
}

export interface AnswerItem {
  readonly kind: "answer"
  readonly key: string
  readonly at: number
  readonly text: string
  readonly reasoning: string
  /** Reasoning that had text before the answer had any: how long it took. */
  readonly thought_ms?: number
  /** More may come. */
  readonly open: boolean
  readonly cut: boolean
  /** It does not count: the model was asked again. */
  readonly superseded: boolean
}

export type Resolved = Pick<Durable<"approval_resolved">, "decision" | "via" | "by" | "reason" | "rule" | "request_id">

/** What a subagent does inside its call. */
export interface Inside {
  readonly title: string
  /** Its call has its result already; its report comes as a message. */
  readonly background: boolean
  readonly since: number
  readonly ended_at?: number
  readonly ended?: Durable<"subagent_ended">
  /** Its order first. */
  readonly items: ReadonlyArray<Item>
}

export interface CallItem {
  readonly kind: "call"
  readonly key: string
  readonly at: number
  readonly call_id: string
  readonly tool_name: string
  /** The arguments, JSON text. */
  readonly content: string
  readonly risk?: Risk
  readonly request?: ApprovalRequest
  readonly resolved?: Resolved
  readonly started_at?: number
  readonly ended_at?: number
  readonly attempt: number
  /** The end of its live output. */
  readonly output: string
  readonly received: number
  readonly result?: Durable<"tool_result">
  readonly inside?: Inside
}

export type End = Durable<"task_completed"> | Durable<"task_canceled"> | Durable<"task_failed">

export interface EndItem {
  readonly kind: "end"
  readonly key: string
  readonly at: number
  readonly event: End
  readonly ms?: number
  /** Calls that the end cut off. */
  readonly stopped: ReadonlyArray<CallItem>
  /** It ran something that may have changed files. */
  readonly acted: boolean
  /** A person ended it where they were asked what becomes of a call that was cut off. */
  readonly chosen: boolean
}

export type NoteItem = { readonly kind: "note"; readonly key: string; readonly at: number } & (
  | { readonly note: "cleared" }
  | { readonly note: "standsIn"; readonly model: string }
  | { readonly note: "compacted"; readonly event: Durable<"compacted"> }
  | { readonly note: "hookFailed"; readonly event: Durable<"hook_failed"> }
  | { readonly note: "restored"; readonly event: Durable<"files_restored"> }
  | { readonly note: "report"; readonly report: Report }
  | { readonly note: "reminded" }
  /** What a hook of before a prompt adds to it. */
  | { readonly note: "hook"; readonly hook: HookName; readonly text: string }
  | { readonly note: "unrecorded"; readonly reason: Durable<"checkpoint_skipped">["reason"] }
)

export type Item = PromptItem | AnswerItem | CallItem | EndItem | NoteItem

/** What a session does now, as far as it says so. */
export interface Doing {
  readonly state: StateName
  readonly task?: { readonly task_id: string; readonly since: number; readonly usage: Usage }
  readonly retry?: { readonly attempt: number; readonly until: number }
  /** What limits of spending leave to the running task. */
  readonly left?: BudgetLeft
  /** Its place among the tasks that wait for the server. */
  readonly place?: number
}
