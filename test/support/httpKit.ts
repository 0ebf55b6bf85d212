/**
 * The HTTP API on a real node server of port 0, over sessions with a scripted model. Tokens are names of principals.
 * Owns: a request as one value in, one value out; a reader of event streams that waits for receipts.
 */
import { createServer, request as nodeRequest, type IncomingMessage } from "node:http"
import type { AddressInfo } from "node:net"
import { createParser } from "eventsource-parser"
import { Deferred, Effect, Layer, Logger, type Scope } from "effect"
import { AuthError, Authenticator, layerAnonymous } from "../../src/channel/Authenticator.ts"
import * as ChannelSessions from "../../src/channel/ChannelSessions.ts"
import { type AppConfig, layerWith } from "../../src/config/AppConfig.ts"
import type { ConfigFile } from "../../src/config/Settings.ts"
import type { Principal, Role } from "../../src/domain/Principal.ts"
import type * as RuntimeManager from "../../src/runtime/RuntimeManager.ts"
import { make as makeSlots, TaskSlots } from "../../src/runtime/TaskSlots.ts"
import * as Admission from "../../src/server/Admission.ts"
import { Auth } from "../../src/server/Auth.ts"
import * as HttpHandler from "../../src/server/HttpHandler.ts"
import { strange } from "./httpShapes.ts"
import { layer as runtimes, type RuntimeKitOptions } from "./runtimeKit.ts"

const principal = (user: string, role: Role): Principal => ({ tenant: "acme", project: "p", user, role, name: user })

/** Bearer token → who that is. `eve` owns other sessions than the rest, who share an owner. */
const principals: Readonly<Record<string, Principal>> = {
  admin: { ...principal("ann", "admin"), name: "admin" },
  member: { ...principal("ann", "member"), name: "member" },
  requester: { ...principal("ann", "requester"), name: "requester" },
  approver: { ...principal("ann", "approver"), name: "approver" },
  viewer: { ...principal("ann", "viewer"), name: "viewer" },
  eve: principal("eve", "admin")
}

const auth = Layer.succeed(
  Auth,
  Auth.of({
    recognise: ({ headers }) => {
      const token = /^Bearer (.*)$/.exec(headers.authorization ?? "")?.[1]
      if (token === undefined) return Effect.succeed(undefined)
      const found = principals[token]
      return found === undefined ? Effect.fail(new AuthError({ code: "unauthenticated" })) : Effect.succeed(found)
    },
    login: (token) =>
      token === "start"
        ? Effect.succeed("claw=c; HttpOnly; SameSite=Strict; Path=/")
        : Effect.fail(new AuthError({ code: "rate_limited", retry_after_ms: 1500 })),
    logout: () => Effect.succeed("claw=; HttpOnly; SameSite=Strict; Path=/; Max-Age=0"),
    oidc: {
      begin: (_, to = "") =>
        Effect.succeed({ location: `https://issuer.example/?to=${to}`, cookies: ["try=1; Path=/api/oidc; HttpOnly"] }),
      finish: (_, query) =>
        Effect.succeed({
          location: `/${query}`,
          cookies: ["claw=c; Path=/; HttpOnly; SameSite=Strict", "try=; Max-Age=0"]
        })
    },
    startToken: "start"
  })
)

/** The same over sessions of the program's own composition, which bring their configuration along. */
export const over = <A, E>(sessions: Layer.Layer<A | RuntimeManager.RuntimeManager | AppConfig, E>) =>
  Layer.mergeAll(
    auth,
    Layer.succeed(
      Authenticator,
      Authenticator.of({
        anonymous: undefined,
        authenticate: () => Effect.die("unused"),
        revoked: () => Effect.never
      })
    ),
    ChannelSessions.layer.pipe(
      Layer.provide(layerAnonymous()),
      Layer.provideMerge(Admission.layer),
      Layer.provideMerge(sessions)
    )
  )

export const layer = (
  options: RuntimeKitOptions,
  settings: ConfigFile = {},
  loggers: ReadonlyArray<Logger.Logger<unknown, void>> = [],
  revoked: Authenticator["Service"]["revoked"] = () => Effect.never
) =>
  Layer.mergeAll(
    auth,
    Layer.succeed(
      Authenticator,
      Authenticator.of({ anonymous: undefined, authenticate: () => Effect.die("unused"), revoked })
    ),
    ChannelSessions.layer.pipe(
      Layer.provideMerge(runtimes(options)),
      Layer.provide(layerAnonymous()),
      Layer.provideMerge(Admission.layer),
      Layer.provideMerge(
        Layer.sync(TaskSlots, () => makeSlots({ running: 2, waiting: 100, queue: { prompts: 3, bytes: 1_000_000 } }))
      ),
      Layer.provideMerge(layerWith({ state_dir: "/nonexistent", ...settings }, { workspace: "/" }))
    ),
    // Behind the sessions' own, which are silent.
    Logger.layer(loggers)
  )

