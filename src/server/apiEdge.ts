/**
 * What every HTTP request passes, whatever its route: its id, its language, foreign origins, unknown routes, headers of
 * security, its count and its line in the log. Owns: the order of these. Does not own: routes (Api).
 * Invariants: every answer has `x-request-id`; every failure, a defect too, is a problem; labels are routes' templates.
 */
import type { IncomingMessage } from "node:http"
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import { Cause, Clock, Effect, Metric } from "effect"
import { HttpServerError, HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApi, HttpApiError } from "effect/http-api"
import { newRequestId } from "../domain/Ids.ts"
import { httpRequests } from "../observability/ServerMetrics.ts"
import { attributes } from "../observability/Telemetry.ts"
import { Api } from "./Api.ts"
import { oneLine } from "./apiBody.ts"
import { ApiError, type Coded, CurrentRequest, problem, type RequestInfo } from "./apiProblem.ts"
import type { ShowPage } from "./consolePage.ts"
import { localeOf } from "./locale.ts"

interface RouteShape {
  readonly method: string
  readonly path: string
  readonly segments: ReadonlyArray<string>
}

const routes: ReadonlyArray<RouteShape> = (() => {
  const found: Array<RouteShape> = []
  HttpApi.reflect(Api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint }) =>
      void found.push({ method: endpoint.method, path: endpoint.path, segments: endpoint.path.split("/") })
  })
  return found
})()

const fits = (route: RouteShape, parts: ReadonlyArray<string>): boolean =>
  route.segments.length === parts.length &&
  route.segments.every((segment, i) => (segment.startsWith(":") ? parts[i] !== "" : segment === parts[i]))

export interface Place {
  /** The template, or `unmatched`. */
  readonly route: string
  /** Methods that the address takes; empty: there is nothing. */
  readonly methods: ReadonlyArray<string>
}

