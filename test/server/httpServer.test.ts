/** The server's own affairs over HTTP: alive, ready, sign-in, metrics, the description and its page. */
import { createHash } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { answer, turns } from "../support/engineKit.ts"
import { type Json, layer, serve } from "../support/httpKit.ts"

const quick = () => layer({ script: () => turns(answer("hello")) })
const at = { as: "member" }

const routes = [
  "delete /api/sessions/{session_id}",
  "delete /api/sessions/{session_id}/grants/{grant_id}",
  "delete /api/sessions/{session_id}/queue/{prompt_id}",
  "get /api/approvals",
  "get /api/audit",
  "get /api/login",
  "get /api/me",
  "get /api/oidc/callback",
  "get /api/oidc/login",
  "get /api/options",
  "get /api/sessions",
  "get /api/sessions/{session_id}",
  "get /api/sessions/{session_id}/approvals",
  "get /api/sessions/{session_id}/checkpoints",
  "get /api/sessions/{session_id}/diff",
  "get /api/sessions/{session_id}/events",
  "get /api/sessions/{session_id}/grants",
  "get /api/sessions/{session_id}/history",
  "get /api/sessions/{session_id}/prompts",
  "get /api/usage",
  "get /docs",
  "get /healthz",
  "get /metrics",
  "get /openapi.json",
  "get /readyz",
  "patch /api/sessions/{session_id}",
  "post /api/login",
  "post /api/logout",
  "post /api/sessions",
  "post /api/sessions/{session_id}/approvals/{request_id}",
  "post /api/sessions/{session_id}/command",
  "post /api/sessions/{session_id}/fork",
  "post /api/sessions/{session_id}/interrupt",
  "post /api/sessions/{session_id}/prompt",
  "post /api/sessions/{session_id}/prompts/{name}",
  "post /api/sessions/{session_id}/redo",
  "post /api/sessions/{session_id}/undo"
]

