/**
 * The HTTP API as one function of node's server, beside the WebSocket (DESIGN §2). Owns: which handler serves which
 * route. Does not own: the description (Api), sockets, TLS, upgrades. Invariant: what is here lives as long as the
 * caller's scope: its requests end with it, and so do event streams.
 */
import type { IncomingMessage, ServerResponse } from "node:http"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Effect, Layer } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { AppConfig } from "../config/AppConfig.ts"
import { accepted } from "./accepted.ts"
import { Api } from "./Api.ts"
import { layerAuthenticated } from "./apiCaller.ts"
import { edge, securityHeaders } from "./apiEdge.ts"
import * as Events from "./apiEvents.ts"
import * as Files from "./apiFiles.ts"
import * as Listed from "./apiListed.ts"
import { answered, CurrentRequest, refuse } from "./apiProblem.ts"
import * as Prompts from "./apiPrompts.ts"
import * as Records from "./apiRecords.ts"
import * as Sessions from "./apiSessions.ts"
import * as System from "./apiSystem.ts"
import * as Tasks from "./apiTasks.ts"
import * as ConsolePage from "./consolePage.ts"

export interface HttpOptions extends System.Life {
  /** The peer's address, behind trusted proxies; default: the socket's. */
  readonly address?: (request: IncomingMessage) => string
  /** Where the built console is. */
  readonly console?: string
  /** Prompts that have a name; absent: there are none. */
  readonly prompts?: Prompts.NamedPrompts
}

type Services = Tasks.TaskServices & { readonly prompts: Prompts.NamedPrompts }

const socketAddress = (request: IncomingMessage): string => request.socket.remoteAddress ?? ""
const STREAM = "text/event-stream"
const PAGE = "application/json"
const LINES = "application/x-ndjson"

const system = (options: HttpOptions, docs: Effect.Success<typeof System.makeDocs>) =>
  HttpApiBuilder.group(
    Api,
    "system",
    Effect.fnUntraced(function* (handlers) {
      const writable = yield* System.makeWritable
      const document = System.document()
      return handlers
        .handle("alive", () => Effect.succeed({ status: "alive" as const }))
        .handle("ready", () => System.ready(options, writable))
        .handle("openapi", () => Effect.succeed(document))
        .handle("docs", () => Effect.orDie(docs))
        .handleRaw("login", () => answered(System.login))
        .handle("logout", () => answered(System.logout))
        .handle("waysIn", () => System.waysIn)
        .handleRaw("oidcBegin", ({ query }) => answered(System.oidcBegin(query.to)))
        .handleRaw("oidcFinish", () => answered(System.oidcFinish))
    })
  )

const own = HttpApiBuilder.group(
  Api,
  "own",
  Effect.fnUntraced(function* (handlers) {
    const metrics = yield* System.makeMetrics
    return handlers
      .handle("me", () => System.me)
      .handle("metrics", () => answered(metrics))
      .handle("audit", ({ request, query }) =>
        accepted(request.headers["accept"], [PAGE, LINES]) === LINES
          ? answered(
              Effect.map(Records.auditLines(query), (lines) => HttpServerResponse.stream(lines, { contentType: LINES }))
            )
          : answered(Records.auditPage(query))
      )
      .handle("usage", ({ query }) => answered(Records.usage(query)))
      .handle("waiting", () => answered(Listed.waiting))
      .handle("options", () => answered(Sessions.options))
  })
)

/** What a GET would say of its answer, which nobody is kept for. */
const headOf = (type: string) => HttpServerResponse.empty({ status: 200, headers: { "content-type": type } })

/** Where an event stream goes on: behind what the reader had, else behind what it asked for. */
const startOf = (header: string | undefined, after: number | undefined) => {
  if (header === undefined) return Effect.succeed(after ?? 0)
  if (/^\d{1,15}$/.test(header)) return Effect.succeed(Number(header))
  return refuse("bad_message", "The header Last-Event-ID must be the id of an event: a whole number.")
}

