/** Who may upgrade and ask at all (SETTLED 21, SECURITY T9; attacks W001–W011, W025, W027, R237, R238). */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Queue } from "effect"
import { AuthError } from "../../src/channel/Authenticator.ts"
import { localPrincipal, type Principal } from "../../src/domain/Principal.ts"
import { Auth } from "../../src/server/Auth.ts"
import { serve } from "../support/serverKit.ts"
import { ask, type Headers, upgrade } from "../support/wsRaw.ts"

/** A bearer token or the cookie `s=good` is somebody; a wrong token is refused; nothing is nobody yet. */
const somebody: Principal = { ...localPrincipal, user: "ann", name: "ann" }
const auth = Layer.succeed(
  Auth,
  Auth.of({
    recognise: ({ headers }) => {
      if (headers.authorization === "Bearer good" || headers.cookie === "s=good") return Effect.succeed(somebody)
      return headers.authorization === undefined
        ? Effect.succeed(undefined)
        : Effect.fail(new AuthError({ code: "unauthenticated" }))
    },
    login: () => Effect.succeed(""),
    logout: () => Effect.succeed(""),
    startToken: undefined
  })
)
const cookie = { cookie: "s=good" }

interface Case {
  readonly name: string
  readonly headers: (port: number) => Headers
  readonly path?: string
  readonly status: number
  readonly code: string
}

const refused: ReadonlyArray<Case> = [
  {
    name: "a foreign page (W001)",
    headers: () => ({ ...cookie, origin: "https://evil.example" }),
    status: 403,
    code: "forbidden"
  },
  {
    name: "a name that begins like ours (W003)",
    headers: () => ({ ...cookie, origin: "http://localhost.evil.example:5173" }),
    status: 403,
    code: "forbidden"
  },
  {
    name: "our host, another port (W005)",
    headers: () => ({ ...cookie, origin: "http://localhost:9999" }),
    status: 403,
    code: "forbidden"
  },
  {
    name: "our port under a name that was not asked for: on another address it may be somebody else's",
    headers: (port) => ({ ...cookie, origin: `http://localhost:${port}` }),
    status: 403,
    code: "forbidden"
  },
  {
    name: "a name that was bound to us (W007)",
    headers: (port) => ({
      ...cookie,
      host: `rebind.attacker.example:${port}`,
      origin: `http://rebind.attacker.example:${port}`
    }),
    status: 403,
    code: "forbidden"
  },
  { name: "null", headers: () => ({ ...cookie, origin: "null" }), status: 403, code: "forbidden" },
  {
    name: "a secret in the URL (W011)",
    headers: (port) => ({ origin: `http://127.0.0.1:${port}` }),
    path: "/ws?token=SECRET",
    status: 400,
    code: "bad_message"
  },
  { name: "a wrong token", headers: () => ({ authorization: "Bearer bad" }), status: 401, code: "unauthenticated" },
  { name: "another path", headers: () => ({}), path: "/socket", status: 404, code: "not_found" }
]

describe("an upgrade", () => {
  for (const { name, headers, path, status, code } of refused) {
    it.live(`is refused for ${name}`, () =>
      Effect.gen(function* () {
        const { httpPort, channels } = yield* serve({ auth })
        const answer = yield* upgrade(httpPort, headers(httpPort), path)
        const { type, code: told } = JSON.parse(answer.body)
        assert.deepStrictEqual(
          [answer.status, answer.headers["content-type"], answer.headers["connection"], type, told],
          [status, "application/problem+json", "close", `urn:claw:error:${code}`, code]
        )
        assert.notInclude(answer.body, "SECRET")
        assert.strictEqual(yield* Queue.size(channels.served), 0)
      }).pipe(Effect.scoped)
    )
  }

  const allowed: ReadonlyArray<readonly [string, (port: number) => Headers, Principal | undefined]> = [
    ["a program with a token (W027)", () => ({ authorization: "Bearer good" }), somebody],
    ["our own page", (port) => ({ ...cookie, origin: `http://127.0.0.1:${port}` }), somebody],
    [
      "our own page under another name",
      (port) => ({ host: `localhost:${port}`, origin: `http://localhost:${port}` }),
      undefined
    ],
    ["somebody who will say hello", () => ({}), undefined]
  ]
  for (const [name, headers, principal] of allowed) {
    it.live(`is made for ${name}`, () =>
      Effect.gen(function* () {
        const { httpPort, channels } = yield* serve({ auth })
        const { status, socket } = yield* upgrade(httpPort, headers(httpPort))
        assert.strictEqual(status, 101)
        const connection = yield* Queue.take(channels.served)
        assert.deepStrictEqual([connection.transport, connection.principal], ["ws", principal])
        socket?.destroy()
      }).pipe(Effect.scoped)
    )
  }

  it.live("speaks the page's language, and is of the address that a named proxy names", () =>
    Effect.gen(function* () {
      const { httpPort, channels } = yield* serve({ server: { trusted_proxies: ["127.0.0.1", "10.0.0.0/8"] } })
      const { socket } = yield* upgrade(httpPort, {
        "accept-language": "zh-CN,zh;q=0.9",
        "x-forwarded-for": "203.0.113.9, 198.51.100.7, 10.1.2.3"
      })
      const { address, locale } = yield* Queue.take(channels.served)
      assert.deepStrictEqual([address, locale], ["198.51.100.7", "zh-CN"])
      socket?.destroy()
    }).pipe(Effect.scoped)
  )

  it.live("does not believe X-Forwarded-For of anybody else", () =>
    Effect.gen(function* () {
      const { httpPort, channels } = yield* serve()
      const { socket } = yield* upgrade(httpPort, { "x-forwarded-for": "198.51.100.7" })
      assert.strictEqual((yield* Queue.take(channels.served)).address, "127.0.0.1")
      socket?.destroy()
    }).pipe(Effect.scoped)
  )
})

describe("a plain request", () => {
  const cases: ReadonlyArray<readonly [string, Headers, string, number]> = [
    ["under a foreign name (W009)", { host: "rebind.attacker.example:8081" }, "GET", 403],
    [
      "a foreign page's preflight (W025)",
      { origin: "https://evil.example", "access-control-request-method": "GET" },
      "OPTIONS",
      403
    ],
    ["a foreign page's post", { origin: "https://evil.example" }, "POST", 403],
    [
      "a named page's preflight",
      { origin: "https://console.example", "access-control-request-method": "GET" },
      "OPTIONS",
      204
    ],
    ["nobody's route", {}, "GET", 404]
  ]
  for (const [name, headers, method, status] of cases) {
    it.live(`${name}: ${status}`, () =>
      Effect.gen(function* () {
        const { httpPort } = yield* serve({ server: { allowed_origins: ["https://console.example"] } })
        const answer = yield* ask({ port: httpPort, path: "/healthz", method, headers })
        assert.strictEqual(answer.status, status)
        assert.strictEqual(
          answer.headers["access-control-allow-origin"],
          status === 204 ? "https://console.example" : undefined
        )
        assert.strictEqual(answer.headers["access-control-allow-credentials"], undefined)
      }).pipe(Effect.scoped)
    )
  }
})
