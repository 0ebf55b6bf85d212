/**
 * The audit record of one decision: who allowed or refused what, by which rule, when (R158, R168, SETTLED 8). Pure: a
 * projection of `approval_resolved` and its call; chaining and storing are the store's.
 */
import type { Durable, Envelope } from "../domain/Event.ts"
import type { ToolCall } from "../domain/Message.ts"
import { digestOf } from "./matching.ts"
import { parseArguments } from "./arguments.ts"

export interface AuditRecord {
  readonly session_id: string
  readonly seq: number
  /** RFC 3339. */
  readonly when: string
  readonly call_id: string
  readonly tool_name: string
  /** Of tool name and canonical arguments: what was decided about, without its content. */
  readonly digest: string
  readonly decision: string
  readonly via: string
  readonly rule?: string
  readonly reason?: string
  readonly request_id?: string
  readonly grant_id?: string
  /** Absent: nobody was asked. */
  readonly who?: string
}

export const record = (event: Envelope & Durable<"approval_resolved">, call: ToolCall): AuditRecord => {
  const { session_id, seq, ts, call_id, decision, via, rule, reason, request_id, by } = event
  const grant_id = event.grant_id ?? event.grant?.grant_id
  return {
    session_id,
    seq,
    when: ts,
    call_id,
    tool_name: call.tool_name,
    digest: digestOf(call.tool_name, parseArguments(call.arguments) ?? {}),
    decision,
    via,
    ...(rule === undefined ? {} : { rule }),
    ...(reason === undefined ? {} : { reason }),
    ...(request_id === undefined ? {} : { request_id }),
    ...(grant_id === undefined ? {} : { grant_id }),
    ...(by === undefined ? {} : { who: by })
  }
}

/** One line, whatever the arguments or reasons hold: a record cannot be forged from inside another (corpus C023). */
export const line = (one: AuditRecord): string => JSON.stringify(one)