describe("the server over HTTP", () => {
  it.live("says that it is alive and whether it can take a turn (R270)", () =>
    Effect.gen(function* () {
      const http = yield* serve()
      assert.deepStrictEqual((yield* http.ask("GET", "/healthz")).json, { status: "alive" })
      const ready = yield* http.ask("GET", "/readyz")
      assert.deepStrictEqual([ready.status, ready.json], [200, { ready: true }])
      const ending = yield* serve({ draining: Effect.succeed(true), provider: Effect.succeed("provider_auth") })
      assert.strictEqual((yield* ending.ask("GET", "/healthz")).status, 200)
      const not = yield* ending.ask("GET", "/readyz")
      assert.deepStrictEqual(
        [not.status, not.json],
        [503, { ready: false, reasons: ["server_draining", "provider_auth"] }]
      )
      const refused = yield* ending.ask("POST", "/api/sessions", { ...at, body: {} })
      assert.deepStrictEqual([refused.status, refused.json.code], [503, "server_draining"])
    }).pipe(Effect.scoped, Effect.provide(quick()))
  )

  it.live("exchanges a token for a cookie and says who asks (R176, R241)", () =>
    Effect.gen(function* () {
      const http = yield* serve()
      const login = yield* http.ask("POST", "/api/login", { body: { token: "start" } })
      assert.deepStrictEqual(
        [login.status, login.headers["set-cookie"]],
        [204, ["claw=c; HttpOnly; SameSite=Strict; Path=/"]]
      )
      const logout = yield* http.ask("POST", "/api/logout")
      assert.deepStrictEqual(
        [logout.status, logout.headers["set-cookie"]],
        [204, ["claw=; HttpOnly; SameSite=Strict; Path=/; Max-Age=0"]]
      )
      const me = yield* http.ask("GET", "/api/me", { as: "requester" })
      assert.deepStrictEqual(me.json, {
        principal: { tenant: "acme", project: "p", user: "ann", role: "requester", name: "requester" },
        permissions: ["read", "prompt"]
      })
    }).pipe(Effect.scoped, Effect.provide(quick()))
  )

  it.live("says how to sign in, and leads a browser to the issuer and back", () =>
    Effect.gen(function* () {
      const http = yield* serve()
      const ways = yield* http.ask("GET", "/api/login")
      assert.deepStrictEqual([ways.status, ways.json], [200, { needed: true, oidc: "/api/oidc/login" }])
      const there = yield* http.ask("GET", "/api/oidc/login?to=%2Fs%2Fone")
      assert.deepStrictEqual(
        [there.status, there.headers["location"], there.headers["set-cookie"]],
        [302, "https://issuer.example/?to=/s/one", ["try=1; Path=/api/oidc; HttpOnly"]]
      )
      const back = yield* http.ask("GET", "/api/oidc/callback?code=1&state=2&authuser=0")
      assert.deepStrictEqual([back.status, back.headers["location"]], [302, "/?code=1&state=2&authuser=0"])
      assert.deepStrictEqual(
        back.headers["set-cookie"]?.map((cookie) => cookie.split(";")[0]),
        ["claw=c", "try="]
      )
      assert.match(String(back.headers["set-cookie"]?.[0]), /HttpOnly.*SameSite=Strict/)
      assert.strictEqual(back.headers["cache-control"], "no-store")
    }).pipe(Effect.scoped, Effect.provide(quick()))
  )

  it.live("counts what Prometheus can read (R264, R265, R269)", () =>
    Effect.gen(function* () {
      const http = yield* serve()
      yield* http.ask("POST", "/api/sessions", { ...at, body: { session_id: "s" } })
      const events = yield* http.events("/api/sessions/s/events", at)
      yield* http.ask("POST", "/api/sessions/s/prompt", { ...at, body: { content: "hi" } })
      yield* events.until((event) => event.type === "task_completed")
      yield* http.ask("GET", "/api/sessions/none", at)
      yield* http.ask("GET", "/api/me")
      yield* http.ask("PROPFIND", "/tea/1")
      const { text, headers } = yield* http.ask("GET", "/metrics", { as: "admin" })
      assert.strictEqual(headers["content-type"], "text/plain; version=0.0.4; charset=utf-8")
      const has = [
        'claw_connections{transport="sse"} ',
        "claw_sessions_open 1",
        "claw_tasks_active 0",
        'claw_errors_total{code="session_not_found"} ',
        'claw_http_requests_total{method="GET",route="/api/sessions/:session_id",status="404"} ',
        'claw_http_requests_total{method="other",route="unmatched",status="404"} ',
        "claw_auth_failures_total ",
        'claw_tasks_total{outcome="completed"} ',
        "claw_task_latency_seconds_bucket{"
      ]
      for (const line of has) assert.isTrue(text.includes(`\n${line}`), `${line}\n${text}`)
    }).pipe(Effect.scoped, Effect.provide(quick()))
  )

  it.live("describes every route, and no other", () =>
    Effect.gen(function* () {
      const http = yield* serve()
      const { json } = yield* http.ask("GET", "/openapi.json")
      const described = Object.entries<Json>(json.paths).flatMap(([path, methods]) =>
        Object.keys(methods).map((method) => `${method} ${path}`)
      )
      assert.deepStrictEqual(described.toSorted(), routes)
      assert.strictEqual(json.openapi, "3.1.0")
      const { bearer, cookie, ...others } = json.components.securitySchemes
      assert.deepStrictEqual([bearer.scheme, cookie.in, cookie.name, others], ["bearer", "cookie", "claw_session", {}])
      const operations = Object.values<Json>(json.paths).flatMap((methods) => Object.values<Json>(methods))
      assert.strictEqual(new Set(operations.map((one) => one.operationId)).size, routes.length)
      const references = JSON.stringify(json).match(/"#\/components\/schemas\/[^"]+"/g) ?? []
      for (const reference of references) {
        assert.property(json.components.schemas, decodeURIComponent(JSON.parse(reference).split("/").at(-1)))
      }
      const { content } = json.paths["/api/sessions/{session_id}"].get.responses["404"]
      assert.deepStrictEqual(Object.keys(content), ["application/problem+json"])
    }).pipe(Effect.scoped, Effect.provide(quick()))
  )

  it.live("shows the description on a page that loads nothing from elsewhere", () =>
    Effect.gen(function* () {
      const http = yield* serve()
      const { text, headers } = yield* http.ask("GET", "/docs")
      assert.notMatch(text.replaceAll(/<script>[\s\S]*?<\/script>/g, ""), /(?:src|href)="(?!data:)|https?:/)
      const policy = String(headers["content-security-policy"])
      assert.match(policy, /^default-src 'none'; script-src 'sha256-/)
      assert.notMatch(policy, /https?:|unsafe-eval|script-src[^;]*unsafe-inline/)
      const scripts = Array.from(text.matchAll(/<script>([\s\S]*?)<\/script>/g), ([, script = ""]) => script)
      assert.strictEqual(scripts.length, 3)
      for (const script of scripts) {
        assert.include(policy, `'sha256-${createHash("sha256").update(script).digest("base64")}'`)
      }
    }).pipe(Effect.scoped, Effect.provide(quick()))
  )
})
