/** An error as it leaves a stream transport that has no session behind it: one event (PROTOCOL §3). */
import { table } from "../domain/ErrorCode.ts"
import { PROTOCOL_VERSION } from "../domain/Event.ts"
import type { Refusal } from "./problem.ts"

export const errorEvent = ({ code, detail, retry_after_ms }: Refusal, locale: "en" | "zh-CN"): string => {
  const { retryable, en, zh } = table[code]
  const message = detail ?? (locale === "zh-CN" ? zh : en)
  const error = { code, message, retryable, ...(retry_after_ms === undefined ? {} : { retry_after_ms }) }
  return JSON.stringify({ type: "error", v: PROTOCOL_VERSION, ts: new Date().toISOString(), error })
}