export const placeOf = (url: string): Place => {
  const parts = (url.split(/[?#]/, 1)[0] ?? "").split("/")
  const found = routes.filter((route) => fits(route, parts))
  const methods = found.map((route) => route.method)
  return { route: found[0]?.path ?? "unmatched", methods: methods.includes("GET") ? [...methods, "HEAD"] : methods }
}

const known = new Set(["GET", "HEAD", "POST", "DELETE", "PUT", "PATCH", "OPTIONS"])

/** A page from elsewhere may not change anything here, whatever the browser sends along. */
const isForeign = (request: IncomingMessage, allowed: ReadonlyArray<string>): boolean => {
  const { origin, host } = request.headers
  if (request.method === "GET" || request.method === "HEAD") return false
  if (origin === undefined) return request.headers["sec-fetch-site"] === "cross-site"
  return origin !== `http://${host}` && origin !== `https://${host}` && !allowed.includes(origin)
}

export const securityHeaders = (info: RequestInfo) => ({
  "x-request-id": info.request_id,
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
  "cross-origin-resource-policy": "same-origin",
  "cache-control": "no-store",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'"
})

const kinds = {
  Params: { code: "session_not_found" },
  Query: { code: "bad_message" },
  Headers: { code: "bad_message" },
  Payload: { code: "bad_message" },
  Body: { code: "internal" },
  ResponseHeaders: { code: "internal" }
} as const

/** Whatever went wrong outside a handler's own failures. */
const told = (cause: Cause.Cause<unknown>): Coded => {
  for (const reason of cause.reasons) {
    const error = Cause.isFailReason(reason) ? reason.error : Cause.isDieReason(reason) ? reason.defect : undefined
    if (error instanceof HttpApiError.HttpApiSchemaError) {
      const { code } = kinds[error.kind]
      const detail = code === "bad_message" ? { detail: oneLine(error.cause.message) } : {}
      return new ApiError({ code, ...detail })
    }
    if (HttpServerError.isHttpServerError(error) && error.reason._tag === "RouteNotFound") {
      return new ApiError({ code: "not_found" })
    }
  }
  return new ApiError({ code: "internal" })
}

const isOurs = (cause: Cause.Cause<unknown>): boolean => told(cause).code === "internal"

export interface EdgeOptions {
  readonly allowed_origins: ReadonlyArray<string>
  readonly address: (request: IncomingMessage) => string
  /** What is shown where there is no route. */
  readonly page: ShowPage
}

const infoOf = (request: IncomingMessage, options: EdgeOptions): RequestInfo => {
  const given = request.headers["x-request-id"]
  const isId = typeof given === "string" && /^[A-Za-z0-9._:-]{1,128}$/.test(given)
  return {
    request_id: isId ? given : newRequestId(),
    locale: localeOf(request.headers["accept-language"], "en"),
    address: options.address(request)
  }
}

type App = Effect.Effect<HttpServerResponse.HttpServerResponse, unknown, HttpServerRequest.HttpServerRequest>

/** Where there is no route there may be a page. */
const shown = (request: IncomingMessage, info: RequestInfo, { page }: EdgeOptions): App =>
  Effect.flatMap(page(request, info.locale), (found) =>
    found === undefined ? problem(new ApiError({ code: "not_found" })) : Effect.succeed(found)
  )

/** For the count and the log: what was shown, or the route's template. */
const routeOf = ({ route, methods }: Place, status: number): string =>
  methods.length === 0 && status < 400 ? "console" : route

const answer = (app: App, request: IncomingMessage, place: Place, info: RequestInfo, options: EdgeOptions): App => {
  if (place.methods.length === 0) return shown(request, info, options)
  if (!place.methods.includes(request.method ?? "")) {
    const allow = { allow: place.methods.join(", ") }
    return Effect.map(problem(new ApiError({ code: "method_not_allowed" })), HttpServerResponse.setHeaders(allow))
  }
  if (isForeign(request, options.allowed_origins)) return problem(new ApiError({ code: "forbidden" }))
  return Effect.catchCause(app, (cause) => {
    if (Cause.hasInterruptsOnly(cause)) return Effect.failCause(cause)
    const tell = isOurs(cause) ? Effect.logError("a request failed", cause) : Effect.void
    return Effect.andThen(tell, problem(told(cause)))
  })
}

export const edge = <E, R>(app: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>, options: EdgeOptions) =>
  Effect.gen(function* () {
    const asked = yield* HttpServerRequest.HttpServerRequest
    const request = NodeHttpServerRequest.toIncomingMessage(asked) as IncomingMessage
    const info = infoOf(request, options)
    const place = placeOf(asked.url)
    const began = yield* Clock.currentTimeMillis
    const session = /^\/api\/sessions\/([A-Za-z0-9._:-]{1,128})(?:[/?#]|$)/.exec(asked.url)?.[1]
    const ids = {
      [attributes.request]: info.request_id,
      ...(session === undefined ? {} : { [attributes.session]: session })
    }
    const method = known.has(request.method ?? "") ? (request.method ?? "") : "other"
    return yield* answer(app as App, request, place, info, options).pipe(
      Effect.map((response) =>
        HttpServerResponse.setHeaders(response, { ...securityHeaders(info), ...response.headers })
      ),
      Effect.tap((response) =>
        Metric.update(
          Metric.withAttributes(httpRequests, {
            method,
            route: routeOf(place, response.status),
            status: String(response.status)
          }),
          1
        )
      ),
      Effect.tap((response) =>
        Effect.flatMap(Clock.currentTimeMillis, (ended) =>
          Effect.logInfo("http request", {
            method,
            route: routeOf(place, response.status),
            status: response.status,
            ms: ended - began,
            ...(info.problem === undefined ? {} : { [attributes.code]: info.problem })
          })
        )
      ),
      Effect.provideService(CurrentRequest, info),
      Effect.annotateLogs(ids)
    )
  })