/** What a server said; a test looks at it field by field and compares whole values. */
// oxlint-disable-next-line typescript/no-explicit-any
export type Json = any

export interface Answer {
  readonly status: number
  readonly headers: IncomingMessage["headers"]
  readonly text: string
  readonly json: Json
}

export interface Asked {
  readonly as?: string
  readonly body?: unknown
  /** Bytes in place of `body`. */
  readonly raw?: string | Uint8Array
  readonly headers?: Readonly<Record<string, string>>
}

export interface Message {
  readonly id: string | undefined
  readonly data: string
  readonly event: Json
}

export interface EventStream {
  readonly headers: IncomingMessage["headers"]
  /** Message by message: id (absent: none) and data. */
  readonly messages: ReadonlyArray<Message>
  /** Waits for the first message that fits. */
  readonly until: (fits: (event: Json) => boolean) => Effect.Effect<Json>
  /** Waits for the server's end of it. */
  readonly ended: Effect.Effect<void>
  readonly close: Effect.Effect<void>
}

export interface Http {
  readonly origin: string
  readonly ask: (method: string, path: string, asked?: Asked) => Effect.Effect<Answer>
  readonly events: (path: string, asked?: Asked) => Effect.Effect<EventStream, never, Scope.Scope>
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const send = (origin: string, method: string, path: string, asked: Asked) => {
  const { as, body, raw, headers } = asked
  const bytes = raw ?? (body === undefined ? undefined : JSON.stringify(body))
  const request = nodeRequest(`${origin}${path}`, {
    method,
    headers: {
      ...(as === undefined ? {} : { authorization: `Bearer ${as}` }),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...headers
    }
  })
  request.on("error", () => {})
  return { request, finish: () => request.end(bytes) }
}

const ask = (origin: string, method: string, path: string, asked: Asked = {}) =>
  Effect.callback<Answer>((resume) => {
    const { request, finish } = send(origin, method, path, asked)
    request.on("response", (response) => {
      const chunks: Array<Buffer> = []
      response.on("data", (chunk: Buffer) => chunks.push(chunk))
      response.on("end", () => {
        const text = Buffer.concat(chunks).toString()
        const { headers, statusCode: status = 0 } = response
        const isJson = method !== "HEAD" && /^application\/(?:problem\+)?json/.test(headers["content-type"] ?? "")
        const wrong = isJson ? strange(method, path, status, parsed(text)) : undefined
        const told = { status, headers, text, json: parsed(text) }
        resume(wrong === undefined ? Effect.succeed(told) : Effect.die(new Error(`${wrong}: ${text.slice(0, 500)}`)))
      })
    })
    finish()
    return Effect.sync(() => request.destroy())
  })

const events = (origin: string, path: string, asked: Asked = {}) =>
  Effect.gen(function* () {
    const { request, finish } = send(origin, "GET", path, {
      ...asked,
      headers: { accept: "text/event-stream", ...asked.headers }
    })
    const messages: Array<Message> = []
    const waiters = new Set<() => void>()
    const parser = createParser({
      onEvent: ({ id, data }) => {
        messages.push({ id, data, event: JSON.parse(data) })
        for (const look of waiters) look()
      }
    })
    const over = Deferred.makeUnsafe<void>()
    const close = Effect.sync(() => void request.destroy())
    yield* Effect.addFinalizer(() => close)
    const headers = yield* Effect.callback<IncomingMessage["headers"]>((resume) => {
      request.on("response", (response) => {
        response.on("data", (chunk: Buffer) => parser.feed(chunk.toString()))
        response.on("error", () => {})
        response.on("close", () => Deferred.doneUnsafe(over, Effect.void))
        resume(Effect.succeed(response.headers))
      })
      finish()
    })
    const until = (fits: (event: Json) => boolean) =>
      Effect.callback<Json>((resume) => {
        const look = () => {
          const found = messages.find(({ event }) => fits(event))
          if (found === undefined) return
          waiters.delete(look)
          resume(Effect.succeed(found.event))
        }
        waiters.add(look)
        look()
      })
    return { headers, messages, until, ended: Deferred.await(over), close }
  })

/** Listens until the scope ends. */
export const serve = (options: Partial<HttpHandler.HttpOptions> = {}) =>
  Effect.gen(function* () {
    const handler = yield* HttpHandler.make({
      draining: Effect.succeed(false),
      provider: Effect.undefined,
      ...options
    })
    const server = createServer(handler)
    yield* Effect.acquireRelease(
      Effect.callback<void>((resume) => void server.listen(0, "127.0.0.1", () => resume(Effect.void))),
      () =>
        Effect.callback<void>((resume) => {
          server.close(() => resume(Effect.void))
          server.closeAllConnections()
        })
    )
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const http: Http = {
      origin,
      ask: (method, path, asked) => ask(origin, method, path, asked),
      events: (path, asked) => events(origin, path, asked)
    }
    return http
  })
