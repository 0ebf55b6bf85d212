/** Which server a request means: one Host, and a target that names no other (RFC 9112 §3.2; SETTLED 21, W007). */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { HttpRoutes } from "../../src/server/HttpServer.ts"
import { rawTcp } from "../support/rawTcp.ts"
import { serve } from "../support/serverKit.ts"

/** Tells which target the routes see. */
const routes = Layer.succeed(
  HttpRoutes,
  HttpRoutes.of({ handle: (request, response) => void response.end(`target ${request.url}`) })
)

const UPGRADE =
  "connection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\n" +
  "sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n"

const told = Effect.fnUntraced(function* (port: number, target: string, headers: string) {
  const peer = yield* rawTcp(port)
  yield* peer.write(`GET ${target} HTTP/1.1\r\n${headers}\r\n`)
  const all = yield* peer.rest
  const [head = "", body = ""] = all.split("\r\n\r\n")
  const status = head.split(" ", 2)[1]
  return body.startsWith("{") ? `${status} ${JSON.parse(body).code}` : `${status} ${/target .*/.exec(body)?.[0]}`
})

type Case = readonly [name: string, target: string, host: string, expected: string]

const cases = (port: number): ReadonlyArray<Case> => {
  const own = `host: 127.0.0.1:${port}\r\n`
  const evil = "host: evil.example\r\n"
  return [
    ["two hosts", "/docs", own + evil, "400 bad_message"],
    ["two hosts, ours behind", "/docs", evil + own, "400 bad_message"],
    ["the same host twice", "/docs", own + own, "400 bad_message"],
    ["two hosts in capitals", "/docs", own + own.toUpperCase(), "400 bad_message"],
    ["another server's target", "http://evil.example/docs", own, "403 forbidden"],
    ["another port's target", "http://127.0.0.1:1/docs", own, "403 forbidden"],
    ["a target with a user", `http://127.0.0.1:${port}@evil.example/docs`, own, "403 forbidden"],
    ["a target of another scheme", `ftp://127.0.0.1:${port}/docs`, own, "403 forbidden"],
    ["a target without a server", "http:///docs", own, "403 forbidden"],
    ["our target under another host", `http://127.0.0.1:${port}/docs`, evil, "403 forbidden"]
  ]
}

describe("a request's target", () => {
  it.live("is refused where it is not this server's, upgrade or not", () =>
    Effect.gen(function* () {
      const { httpPort } = yield* serve({ routes })
      for (const [name, target, host, expected] of cases(httpPort)) {
        const over = `${host}connection: close\r\n`
        assert.strictEqual(yield* told(httpPort, target, over), expected, name)
        assert.strictEqual(
          yield* told(httpPort, target.replace("/docs", "/ws"), host + UPGRADE),
          expected,
          `${name}, upgrade`
        )
      }
    }).pipe(Effect.scoped)
  )

  it.live("is served in either form", () =>
    Effect.gen(function* () {
      const { httpPort } = yield* serve({ routes })
      const own = `host: localhost:${httpPort}\r\nconnection: close\r\n`
      const table = [
        ["/docs?a=1", "/docs?a=1"],
        [`http://127.0.0.1:${httpPort}/docs?a=1`, "/docs?a=1"],
        [`HTTP://LOCALHOST:${httpPort}`, "/"],
        [`http://localhost:${httpPort}?a=1`, "/?a=1"],
        ["//evil.example/docs", "//evil.example/docs"],
        // What an issuer sends a browser back with has the issuer's names.
        ["/api/oidc/callback?code=1&authuser=0", "/api/oidc/callback?code=1&authuser=0"]
      ] as const
      for (const [target, seen] of table) {
        assert.strictEqual(yield* told(httpPort, target, own), `200 target ${seen}`)
      }
      for (const target of [`http://127.0.0.1:${httpPort}/docs?token=x`, "/api/oidc/callback/x?authuser=0"]) {
        assert.strictEqual(yield* told(httpPort, target, own), "400 bad_message")
      }
    }).pipe(Effect.scoped)
  )
})
