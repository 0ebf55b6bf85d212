/**
 * What an HTTP request is told when it fails: problem details (RFC 9457) with the wire's own codes (PROTOCOL §3).
 * Owns: the failure that handlers raise, its body, the language. Does not own: codes, sentences, statuses.
 * Invariant: `detail` is a sentence for a person and holds no stack, secret or path; `code` is for programs.
 */
import { Context, Effect, Metric, Schema } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiSchema } from "effect/http-api"
import { ErrorCode, errorBody, table } from "../domain/ErrorCode.ts"
import { errors } from "../observability/ServerMetrics.ts"
import { httpStatus, localised, type WireLocale } from "../protocol/WireError.ts"

export const CONTENT_TYPE = "application/problem+json"

export class ApiError extends Schema.TaggedError<ApiError>()("ApiError", {
  code: ErrorCode,
  detail: Schema.optionalKey(Schema.String),
  retry_after_ms: Schema.optionalKey(Schema.Int)
}) {
  override get message(): string {
    return this.detail ?? table[this.code].en
  }
}

export const refuse = (code: ErrorCode, detail?: string) =>
  Effect.fail(new ApiError({ code, ...(detail === undefined ? {} : { detail }) }))

/** As sent: `title` is the code's own sentence, `detail` this failure's. */
export const Problem = Schema.Struct({
  type: Schema.String,
  title: Schema.String,
  status: Schema.Int,
  detail: Schema.String,
  code: ErrorCode,
  retryable: Schema.Boolean,
  request_id: Schema.optionalKey(Schema.String),
  retry_after_ms: Schema.optionalKey(Schema.Int)
}).annotate({ identifier: "Problem", description: "Why a request failed (RFC 9457)." })
export type Problem = typeof Problem.Type

/** What is known of a request before its route is. */
export interface RequestInfo {
  readonly request_id: string
  readonly locale: WireLocale
  readonly address: string
  /** The code of the problem that it was answered with, for its line in the log. */
  problem?: ErrorCode
}

export const CurrentRequest = Context.Reference<RequestInfo>("claw/server/CurrentRequest", {
  defaultValue: () => ({ request_id: "", locale: "en", address: "" })
})

/** Whatever has a code of the table and a sentence: the errors of runtime, store, authentication and of this room. */
export interface Coded {
  readonly code: ErrorCode
  readonly message: string
  readonly retry_after_ms?: number
}

/** Who has the session, as the store says it. */
export const holderIn = (error: Coded): string => /\((process \d+)\)/.exec(error.message)?.[1] ?? "another process"

/** Sentences for a client; the others may name places of this machine, and one says no more than that nothing is there. */
const spoken = (error: Coded): string | undefined => {
  if (error.code === "session_moved") return `${table.session_moved.en} (${holderIn(error)})`
  return error.message === "" ||
    error.code === "session_not_found" ||
    table[error.code].fault === "server" ||
    table[error.code].fault === "operator"
    ? undefined
    : error.message
}

export const problemOf = (error: Coded, info: RequestInfo): Problem => {
  const body = localised(errorBody(error.code, spoken(error)), info.locale)
  const { en, zh } = table[error.code]
  return {
    type: `urn:claw:error:${error.code}`,
    title: info.locale === "zh-CN" ? zh : en,
    status: httpStatus(error.code),
    detail: body.message,
    code: error.code,
    retryable: body.retryable,
    ...(info.request_id === "" ? {} : { request_id: info.request_id }),
    ...(error.retry_after_ms === undefined ? {} : { retry_after_ms: error.retry_after_ms })
  }
}

/** The answer that says why, counted. */
export const problem = Effect.fnUntraced(function* (error: Coded) {
  const info = yield* CurrentRequest
  info.problem = error.code
  const body = problemOf(error, info)
  yield* Metric.update(Metric.withAttributes(errors, { code: error.code }), 1)
  const wait = error.retry_after_ms
  return HttpServerResponse.jsonUnsafe(body, {
    status: body.status,
    contentType: CONTENT_TYPE,
    headers: {
      ...(wait === undefined ? {} : { "retry-after": String(Math.ceil(wait / 1000)) }),
      ...(error.code === "unauthenticated" ? { "www-authenticate": 'Bearer realm="claw"' } : {}),
      ...(error.code === "too_large" ? { connection: "close" } : {})
    }
  })
})

/** Turns a handler's failure into its answer. */
export const answered = <A, E extends Coded, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.catch(effect, (error: E) => problem(error))

/** The problems of an endpoint, by status, for its description. */
export const problems = (...statuses: ReadonlyArray<number>) =>
  statuses.map((status) =>
    Problem.pipe(HttpApiSchema.asJson({ contentType: CONTENT_TYPE }), HttpApiSchema.status(status))
  )
