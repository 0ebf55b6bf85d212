/**
 * What the descriptions of several routes share: limits, cursors, and which ways to fail a kind of route has (issue 3).
 * Owns: these pieces. Does not own: routes (Api, apiSessionRoutes).
 */
import { Schema } from "effect"
import { HttpApiEndpoint, OpenApi } from "effect/http-api"
import { SessionId } from "../domain/Ids.ts"

export const optional = Schema.optionalKey
export const say = (summary: string) => OpenApi.annotations({ summary })
export const { get, post } = HttpApiEndpoint
export const del = HttpApiEndpoint.make("DELETE")
export const patch = HttpApiEndpoint.make("PATCH")

export const limit = optional(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1000 })))
export const count = optional(Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)))
export const cursor = optional(Schema.String.check(Schema.isMaxLength(1024)))
export const session = { session_id: SessionId }
export const id = Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(256))
/** What any request may be told: it is none of ours, or there are too many. */
export const gate = [400, 403, 429] as const
export const body = [400, 401, 403, 413, 415, 429, 500, 503] as const
export const read = [400, 401, 403, 404, 429, 500, 503] as const
export const change = [...body, 404, 409] as const
