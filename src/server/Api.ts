/**
 * The HTTP API as one description (issue 3, DESIGN §2): every route, what it takes, what it answers, how it fails.
 * Owns: paths, methods, statuses. OpenAPI, docs, routing and the labels of metrics are made from this and nothing else.
 * Does not own: handlers. Invariant: what a server answers is described here.
 */
import { Schema } from "effect"
import { HttpApi, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Answer } from "../domain/Approval.ts"
import { SessionId } from "../domain/Ids.ts"
import { Authenticated } from "./apiCaller.ts"
import { body, cursor, gate, get, limit, optional, post, read, say } from "./apiParts.ts"
import { problems } from "./apiProblem.ts"
import { sessions } from "./apiSessionRoutes.ts"
import * as Shape from "./apiShapes.ts"
import { COOKIE } from "./cookieSessions.ts"
import { version } from "../config/Version.ts"

const text = (contentType: string) => Schema.String.pipe(HttpApiSchema.asText({ contentType }))

const system = HttpApiGroup.make("system", { topLevel: true })
  .add(
    get("alive", "/healthz", { success: Shape.Alive, error: problems(...gate) }).annotateMerge(
      say("Whether the process answers.")
    )
  )
  .add(
    get("ready", "/readyz", {
      success: Shape.Ready,
      error: [...problems(...gate), Shape.NotReady.pipe(HttpApiSchema.status(503))]
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Whether it can take a turn; why not, otherwise.",
        description:
          "200: prompts are taken. 503 with `reasons`: `server_draining` (it ends), `storage_unavailable` (a write was " +
          "refused within the last second), or the `provider_…` code with which the last call of any session to the " +
          "model server ended within the last minute, where the next one would end alike (not reached, key or account " +
          "refused, out of order). No model is called for this: a server that nobody has used yet is ready."
      })
    )
  )
  .add(
    get("openapi", "/openapi.json", { success: Schema.Unknown, error: problems(...gate) }).annotateMerge(
      say("This document.")
    )
  )
  .add(
    get("docs", "/docs", { success: text("text/html"), error: problems(...gate) }).annotateMerge(
      say("This document, for people.")
    )
  )
  .add(
    post("login", "/api/login", {
      payload: Shape.Login,
      success: HttpApiSchema.NoContent,
      error: problems(...body)
    }).annotateMerge(say("Exchanges a token for a cookie."))
  )
  .add(
    get("waysIn", "/api/login", { success: Shape.WaysIn, error: problems(...gate) }).annotateMerge(
      say("How somebody may sign in.")
    )
  )
  .add(
    get("oidcBegin", "/api/oidc/login", {
      query: { to: optional(Schema.String.check(Schema.isMaxLength(1024))) },
      success: HttpApiSchema.Empty(302),
      error: problems(...gate, 404)
    }).annotateMerge(say("Leads to the issuer, where it knows the console; from there back to `to`."))
  )
  .add(
    get("oidcFinish", "/api/oidc/callback", {
      success: HttpApiSchema.Empty(302),
      error: problems(...gate, 404)
    }).annotateMerge(say("Where the issuer sends the browser back to: a cookie, and on to the console."))
  )
  .add(
    post("logout", "/api/logout", {
      success: HttpApiSchema.NoContent,
      error: problems(...gate, 500, 503)
    }).annotateMerge(say("Ends the cookie."))
  )

const own = HttpApiGroup.make("own")
  .add(
    get("me", "/api/me", { success: Shape.Me, error: problems(...gate, 401, 500, 503) }).annotateMerge(say("Who asks."))
  )
  .add(
    get("metrics", "/metrics", {
      success: text("text/plain; version=0.0.4"),
      error: problems(...gate, 401, 500, 503)
    }).annotateMerge(say("Metrics for Prometheus."))
  )
  .add(
    get("audit", "/api/audit", {
      query: {
        session: optional(SessionId),
        tool: optional(Schema.String),
        since: optional(Schema.String),
        decision: optional(Answer),
        order: optional(Schema.Literals(["oldest", "newest"])),
        limit,
        cursor
      },
      success: [Shape.AuditPage, HttpApiSchema.StreamNdjson({ schema: Shape.Audit })],
      error: problems(...read)
    }).annotateMerge(
      say(
        "Decisions about tool calls, the oldest first unless `order` says otherwise; with `Accept: application/x-ndjson` all of them, a line each."
      )
    )
  )
  .add(
    get("usage", "/api/usage", {
      query: { limit, cursor },
      success: Shape.UsageReport,
      error: problems(...read)
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Tokens and cost: in all, by day, and of a page of sessions (newest first).",
        description:
          "`total` and `days` (UTC) hold what sessions spent that were removed since, and are whole on every page. A copy " +
          "spent nothing of its source's."
      })
    )
  )
  .add(
    get("waiting", "/api/approvals", { success: Shape.Waiting, error: problems(...read) }).annotateMerge(
      say("Questions of all sessions that wait for an answer; those that expire first stand first.")
    )
  )
  .add(
    get("options", "/api/options", { success: Shape.Options, error: problems(...read, 422) }).annotateMerge(
      say("What a new session of the caller's may be: workspaces, modes, model.")
    )
  )
  .middleware(Authenticated)

const security = {
  bearer: { type: "http", scheme: "bearer", description: "An API token or a JWT." },
  cookie: { type: "apiKey", in: "cookie", name: COOKIE, description: "What POST /api/login gives." }
}

/** How a request says who it is: either way, or not at all where the server needs nobody to be. */
const secured = (spec: Readonly<Record<string, unknown>>): Record<string, unknown> => ({
  ...spec,
  components: { ...(spec["components"] as object), securitySchemes: security },
  security: [{ bearer: [] }, { cookie: [] }, {}]
})

export const Api = HttpApi.make("claw")
  .add(system, own, sessions)
  .annotateMerge(
    OpenApi.annotations({
      title: "claw",
      version,
      transform: secured,
      description: "Sessions of an agent over HTTP. Errors are problem details with the codes of the wire protocol."
    })
  )
