/**
 * The body of a request as a value (PROTOCOL §1, Limits). Owns: its size, counted while it arrives; its media type, its
 * text, its depth. Invariants: nothing is read beyond the limit, and each way to be wrong has its own code; a field that
 * the description has not is refused, for what it was meant to say would silently not hold.
 */
import { Effect, Schema, SchemaIssue, Stream } from "effect"
import { HttpServerRequest } from "effect/http"
import type { ConfigShape } from "../config/AppConfig.ts"
import { table } from "../domain/ErrorCode.ts"
import { repeatsKey } from "../domain/RepeatedKeys.ts"
import { isDeeperThan, REPEATED, taint } from "../protocol/Decode.ts"
import { ApiError, refuse } from "./apiProblem.ts"

type Limits = Pick<ConfigShape["limit"], "http_body_bytes" | "message_depth">

const tooLarge = new ApiError({ code: "too_large" })

const bytesOf = (request: HttpServerRequest.HttpServerRequest, most: number) => {
  if (Number(request.headers["content-length"] ?? 0) > most) return Effect.fail(tooLarge)
  const chunks: Array<Uint8Array> = []
  let size = 0
  return request.stream.pipe(
    Stream.mapError(() => new ApiError({ code: "bad_message", detail: "The body did not arrive whole." })),
    Stream.runForEach((chunk) => {
      size += chunk.byteLength
      if (size > most) return Effect.fail(tooLarge)
      chunks.push(chunk)
      return Effect.void
    }),
    Effect.map(() => Buffer.concat(chunks))
  )
}

const isJson = (type: string | undefined): boolean => /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i.test(type ?? "")

const NOT_PLAIN = "A request's body must be sent as it is: Content-Encoding is not supported."
const NOT_UTF8 = "A request's body must be UTF-8."

/** Why the body is none that is read here, whatever it holds. */
const unsupported = ({ headers }: HttpServerRequest.HttpServerRequest, isEmpty: boolean) => {
  const type = headers["content-type"]
  if (!/^\s*(?:identity\s*)?$/i.test(headers["content-encoding"] ?? "")) return NOT_PLAIN
  if (type === undefined ? !isEmpty : !isJson(type)) return table.unsupported_media_type.en
  const charsets = Array.from((type ?? "").matchAll(/;\s*charset\s*=\s*"?([^";\s]*)/gi), ([, name = ""]) => name)
  return charsets.every((name) => /^utf-?8$/i.test(name)) ? undefined : NOT_UTF8
}

type Shape<A> = Schema.Codec<A, unknown>

const issuesOf = SchemaIssue.makeFormatterStandardSchemaV1()
const SHOWN = 64

/** A field too many is told first: it is often another one, misspelt. */
const complaint = (error: Schema.SchemaError): string => {
  const unknown = issuesOf(error.issue).issues.find(({ message }) => message === "Expected no excess property")
  if (unknown === undefined) return oneLine(error.message)
  const path = (unknown.path ?? []).map((part) => String(typeof part === "object" ? part.key : part)).join(".")
  return `There is no field ${JSON.stringify(path.length > SHOWN ? `${path.slice(0, SHOWN).toWellFormed()}…` : path)} here.`
}

/** The body, checked; an absent one counts as `{}`. Where the shape depends on what it holds, `shape` says which. */
export const body = Effect.fnUntraced(function* <A>(
  shape: Shape<A> | ((fields: Readonly<Record<string, unknown>>) => Shape<A>),
  limits: Limits
) {
  const request = yield* HttpServerRequest.HttpServerRequest
  const bytes = yield* bytesOf(request, limits.http_body_bytes)
  const why = unsupported(request, bytes.length === 0)
  if (why !== undefined) return yield* refuse("unsupported_media_type", why)
  const text = yield* Effect.mapError(
    Effect.try(() => new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes)),
    () => new ApiError({ code: "bad_utf8" })
  )
  if (isDeeperThan(text, limits.message_depth)) return yield* refuse("too_deep")
  const value = yield* Effect.mapError(
    Effect.try((): unknown => (text === "" ? {} : JSON.parse(text))),
    () => new ApiError({ code: "bad_json" })
  )
  if (typeof value !== "object" || value === null || Array.isArray(value)) return yield* refuse("bad_json")
  if (repeatsKey(text, value)) return yield* refuse("bad_json", REPEATED)
  const bad = taint(value)
  if (bad !== undefined) return yield* refuse("bad_message", `The body ${bad}.`)
  const schema = typeof shape === "function" && !Schema.isSchema(shape) ? shape({ ...value }) : shape
  return yield* Effect.mapError(
    Schema.decodeUnknownEffect(schema, { onExcessProperty: "error" })(value),
    (error) => new ApiError({ code: "bad_message", detail: complaint(error) })
  )
})

/** What is wrong and where, without line breaks. */
export const oneLine = (message: string): string => message.replaceAll(/\s+/g, " ").trim().slice(0, 500)
