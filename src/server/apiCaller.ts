/**
 * Who asks a route (R176, R273). Owns: the service that handlers read, the check before any of them runs,
 * and how often somebody may ask (R233).
 * Does not own: how a principal is recognised (Auth) or what a role may do (domain/Principal).
 * Invariant: behind this middleware there is a principal; another owner's session is as unknown as one that never was.
 */
import { Clock, Context, Effect, Layer, Metric } from "effect"
import { HttpServerRequest } from "effect/http"
import { HttpApiMiddleware } from "effect/http-api"
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import * as PerPrincipal from "../channel/PerPrincipal.ts"
import { AppConfig } from "../config/AppConfig.ts"
import { may, ownerOf, type Owner, type Permission, type Principal } from "../domain/Principal.ts"
import { authFailures } from "../observability/ServerMetrics.ts"
import { ApiError, CurrentRequest, problem, refuse } from "./apiProblem.ts"
import { Auth, type AskedBy } from "./Auth.ts"

export interface CallerShape {
  readonly principal: Principal
  readonly owner: Owner
}

export class Caller extends Context.Service<Caller, CallerShape>()("claw/server/Caller") {}

export class Authenticated extends HttpApiMiddleware.Service<Authenticated, { provides: Caller; requires: never }>()(
  "claw/server/Authenticated"
) {}

export const askedBy: Effect.Effect<AskedBy, never, HttpServerRequest.HttpServerRequest> = Effect.gen(function* () {
  const request = yield* HttpServerRequest.HttpServerRequest
  const { address } = yield* CurrentRequest
  return { headers: NodeHttpServerRequest.toIncomingMessage(request).headers, address }
})

export const layerAuthenticated = Layer.effect(
  Authenticated,
  Effect.gen(function* () {
    const auth = yield* Auth
    const { requests_per_second: capacity } = (yield* AppConfig).limit
    const take = PerPrincipal.make({ capacity, perMs: capacity / 1000 })
    const recognise = Effect.flatMap(askedBy, auth.recognise).pipe(
      Effect.flatMap((principal) =>
        principal === undefined ? new ApiError({ code: "unauthenticated" }) : Effect.succeed(principal)
      ),
      Effect.tapError(({ code }) => (code === "storage_unavailable" ? Effect.void : Metric.update(authFailures, 1)))
    )
    const inTime = (principal: Principal) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        const retry_after_ms = take(principal, now)
        return retry_after_ms === 0
          ? Effect.succeed(principal)
          : Effect.fail(new ApiError({ code: "rate_limited", retry_after_ms }))
      })
    return Authenticated.of((handler) =>
      Effect.matchEffect(Effect.flatMap(recognise, inTime), {
        onFailure: problem,
        onSuccess: (principal) =>
          Effect.provideService(handler, Caller, Caller.of({ principal, owner: ownerOf(principal) })).pipe(
            Effect.annotateLogs({ user: principal.user })
          )
      })
    )
  })
)

/** The caller, where its role allows this; `forbidden` otherwise. */
export const permitted = (permission: Permission) =>
  Effect.flatMap(Caller, (caller) => (may(caller.principal, permission) ? Effect.succeed(caller) : refuse("forbidden")))
