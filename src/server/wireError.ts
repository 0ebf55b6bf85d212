/** An error as it leaves a transport that has no session behind it: one event, or one HTTP problem (PROTOCOL §3). */
import { type ErrorCode, table } from "../domain/ErrorCode.ts"
import { PROTOCOL_VERSION } from "../domain/Event.ts"

export interface Refusal {
  readonly code: ErrorCode
  /** More than the code's own sentence says; never a secret, never what was sent. */
  readonly detail?: string
  readonly retry_after_ms?: number
}

export const errorEvent = ({ code, detail, retry_after_ms }: Refusal, locale: "en" | "zh-CN"): string => {
  const { retryable, en, zh } = table[code]
  const message = detail ?? (locale === "zh-CN" ? zh : en)
  const error = { code, message, retryable, ...(retry_after_ms === undefined ? {} : { retry_after_ms }) }
  return JSON.stringify({ type: "error", v: PROTOCOL_VERSION, ts: new Date().toISOString(), error })
}
