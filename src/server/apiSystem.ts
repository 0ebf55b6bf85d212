/**
 * Handlers of the server's own affairs: alive, ready, metrics, sign-in, the description. Does not own: who may sign in
 * (Auth). Invariants: `/healthz` touches nothing; `/readyz` writes, for a store that can only be read takes no turn; the
 * page of documentation loads nothing from elsewhere.
 */
import { createHash } from "node:crypto"
import { Clock, Effect, Metric } from "effect"
import { Cookies, HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiScalar, OpenApi } from "effect/http-api"
import { PrometheusMetrics } from "effect/observability"
import { AppConfig } from "../config/AppConfig.ts"
import type { ErrorCode } from "../domain/ErrorCode.ts"
import { may, type Permission } from "../domain/Principal.ts"
import { make as lagOf } from "../observability/EventLoopLag.ts"
import * as Measures from "../observability/ServerMetrics.ts"
import { RuntimeManager } from "../runtime/RuntimeManager.ts"
import { TaskSlots } from "../runtime/TaskSlots.ts"
import { SessionIndex } from "../store/SessionIndex.ts"
import { Api } from "./Api.ts"
import { body } from "./apiBody.ts"
import { askedBy, Caller, permitted } from "./apiCaller.ts"
import * as Shape from "./apiShapes.ts"
import { refuse } from "./apiProblem.ts"
import { Auth, type Redirect } from "./Auth.ts"

export interface Life {
  readonly draining: Effect.Effect<boolean>
  /** Why the model would not answer a prompt now, as far as the last calls tell; absent: nothing is known against it. */
  readonly provider: Effect.Effect<ErrorCode | undefined>
}

const WRITE_AGE_MS = 1000

/** Whether the store takes a write, asked at most once a second. */
export const makeWritable = Effect.map(SessionIndex, (index) => {
  let known: { readonly at: number; readonly writable: boolean } | undefined
  const write = Effect.match(index.nextNumber("readiness"), { onFailure: () => false, onSuccess: () => true })
  return Effect.flatMap(Clock.currentTimeMillis, (at) =>
    known !== undefined && at - known.at < WRITE_AGE_MS
      ? Effect.succeed(known.writable)
      : Effect.tap(write, (writable) => Effect.sync(() => void (known = { at, writable })))
  )
})

export const ready = Effect.fnUntraced(function* (life: Life, writable: Effect.Effect<boolean>) {
  const reasons: Array<ErrorCode> = []
  if (yield* life.draining) reasons.push("server_draining")
  if (!(yield* writable)) reasons.push("storage_unavailable")
  const trouble = yield* life.provider
  if (trouble !== undefined) reasons.push(trouble)
  return reasons.length === 0
    ? { ready: true as const }
    : HttpServerResponse.jsonUnsafe({ ready: false, reasons }, { status: 503 })
})

/** What is counted when somebody looks. */
const makeSample = Effect.gen(function* () {
  const [manager, index, slots, lag] = [yield* RuntimeManager, yield* SessionIndex, yield* TaskSlots, yield* lagOf]
  return Effect.gen(function* () {
    const counts = yield* Effect.forEach(yield* index.owners, (owner) => manager.for(owner).count)
    yield* Metric.update(
      Measures.sessionsOpen,
      counts.reduce((all, count) => all + count, 0)
    )
    yield* Metric.update(Measures.tasksActive, slots.running())
    yield* Metric.update(Measures.tasksWaiting, slots.waiting())
    const { p99, max } = yield* lag
    yield* Metric.update(Measures.eventLoopLag, p99)
    yield* Metric.update(Measures.eventLoopLagMax, max)
  })
})

/** Looks when it is asked; measures the event loop in between, as long as the scope lives. */
export const makeMetrics = Effect.map(makeSample, (sample) =>
  Effect.gen(function* () {
    yield* permitted("manage")
    yield* sample
    const text = yield* PrometheusMetrics.format()
    return HttpServerResponse.text(text, { contentType: "text/plain; version=0.0.4; charset=utf-8" })
  })
)

