/**
 * The HTTP API as one description (issue 3, DESIGN §2): every route, what it takes, what it answers, how it fails.
 * Owns: paths, methods, statuses. OpenAPI, docs, routing and the labels of metrics are made from this and nothing else.
 * Does not own: handlers. Invariant: what a server answers is described here.
 */
import { Schema } from "effect"
import { HttpApi, HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Answer } from "../domain/Approval.ts"
import { SessionId } from "../domain/Ids.ts"
import { Authenticated } from "./apiCaller.ts"
import { problems } from "./apiProblem.ts"
import * as Shape from "./apiShapes.ts"
import { COOKIE } from "./cookieSessions.ts"
import { version } from "../config/Version.ts"

const optional = Schema.optionalKey
const say = (summary: string) => OpenApi.annotations({ summary })
const { get, post } = HttpApiEndpoint
const del = HttpApiEndpoint.make("DELETE")
const text = (contentType: string) => Schema.String.pipe(HttpApiSchema.asText({ contentType }))

const limit = optional(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1000 })))
const count = optional(Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)))
const cursor = optional(Schema.String.check(Schema.isMaxLength(1024)))
const session = { session_id: SessionId }
const id = Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(256))
/** What any request may be told: it is none of ours, or there are too many. */
const gate = [400, 403, 429] as const
const body = [400, 401, 403, 413, 415, 429, 500, 503] as const
const read = [400, 401, 403, 404, 429, 500, 503] as const
const change = [...body, 404, 409] as const

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
    post("logout", "/api/logout", { success: HttpApiSchema.NoContent, error: problems(...gate, 500) }).annotateMerge(
      say("Ends the cookie.")
    )
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
        limit,
        cursor
      },
      success: [Shape.AuditPage, HttpApiSchema.StreamNdjson({ schema: Shape.Audit })],
      error: problems(...read)
    }).annotateMerge(say("Decisions about tool calls; with `Accept: application/x-ndjson` all of them, a line each."))
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
  .middleware(Authenticated)

const sessions = HttpApiGroup.make("sessions")
  .add(
    post("create", "/api/sessions", {
      payload: Shape.CreateSession,
      success: Shape.Status.pipe(HttpApiSchema.status(201)),
      error: problems(...change, 422)
    }).annotateMerge(say("Makes a session."))
  )
  .add(
    get("list", "/api/sessions", {
      query: { q: optional(Schema.String.check(Schema.isMaxLength(1024))), limit, cursor },
      success: Shape.SessionPage,
      error: problems(...read)
    }).annotateMerge(
      OpenApi.annotations({
        summary: "Sessions, newest first; `q`: those whose id, title or workspace has this text.",
        description: "A page of a search may be short, or empty, and still have a `next_cursor`: go on with it."
      })
    )
  )
  .add(
    get("show", "/api/sessions/:session_id", {
      params: session,
      success: Shape.Status,
      error: problems(...read, 409, 422)
    }).annotateMerge(say("A session's status."))
  )
  .add(
    del("remove", "/api/sessions/:session_id", {
      params: session,
      success: HttpApiSchema.NoContent,
      error: problems(...read, 409)
    }).annotateMerge(say("Ends its task and removes the session."))
  )
  .add(
    get("events", "/api/sessions/:session_id/events", {
      params: session,
      query: { after: count, limit },
      headers: { "last-event-id": optional(Schema.String) },
      success: [Shape.EventPage, HttpApiSchema.StreamSse({ data: Shape.Fact })],
      error: problems(...read, 406, 409, 416, 422)
    }).annotateMerge(
      OpenApi.annotations({
        summary:
          "Events as they happen (SSE, resumed by Last-Event-ID), or a page of facts (`Accept: application/json`).",
        description:
          "A message of the stream has no `event:` field: every type comes to `onmessage`, and `data.type` tells which " +
          "it is. Only facts have an `id:`, their `seq`; what is told while it happens has none and is not repeated. A " +
          "server that ends says `draining` with its `deadline`, then ends the stream; whoever comes back goes on."
      })
    )
  )
  .add(
    post("prompt", "/api/sessions/:session_id/prompt", {
      params: session,
      headers: { "idempotency-key": optional(Schema.String) },
      payload: Shape.Prompt,
      success: Shape.Accepted.pipe(HttpApiSchema.status(202)),
      error: problems(...change, 422)
    }).annotateMerge(say("Starts a task, or keeps the prompt for later."))
  )
  .add(
    post("interrupt", "/api/sessions/:session_id/interrupt", {
      params: session,
      payload: Shape.Interrupt,
      success: HttpApiSchema.NoContent,
      error: problems(...change, 422)
    }).annotateMerge(say("Cancels the running task and waits for its end."))
  )
  .add(
    get("approvals", "/api/sessions/:session_id/approvals", {
      params: session,
      success: Shape.Approvals,
      error: problems(...read, 409, 422)
    }).annotateMerge(say("Questions that wait for an answer."))
  )
  .add(
    post("approve", "/api/sessions/:session_id/approvals/:request_id", {
      params: { ...session, request_id: id },
      payload: Shape.ApprovalAnswer,
      success: HttpApiSchema.NoContent,
      error: problems(...change, 410, 422)
    }).annotateMerge(say("Answers a question."))
  )
  .add(
    del("unqueue", "/api/sessions/:session_id/queue/:prompt_id", {
      params: { ...session, prompt_id: id },
      success: HttpApiSchema.NoContent,
      error: problems(...read, 409, 422)
    }).annotateMerge(say("Takes a waiting prompt back."))
  )
  .add(
    post("command", "/api/sessions/:session_id/command", {
      params: session,
      payload: Shape.Command,
      success: HttpApiSchema.NoContent,
      error: problems(...change, 422)
    }).annotateMerge(say("Changes the session: clear, rename, mode, model, queue."))
  )
  .add(
    post("fork", "/api/sessions/:session_id/fork", {
      params: session,
      payload: Shape.Fork,
      success: Shape.Status.pipe(HttpApiSchema.status(201)),
      error: problems(...change, 416, 422)
    }).annotateMerge(say("Makes a session whose past is a copy of this one's."))
  )
  .add(
    get("grants", "/api/sessions/:session_id/grants", {
      params: session,
      query: { limit, cursor },
      success: Shape.Grants,
      error: problems(...read, 409, 422)
    }).annotateMerge(say("Grants in force."))
  )
  .add(
    del("revoke", "/api/sessions/:session_id/grants/:grant_id", {
      params: { ...session, grant_id: id },
      success: HttpApiSchema.NoContent,
      error: problems(...read, 409, 422)
    }).annotateMerge(say("Takes a grant back."))
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
