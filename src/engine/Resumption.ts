/**
 * Where a stopped task goes on, as its stored facts say (DESIGN §7). Owns: the shape; the runtime decides, the engine
 * carries it out. Invariant: nothing here repeats an effect that may already have happened, unless repeating it is
 * harmless by its tool's own word.
 */
import type { ApprovalRequest } from "../domain/Approval.ts"
import type { Durable } from "../domain/Event.ts"
import type { CallId } from "../domain/Ids.ts"
import type { CallState, SessionState } from "../domain/Session.ts"

import type { FileIntent } from "../tools/Tool.ts"

export type { FileIntent }

/**
 * `check`: no person decided yet; an open question is asked under its old id, and what rules, the mode or a grant
 * allowed is judged as things are now. `run`: allowed by a person. Both of what has not begun, or is harmless (or a
 * person's word) to begin again as `attempt`. `deny`: decided, its result is missing. `reject`: its
 * arguments never parsed. `ask`: it ran when its process died; `request` asks a person, and is stored already.
 */
export type CallStep =
  | { readonly do: "check"; readonly call: CallState; readonly attempt: number }
  | { readonly do: "run"; readonly call: CallState; readonly attempt: number }
  | { readonly do: "deny"; readonly call: CallState; readonly attempt: number }
  | { readonly do: "reject"; readonly call: CallState }
  | { readonly do: "ask"; readonly call: CallState; readonly request: ApprovalRequest; readonly attempt: number }

/** What was stored about a call that was started and has no result. */
export interface CallMark {
  readonly intent?: FileIntent
  /** A process of it was announced. */
  readonly announced: boolean
}

/** What a call's `tool_result` says of its end. */
export type Ended = Pick<Durable<"tool_result">, "status" | "result"> &
  Partial<Pick<Durable<"tool_result">, "exit_code" | "signal" | "truncated" | "duration_ms" | "own_chars">>

/** What can be known of a call that was started and has no result: may it run again, did it happen, or who knows. */
export type Look = { readonly kind: "again" } | ({ readonly kind: "done" } & Ended) | { readonly kind: "unknown" }

/**
 * `turn`: the next turn begins. `ask`: the model was asked and its answer is not stored. `calls`: the answer is stored
 * and some of its calls have no result. `finish`: the answer was the last one.
 */
export type Place =
  | { readonly kind: "turn" }
  | { readonly kind: "ask" }
  | { readonly kind: "calls"; readonly steps: ReadonlyArray<CallStep> }
  | { readonly kind: "finish" }

export interface Resumption {
  readonly place: Place
  /** Calls of the session whose arguments did not parse. */
  readonly broken: ReadonlySet<CallId>
  /** Subagents whose model had been asked when the process died: their questions count. */
  readonly cut?: ReadonlyArray<SessionState>
}
