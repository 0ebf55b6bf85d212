/** How a request fails over HTTP: problem bodies as whole values, roles, owners, the edge. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Logger } from "effect"
import { answer, turns } from "../support/engineKit.ts"
import { type Http, layer, serve } from "../support/httpKit.ts"

const quick = () => layer({ script: () => turns(answer("hello")) })
const at = { as: "member" }
const rid = { "x-request-id": "r-1" }

const needsToken = "This needs a valid token: one that is known here, not expired and not revoked."

const problem = (status: number, code: string, title: string, more: object = {}) => ({
  type: `urn:claw:error:${code}`,
  title,
  status,
  detail: title,
  code,
  retryable: false,
  request_id: "r-1",
  ...more
})

const made = Effect.gen(function* () {
  const http = yield* serve()
  yield* http.ask("POST", "/api/sessions", { ...at, body: { session_id: "s" } })
  return http
})

describe("problems over HTTP", () => {
  it.live("are bodies of RFC 9457 with the wire's codes (R208)", () =>
    Effect.gen(function* () {
      const http = yield* made
      const table = [
        ["GET", "/nowhere", {}, problem(404, "not_found", "There is nothing at this address.")],
        ["PUT", "/api/sessions", at, problem(405, "method_not_allowed", "This address does not take that method.")],
        ["GET", "/api/sessions", {}, problem(401, "unauthenticated", needsToken)],
        ["GET", "/api/sessions", { as: "nobody" }, problem(401, "unauthenticated", needsToken)],
        ["GET", "/api/sessions/x", at, problem(404, "session_not_found", "There is no such session.")],
        ["GET", "/api/sessions/%20", at, problem(404, "session_not_found", "There is no such session.")],
        [
          "POST",
          "/api/sessions/s/prompt",
          { ...at, raw: "{", headers: { "content-type": "application/json" } },
          problem(400, "bad_json", "That is not a JSON object.")
        ],
        [
          "POST",
          "/api/sessions/s/prompt",
          { ...at, raw: '{"content":"a","con\\u0074ent":"b"}', headers: { "content-type": "application/json" } },
          problem(400, "bad_json", "That is not a JSON object.", { detail: "It names a key twice." })
        ],
        [
          "POST",
          "/api/sessions/s/prompt",
          { ...at, raw: new Uint8Array([0x7b, 0xff]), headers: { "content-type": "application/json" } },
          problem(400, "bad_utf8", "The message is not valid UTF-8.")
        ],
        [
          "POST",
          "/api/sessions/s/prompt",
          { ...at, raw: '\ufeff{"content":"hi"}', headers: { "content-type": "application/json" } },
          problem(400, "bad_json", "That is not a JSON object.")
        ],
        [
          "POST",
          "/api/sessions/s/prompt",
          { ...at, body: { content: "hi", x: JSON.parse("[".repeat(40) + "]".repeat(40)) } },
          problem(400, "too_deep", "The message is nested too deeply.")
        ],
        [
          "POST",
          "/api/sessions/s/prompt",
          { ...at, raw: "content=hi", headers: { "content-type": "application/x-www-form-urlencoded" } },
          problem(415, "unsupported_media_type", "A request's body must be application/json.")
        ],
        [
          "POST",
          "/api/sessions/s/prompt",
          { ...at, body: { content: "x".repeat(300_000) } },
          problem(413, "too_large", "The message is too large.")
        ]
      ] as const
      for (const [method, path, asked, expected] of table) {
        const headers = { ...rid, ...("headers" in asked ? asked.headers : {}) }
        const got = yield* http.ask(method, path, { ...asked, headers })
        assert.deepStrictEqual(got.json, expected, `${method} ${path}`)
        assert.strictEqual(got.status, expected.status)
        assert.strictEqual(got.headers["content-type"], "application/problem+json")
        assert.strictEqual(got.headers["x-request-id"], "r-1")
      }
    }).pipe(Effect.scoped, Effect.provide(quick()))
  )

  it.live("name the field, speak Chinese, and say when to come back", () =>
    Effect.gen(function* () {
      const http = yield* made
      const blank = yield* http.ask("POST", "/api/sessions/s/prompt", { ...at, body: { content: " " } })
      assert.deepStrictEqual([blank.status, blank.json.code], [400, "bad_message"])
      assert.match(blank.json.detail, /content/)
      const query = yield* http.ask("GET", "/api/sessions?limit=0", at)
      assert.deepStrictEqual([query.status, query.json.code], [400, "bad_message"])
      const chinese = yield* http.ask("GET", "/api/sessions/x", {
        ...at,
        headers: { ...rid, "accept-language": "fr, zh-CN;q=0.8, en;q=0.5" }
      })
      assert.deepStrictEqual(chinese.json, problem(404, "session_not_found", "没有这个会话。"))
      const late = yield* http.ask("POST", "/api/login", { body: { token: "wrong" }, headers: rid })
      assert.deepStrictEqual(
        late.json,
        problem(429, "rate_limited", "Too many requests; wait a moment.", { retryable: true, retry_after_ms: 1500 })
      )
      assert.strictEqual(late.headers["retry-after"], "2")
      const put = yield* http.ask("PUT", "/api/sessions", at)
      assert.strictEqual(put.headers["allow"], "POST, GET, HEAD")
    }).pipe(Effect.scoped, Effect.provide(quick()))
  )

  it.live("refuse a body by the length it announces, before any of it has come", () =>
    Effect.gen(function* () {
      const http = yield* made
      const headers = { "content-type": "application/json", "content-length": "1025" }
      // Nothing is sent: who waited for it would wait for ever.
      const got = yield* http.ask("POST", "/api/sessions/s/prompt", { ...at, headers })
      assert.deepStrictEqual([got.status, got.json.code, got.headers["connection"]], [413, "too_large", "close"])
    }).pipe(
      Effect.scoped,
      Effect.provide(layer({ script: () => turns(answer("hi")) }, { limit: { http_body_bytes: 1024 } }))
    )
  )

  it.live("count a body while it arrives, also where no length was said", () =>
    Effect.gen(function* () {
      const http = yield* made
      const headers = { "content-type": "application/json", "transfer-encoding": "chunked" }
      const got = yield* http.ask("POST", "/api/sessions/s/prompt", { ...at, raw: "x".repeat(5_000), headers })
      assert.deepStrictEqual([got.status, got.json.code, got.headers["connection"]], [413, "too_large", "close"])
    }).pipe(
      Effect.scoped,
      Effect.provide(layer({ script: () => turns(answer("hi")) }, { limit: { http_body_bytes: 1024 } }))
    )
  )

  it.live("limit the prompts of one principal, whatever way they come (R233)", () =>
    Effect.gen(function* () {
      const http = yield* made
      const prompt = http.ask("POST", "/api/sessions/s/prompt", { ...at, body: { content: "hi", when_busy: "queue" } })
      assert.strictEqual((yield* prompt).status, 202)
      const refused = yield* prompt
      assert.deepStrictEqual([refused.status, refused.json.code], [429, "rate_limited"])
      assert.isAbove(refused.json.retry_after_ms, 0)
    }).pipe(
      Effect.scoped,
      Effect.provide(layer({ script: () => turns(answer("hi")) }, { limit: { prompts_per_minute: 1 } }))
    )
  )

  it.live("refuse what a role may not do (R273)", () =>
    Effect.gen(function* () {
      const http = yield* made
      const body = { content: "hi" }
      const routes = [
        ["POST", "/api/sessions", { session_id: "t" }, "prompt"],
        ["POST", "/api/sessions/s/prompt", body, "prompt"],
        ["POST", "/api/sessions/s/interrupt", {}, "prompt"],
        ["POST", "/api/sessions/s/command", { name: "clear" }, "prompt"],
        ["POST", "/api/sessions/s/fork", {}, "prompt"],
        ["DELETE", "/api/sessions/s/queue/p", undefined, "prompt"],
        ["DELETE", "/api/sessions/s", undefined, "prompt"],
        ["POST", "/api/sessions/s/approvals/r", { decision: "deny" }, "approve"],
        ["DELETE", "/api/sessions/s/grants/g", undefined, "approve"],
        ["GET", "/metrics", undefined, "manage"]
      ] as const
      const has = { viewer: [], requester: ["prompt"], approver: ["approve"], member: ["prompt", "approve"] } as const
      for (const [role, permissions] of Object.entries(has)) {
        for (const [method, path, sent, needs] of routes) {
          if ((permissions as ReadonlyArray<string>).includes(needs)) continue
          const got = yield* http.ask(method, path, {
            as: role,
            ...(sent === undefined ? {} : { body: sent }),
            headers: rid
          })
          assert.deepStrictEqual(got.json, problem(403, "forbidden", "This is not allowed for you."), `${role} ${path}`)
        }
        assert.strictEqual((yield* http.ask("GET", "/api/sessions/s", { as: role })).status, 200)
      }
    }).pipe(Effect.scoped, Effect.provide(quick()))
  )

  it.live("tell another owner's session from none by nothing (SETTLED 23, R273)", () =>
    Effect.gen(function* () {
      const http = yield* made
      const answers = (http: Http, id: string) =>
        Effect.forEach(
          [
            ["GET", ""],
            ["GET", "/events"],
            ["GET", "/approvals"],
            ["GET", "/grants"],
            ["POST", "/prompt", { content: "hi" }],
            ["POST", "/interrupt", {}],
            ["POST", "/command", { name: "clear" }],
            ["POST", "/fork", {}],
            ["POST", "/approvals/r", { decision: "deny" }],
            ["DELETE", "/queue/p"],
            ["DELETE", "/grants/g"],
            ["DELETE", ""]
          ] as const,
          ([method, path, body]) =>
            Effect.map(
              http.ask(method, `/api/sessions/${id}${path}`, {
                as: "eve",
                ...(body === undefined ? {} : { body }),
                headers: rid
              }),
              ({ status, text }) => `${status} ${text}`
            )
        )
      const foreign = yield* answers(http, "s")
      assert.deepStrictEqual(foreign, yield* answers(http, "never"))
      assert.isTrue(foreign.every((one) => one.startsWith('404 {"type":"urn:claw:error:session_not_found"')))
      assert.deepStrictEqual((yield* http.ask("GET", "/api/sessions", { as: "eve" })).json, { sessions: [] })
      const audit = yield* http.ask("GET", "/api/audit?session=s", { as: "eve" })
      assert.deepStrictEqual([audit.status, audit.json.code], [404, "session_not_found"])
      const same = yield* http.ask("POST", "/api/sessions", { as: "eve", body: { session_id: "s" } })
      assert.strictEqual(same.status, 201)
      assert.strictEqual((yield* http.ask("GET", "/api/sessions/s", at)).status, 200)
    }).pipe(Effect.scoped, Effect.provide(quick()))
  )

  it.live("keep foreign pages from changing anything, and give no page a right (R231)", () =>
    Effect.gen(function* () {
      const http = yield* made
      const from = (headers: Readonly<Record<string, string>>) =>
        Effect.map(http.ask("POST", "/api/sessions/s/interrupt", { ...at, headers }), ({ json }) => json.code)
      assert.strictEqual(yield* from({ origin: "https://evil.example" }), "forbidden")
      assert.strictEqual(yield* from({ origin: "null" }), "forbidden")
      assert.strictEqual(yield* from({ "sec-fetch-site": "cross-site" }), "forbidden")
      assert.strictEqual(yield* from({ origin: http.origin }), "no_task")
      const read = yield* http.ask("GET", "/api/me", { ...at, headers: { origin: "https://evil.example" } })
      assert.strictEqual(read.headers["access-control-allow-origin"], undefined)
      assert.deepStrictEqual(
        ["x-content-type-options", "x-frame-options", "referrer-policy", "cross-origin-resource-policy"].map(
          (name) => read.headers[name]
        ),
        ["nosniff", "DENY", "no-referrer", "same-origin"]
      )
    }).pipe(Effect.scoped, Effect.provide(quick()))
  )

  it.live("bear an id of their own where the given one is no id, and so do log lines (R263)", () => {
    const lines: Array<unknown> = []
    const logger = Logger.make((line) => void lines.push(Logger.formatStructured.log(line)))
    return Effect.gen(function* () {
      const http = yield* made
      const got = yield* http.ask("GET", "/api/sessions/s", { ...at, headers: { "x-request-id": "a b" } })
      const id = got.headers["x-request-id"]
      assert.match(String(id), /^req_[0-9a-f]{32}$/)
      const line = lines.at(-1) as { readonly annotations: object }
      assert.deepStrictEqual(line.annotations, { request_id: id, session_id: "s" })
    }).pipe(Effect.scoped, Effect.provide(layer({ script: () => turns(answer("hello")) }, {}, [logger])))
  })
})
