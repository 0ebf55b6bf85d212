/**
 * The one error of this room. Owns: which code a foreign failure becomes. Built redacted: no key, no header,
 * no body longer than a line reaches `message`. `cause` is kept for logs and never sent.
 */
import { Schema } from "effect"
import { type ErrorCode, table } from "../domain/ErrorCode.ts"
import { Usage } from "../domain/Usage.ts"

export const ProviderCode = Schema.Literals([
  "provider_auth",
  "provider_rate_limited",
  "provider_quota",
  "provider_unavailable",
  "provider_unreachable",
  "provider_bad_request",
  "provider_model_not_found",
  "provider_timeout_connect",
  "provider_timeout_first_token",
  "provider_timeout_idle",
  "provider_timeout_total",
  "provider_bad_stream",
  "provider_output_truncated",
  "provider_context_overflow",
  "provider_refused",
  "provider_capability"
])
export type ProviderCode = typeof ProviderCode.Type

export class ProviderError extends Schema.TaggedError<ProviderError>()("ProviderError", {
  code: ProviderCode,
  /** One sentence for a person, with what to do where there is something. */
  detail: Schema.String,
  /** HTTP status, where there was an answer. */
  status: Schema.optionalKey(Schema.Int),
  /** What the server asked us to wait, milliseconds, already checked; what is honoured is Retry.ts's (LESSONS 10). */
  retryAfterMs: Schema.optionalKey(Schema.Int),
  /** It hardly passes by itself: somebody has to do something. */
  lasting: Schema.optionalKey(Schema.Boolean),
  /** No call was made: the server is left alone for now (Breaker.ts). */
  open: Schema.optionalKey(Schema.Boolean),
  /** A limit of our own was met: the server is well (Breaker.ts). */
  excess: Schema.optionalKey(Schema.Boolean),
  /** What the server counted before it failed: it is paid for all the same. */
  usage: Schema.optionalKey(Usage),
  cause: Schema.optionalKey(Schema.Defect())
}) {
  override get message(): string {
    return this.detail
  }
  get isRetryable(): boolean {
    return table[this.code satisfies ErrorCode].retryable
  }
}

/** The same error, with what the server counted before it. */
export const withUsage = (error: ProviderError, usage: Usage | undefined): ProviderError => {
  if (usage === undefined) return error
  const { cause, code, detail, excess, lasting, open, retryAfterMs, status } = error
  return new ProviderError({
    code,
    detail,
    usage,
    ...(status === undefined ? {} : { status }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    ...(lasting === undefined ? {} : { lasting }),
    ...(open === undefined ? {} : { open }),
    ...(excess === undefined ? {} : { excess }),
    ...(cause === undefined ? {} : { cause })
  })
}