const sessions = (services: Services) =>
  HttpApiBuilder.group(Api, "sessions", (handlers) =>
    handlers
      .handleRaw("create", () => answered(Sessions.create(services.draining)))
      .handle("list", ({ query }) => answered(Listed.list(query)))
      .handle("show", ({ params }) => answered(Sessions.show(params.session_id)))
      .handleRaw("update", ({ params }) => answered(Sessions.update(params.session_id)))
      .handle("remove", ({ params }) => answered(Sessions.remove(params.session_id)))
      .handle("events", ({ request, params, query, headers }) => {
        const wanted = accepted(request.headers["accept"], [STREAM, PAGE])
        if (wanted === undefined) return answered(refuse("not_acceptable"))
        if (request.method === "HEAD") return answered(Effect.as(Sessions.show(params.session_id), headOf(wanted)))
        if (wanted === PAGE) return answered(Events.page(params.session_id, query.after, query.limit))
        const told = Effect.map(CurrentRequest, securityHeaders)
        return answered(
          Effect.flatMap(startOf(headers["last-event-id"], query.after), (start) =>
            Events.stream(params.session_id, start, told)
          )
        )
      })
      .handleRaw("prompt", ({ params, headers }) =>
        answered(Tasks.prompt(params.session_id, headers["idempotency-key"], services))
      )
      .handleRaw("interrupt", ({ params }) => answered(Tasks.interrupt(params.session_id)))
      .handle("approvals", ({ params }) => answered(Tasks.approvals(params.session_id)))
      .handleRaw("approve", ({ params }) => answered(Tasks.approve(params.session_id, params.request_id)))
      .handle("unqueue", ({ params }) => answered(Tasks.unqueue(params.session_id, params.prompt_id)))
      .handleRaw("command", ({ params }) => answered(Tasks.command(params.session_id)))
      .handleRaw("fork", ({ params }) => answered(Sessions.fork(params.session_id, services.draining)))
      .handle("grants", ({ params, query }) => answered(Tasks.grants(params.session_id, query)))
      .handle("revoke", ({ params }) => answered(Tasks.revoke(params.session_id, params.grant_id)))
      .handle("history", ({ params, query }) => answered(Events.history(params.session_id, query.before, query.limit)))
      .handle("checkpoints", ({ params }) => answered(Files.checkpoints(params.session_id)))
      .handle("diff", ({ params, query }) => answered(Files.diff(params.session_id, query)))
      .handleRaw("undo", ({ params }) => answered(Files.restore(params.session_id, "undo")))
      .handleRaw("redo", ({ params }) => answered(Files.restore(params.session_id, "redo")))
      .handle("prompts", ({ params }) => answered(Prompts.list(params.session_id, services.prompts)))
      .handleRaw("fillPrompt", ({ params }) => answered(Prompts.fill(params.session_id, params.name, services.prompts)))
  )

/** For everything that is not an upgrade. */
export const make = Effect.fnUntraced(function* (options: HttpOptions) {
  const config = yield* AppConfig
  const server = yield* Effect.scope
  const services = { draining: options.draining, prompts: options.prompts ?? (() => Effect.succeed([])) }
  // A router of its own, built first: the two would share one otherwise.
  const docs = yield* System.makeDocs
  const routes = HttpApiBuilder.layer(Api).pipe(
    Layer.provide([system(options, docs), own, sessions(services)]),
    Layer.provide(layerAuthenticated),
    Layer.provide(NodeHttpServer.layerHttpServices)
  )
  // Around the router, which reads it when it is made, not around its routes. Left alone, a parameter of more than 100
  // characters leads nowhere, and a session's id may have 128.
  const matching = { maxParamLength: 512, ignoreDuplicateSlashes: false }
  const app = yield* Effect.provideService(HttpRouter.toHttpEffect(routes), HttpRouter.RouterConfig, matching)
  const address = options.address ?? socketAddress
  const page = ConsolePage.make(options.console)
  const whole = edge(app, { allowed_origins: config.server.allowed_origins, address, page })
  const handler = yield* NodeHttpServer.makeHandler(whole, { scope: server })
  return handler as (request: IncomingMessage, response: ServerResponse) => void
})
