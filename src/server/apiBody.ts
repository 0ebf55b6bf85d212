/**
 * The body of a request as a value (PROTOCOL §1, Limits). Owns: its size, counted while it arrives; its media type, its
 * text, its depth. Invariant: nothing is read beyond the limit, and each way to be wrong has its own code.
 */
import { Effect, Schema, Stream } from "effect"
import { HttpServerRequest } from "effect/http"
import type { ConfigShape } from "../config/AppConfig.ts"
import { isDeeperThan } from "../protocol/Decode.ts"
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

/** The body, checked; an absent one counts as `{}`. */
export const body = Effect.fnUntraced(function* <A>(schema: Schema.Codec<A, unknown>, limits: Limits) {
  const request = yield* HttpServerRequest.HttpServerRequest
  const bytes = yield* bytesOf(request, limits.http_body_bytes)
  const type = request.headers["content-type"]
  if (type === undefined ? bytes.length > 0 : !isJson(type)) return yield* refuse("unsupported_media_type")
  const text = yield* Effect.mapError(
    Effect.try(() => new TextDecoder("utf-8", { fatal: true }).decode(bytes)),
    () => new ApiError({ code: "bad_utf8" })
  )
  if (isDeeperThan(text, limits.message_depth)) return yield* refuse("too_deep")
  const value = yield* Effect.mapError(
    Effect.try((): unknown => (text === "" ? {} : JSON.parse(text))),
    () => new ApiError({ code: "bad_json" })
  )
  if (typeof value !== "object" || value === null || Array.isArray(value)) return yield* refuse("bad_json")
  return yield* Effect.mapError(
    Schema.decodeUnknownEffect(schema)(value),
    (error) => new ApiError({ code: "bad_message", detail: oneLine(error.message) })
  )
})

/** What is wrong and where, without line breaks. */
export const oneLine = (message: string): string => message.replaceAll(/\s+/g, " ").trim().slice(0, 500)
