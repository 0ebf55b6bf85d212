/**
 * How an error code looks on each transport (PROTOCOL §3, SETTLED 20). Owns: HTTP status and WebSocket close code of
 * every code; sentences and whose fault it is stand in `domain/ErrorCode`. Invariant: total over the codes, pinned by a
 * test; a code closes a connection only where it stands in `closing`.
 */
import { type ErrorBody, type ErrorCode, table } from "../domain/ErrorCode.ts"

/** Codes that end the connection they are sent on → its WebSocket close code. */
export const closing: Partial<Readonly<Record<ErrorCode, number>>> = {
  bad_utf8: 1007,
  too_large: 1009,
  server_draining: 1001,
  internal: 1011,
  too_many_connections: 1013,
  slow_consumer: 4008,
  handshake_timeout: 4408,
  idle_timeout: 4409,
  unauthenticated: 4401,
  forbidden: 4403,
  rate_limited: 4429
}

const statuses: Partial<Readonly<Record<ErrorCode, number>>> = {
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  not_acceptable: 406,
  unsupported_media_type: 415,
  session_not_found: 404,
  approval_not_found: 404,
  grant_not_found: 404,
  prompt_not_found: 404,
  no_task: 409,
  nothing_to_restore: 409,
  nothing_to_compact: 409,
  session_busy: 409,
  session_exists: 409,
  session_creating: 409,
  idempotency_conflict: 409,
  approval_already_resolved: 409,
  session_moved: 409,
  session_damaged: 409,
  fenced: 409,
  approval_expired: 410,
  too_large: 413,
  position_ahead: 416,
  rate_limited: 429,
  queue_full: 429,
  too_many_sessions: 429,
  too_many_connections: 429,
  handshake_timeout: 408,
  idle_timeout: 408,
  server_draining: 503,
  storage_unavailable: 503,
  internal: 500
}

const byFault = { client: 400, user: 422, model: 422, provider: 502, server: 500, operator: 503 } as const

export const httpStatus = (code: ErrorCode): number => statuses[code] ?? byFault[table[code].fault]

/** Absent: the code is an answer and the connection lives on. */
export const closeCode = (code: ErrorCode): number | undefined => closing[code]

export type WireLocale = "en" | "zh-CN"

/** The body of a code in the reader's language; `message` stands where the table's sentence is too general. */
export const localised = (body: ErrorBody, locale: WireLocale): ErrorBody =>
  locale === "zh-CN" && body.message === table[body.code].en ? { ...body, message: table[body.code].zh } : body