const asked: ReadonlyArray<Permission> = ["read", "prompt", "approve", "manage"]

export const me = Effect.map(Caller, ({ principal }) => ({
  principal,
  permissions: asked.filter((permission) => may(principal, permission))
}))

export const login = Effect.gen(function* () {
  const auth = yield* Auth
  const { limit } = yield* AppConfig
  const { token } = yield* body(Shape.Login, limit)
  const cookie = yield* Effect.tapError(auth.login(token, yield* askedBy), ({ code }) =>
    code === "storage_unavailable" ? Effect.void : Metric.update(Measures.authFailures, 1)
  )
  return HttpServerResponse.empty({ status: 204, headers: { "set-cookie": cookie } })
})

export const waysIn = Effect.gen(function* () {
  const [{ oidc }, { server }] = [yield* Auth, yield* AppConfig]
  return { needed: server.auth, ...(oidc === undefined ? {} : { oidc: "/api/oidc/login" }) }
})

const redirected = ({ location, cookies }: Redirect) =>
  HttpServerResponse.empty({ status: 302, headers: { location }, cookies: Cookies.fromSetCookie(cookies) })

export const oidcBegin = Effect.fnUntraced(function* (to: string | undefined) {
  const { oidc } = yield* Auth
  if (oidc === undefined) return yield* refuse("not_found")
  return redirected(yield* oidc.begin(yield* askedBy, to))
})

export const oidcFinish = Effect.gen(function* () {
  const { oidc } = yield* Auth
  if (oidc === undefined) return yield* refuse("not_found")
  const { url } = yield* HttpServerRequest.HttpServerRequest
  const at = url.indexOf("?")
  return redirected(yield* oidc.finish(yield* askedBy, at === -1 ? "" : url.slice(at)))
})

export const logout = Effect.gen(function* () {
  const auth = yield* Auth
  const cookie = yield* auth.logout(yield* askedBy)
  return HttpServerResponse.empty({ status: 204, headers: { "set-cookie": cookie } })
})

/** Made once. */
export const document = (): OpenApi.OpenAPISpec => OpenApi.fromApi(Api)

/** The page's own scripts, by hash; nothing else runs, and nothing is loaded from elsewhere. */
const docsPolicy = (html: string): string => {
  const hashes = Array.from(
    html.matchAll(/<script>([\s\S]*?)<\/script>/g),
    ([, script = ""]) => `'sha256-${createHash("sha256").update(script).digest("base64")}'`
  )
  return [
    "default-src 'none'",
    `script-src ${hashes.join(" ")}`,
    "style-src 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'"
  ].join("; ")
}

/**
 * Nobody is asked for a picture; and a library in the page tries whether it may compile, which the policy forbids: told
 * so here, it does not break it.
 */
const HEAD = `<link rel="icon" href="data:," />
<script>
  const no = () => { throw new EvalError("This page compiles nothing.") }
  globalThis.Function = new Proxy(Function, { construct: no, apply: no })
</script>
</head>`

/** The page, made when it is first asked for, and the policy that lets its scripts run. */
export const makeDocs = Effect.gen(function* () {
  const scalar = {
    withDefaultFonts: false,
    hideTestRequestButton: true,
    defaultOpenAllTags: true,
    // These send the description elsewhere.
    hideClientButton: true,
    showDeveloperTools: "never"
  }
  const building = HttpRouter.toHttpEffect(HttpApiScalar.layer(Api, { path: "/docs", scalar }))
  // A dozen megabytes, of which a server that nobody asks for it has no need.
  const page = yield* Effect.cached(
    Effect.provideContext(building, yield* Effect.context<Effect.Services<typeof building>>())
  )
  return Effect.map(Effect.flatten(page), (response) => {
    const given = response.body._tag === "Uint8Array" ? new TextDecoder().decode(response.body.body) : ""
    const html = given.replace("</head>", HEAD)
    return HttpServerResponse.html(html).pipe(HttpServerResponse.setHeader("content-security-policy", docsPolicy(html)))
  })
})
