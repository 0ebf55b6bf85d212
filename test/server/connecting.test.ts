/** Connections that say nothing, too much at once, or what is no HTTP (R174, R234, R236, R237; SECURITY T9). */
import { assert, describe, it } from "@effect/vitest"
import { connect } from "node:net"
import { connect as connectTls } from "node:tls"
import { Effect, Layer, Metric, Schedule } from "effect"
import { errors } from "../../src/observability/ServerMetrics.ts"
import * as HttpServer from "../../src/server/HttpServer.ts"
import * as Tls from "../../src/server/Tls.ts"
import { certificate, certificateFiles } from "../support/certificates.ts"
import { rawTcp } from "../support/rawTcp.ts"
import { serve } from "../support/serverKit.ts"

const until = (holds: () => boolean) =>
  Effect.retry(
    Effect.suspend(() => (holds() ? Effect.void : Effect.fail("not yet"))),
    Schedule.spaced(5)
  )

const from = (localAddress: string) => (port: number) =>
  connect({ port, host: "127.0.0.1", localAddress, allowHalfOpen: true })

const many = (count: number, port: number) => Effect.all(Array.from({ length: count }, () => rawTcp(port)))

describe("a TLS handshake", () => {
  it.live("has a place, and ends with its peer or with its time, on both ports", () =>
    Effect.gen(function* () {
      const files = yield* certificateFiles
      yield* files.put(yield* certificate("one"))
      const { tls_cert, tls_key } = files
      const { port, httpPort, admission } = yield* serve({
        server: { tls_cert, tls_key },
        tls: Layer.effect(Tls.Tls, Tls.make(files)),
        limit: { handshake_ms: 300 }
      })
      for (const to of [port, httpPort]) {
        const went = yield* many(10, to)
        for (const { socket } of went) socket.end()
        yield* Effect.all(went.map(({ ended }) => ended))
        const begun = yield* rawTcp(to)
        yield* begun.write(Buffer.from("16030102000100", "hex"))
        yield* until(() => admission.count() === 1)
        yield* begun.ended
        yield* until(() => admission.count() === 0)
      }
      const late = yield* rawTcp(port, (to) => connectTls({ port: to, host: "127.0.0.1", rejectUnauthorized: false }))
      late.socket.end("hello\n")
      assert.strictEqual(yield* late.rest, '{"got":"hello"}\n')
    }).pipe(Effect.scoped)
  )
})

describe("an address that takes all it can", () => {
  it.live("leaves the ports to others, saying nothing on any of its connections", () =>
    Effect.gen(function* () {
      const { port, httpPort } = yield* serve({ limit: { connections: 20, connections_per_address: 5 } })
      yield* many(600, httpPort)
      const other = yield* rawTcp(httpPort, from("127.0.0.9"))
      other.socket.end("GET /x HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
      assert.match(yield* other.rest, /^HTTP\/1\.1 (404|403) /)
      yield* many(600, port)
      const spoken = yield* rawTcp(port, from("127.0.0.9"))
      yield* spoken.write("hi\n")
      assert.strictEqual(yield* spoken.line, '{"got":"hi"}')
    }).pipe(Effect.scoped)
  )

  it.live("whose connection without a place asks nothing is cut off", () =>
    Effect.gen(function* () {
      const { httpPort } = yield* serve({ limit: { connections: 1 } })
      yield* rawTcp(httpPort)
      const silent = yield* rawTcp(httpPort)
      yield* silent.ended
    }).pipe(Effect.scoped)
  )
})

/** Answers each request a turn of the loop later; tells how many it had at once. */
const slowRoutes = () => {
  const seen = { now: 0, most: 0 }
  const handle: HttpServer.HttpRoutes["Service"]["handle"] = (request, response) => {
    seen.now += 1
    seen.most = Math.max(seen.most, seen.now)
    setImmediate(() => {
      seen.now -= 1
      response.end(`${request.url} `)
    })
  }
  return { seen, routes: Layer.succeed(HttpServer.HttpRoutes, HttpServer.HttpRoutes.of({ handle })) }
}

const get = (path: string, more = "") => `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n${more}\r\n`

describe("requests of one connection", () => {
  it.live("are under way one at a time, and answered in order, however many are sent at once", () =>
    Effect.gen(function* () {
      const { seen, routes } = slowRoutes()
      const { httpPort, listener } = yield* serve({ routes })
      const host = new URL(listener.url).host
      const peer = yield* rawTcp(httpPort)
      const paths = Array.from({ length: 3000 }, (_, n) => `/${n}`)
      const asked = paths.map((path) => get(path)).join("") + get("/last", "Connection: close\r\n")
      yield* peer.write(asked.replaceAll("Host: 127.0.0.1", `Host: ${host}`))
      const answers = (yield* peer.rest).split("HTTP/1.1 200 OK").slice(1)
      const bodies = answers.map((answer) => /\/\w+ /.exec(answer)?.[0].trim())
      assert.deepStrictEqual(bodies, [...paths, "/last"])
      assert.strictEqual(seen.most, 1)
    }).pipe(Effect.scoped)
  )

  it.live("that offer another protocol are answered in this one, and the connection goes on (RFC 9110 §7.8)", () =>
    Effect.gen(function* () {
      const { routes } = slowRoutes()
      const { httpPort, listener } = yield* serve({ routes })
      const host = new URL(listener.url).host
      const peer = yield* rawTcp(httpPort)
      const offer = "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n"
      const ask = (text: string) => peer.write(text.replace("Host: 127.0.0.1", `Host: ${host}`))
      yield* ask(get("/one", offer))
      yield* peer.line
      yield* ask(get("/two", "Connection: close\r\n"))
      assert.deepStrictEqual((yield* peer.rest).match(/HTTP\/1\.1 \d+|\/one|\/two/g), [
        "HTTP/1.1 200",
        "/one",
        "HTTP/1.1 200",
        "/two"
      ])
    }).pipe(Effect.scoped)
  )
})

const post = (head: string, body: string) => `POST /x HTTP/1.1\r\nHost: HOST\r\n${head}\r\n${body}`

/** Reads the body, then says how long it was. */
const readingRoutes = Layer.succeed(
  HttpServer.HttpRoutes,
  HttpServer.HttpRoutes.of({
    handle: (request, response) => {
      let size = 0
      request.on("data", (bytes: Buffer) => void (size += bytes.length))
      request.on("error", () => undefined)
      request.on("end", () => response.end(`read ${size}`))
    }
  })
)

describe("extensions of a body's chunks (RFC 9112 §7.1.1)", () => {
  const table: ReadonlyArray<readonly [name: string, bytes: number, told: RegExp]> = [
    ["are ignored", 2000, /^HTTP\/1\.1 200 [^]*\r\n\r\n(?:\w+\r\n)?read 2/],
    [
      "are refused where they are larger than a request's headers may be",
      20_000,
      /^HTTP\/1\.1 413 [^]*"code":"too_large"/
    ]
  ]
  for (const [name, bytes, told] of table) {
    it.live(name, () =>
      Effect.gen(function* () {
        const { httpPort, listener } = yield* serve({ routes: readingRoutes })
        const peer = yield* rawTcp(httpPort)
        const head = "Transfer-Encoding: chunked\r\nConnection: close\r\n"
        const body = `2;x=${"a".repeat(bytes)}\r\n{}\r\n0\r\n\r\n`
        yield* peer.write(post(head, body).replace("HOST", new URL(listener.url).host))
        assert.match(yield* peer.rest, told)
      }).pipe(Effect.scoped)
    )
  }
})

const WS = "Connection: Upgrade\r\nUpgrade: websocket\r\n"
const KEY = "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"

/** What is sent → status and code of the problem. */
const wrong: ReadonlyArray<readonly [name: string, sent: string, told: string]> = [
  ["two lengths", post("Content-Length: 2\r\nContent-Length: 3\r\n", "{}"), "400 bad_message"],
  ["a length and chunks", post("Content-Length: 6\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n"), "400 bad_message"],
  ["no Host", "GET /x HTTP/1.1\r\n\r\n", "400 bad_message"],
  ["line feeds alone", "GET /x HTTP/1.1\nHost: HOST\n\n", "400 bad_message"],
  ["no HTTP", "\u0000\u0001\u0002\r\n\r\n", "400 bad_message"],
  ["headers without end", `GET /x HTTP/1.1\r\nHost: HOST\r\nX: ${"a".repeat(20_000)}\r\n\r\n`, "431 too_large"],
  ["half a request", "GET /x HTTP/1.1\r\nHost: HOST\r\nX: ", "408 handshake_timeout"],
  ["an odd expectation", post("Expect: 200-maybe\r\nContent-Length: 2\r\n", "{}"), "417 bad_message"],
  [
    "an expectation of another name",
    "POST /x HTTP/1.1\r\nHost: evil\r\nExpect: 100-continue\r\nContent-Length: 9\r\n\r\n",
    "403 forbidden"
  ],
  [
    "a WebSocket without a key",
    `GET /ws HTTP/1.1\r\nHost: HOST\r\n${WS}Sec-WebSocket-Version: 13\r\n\r\n`,
    "400 bad_message"
  ],
  [
    "a WebSocket of old",
    `GET /ws HTTP/1.1\r\nHost: HOST\r\n${WS}${KEY}Sec-WebSocket-Version: 12\r\n\r\n`,
    "400 bad_message"
  ],
  [
    "a body beyond every limit, which is not asked for",
    "POST /x HTTP/1.1\r\nHost: HOST\r\nExpect: 100-continue\r\nContent-Length: 99999999999\r\nConnection: close\r\n\r\n",
    "404 not_found"
  ],
  ["a tunnel", `CONNECT example.org:443 HTTP/1.1\r\nHost: HOST\r\n\r\n`, "404 not_found"],
  ["a tunnel to the WebSocket's path", `CONNECT /ws HTTP/1.1\r\nHost: HOST\r\n\r\n`, "400 bad_message"],
  [
    "a WebSocket by POST",
    `POST /ws HTTP/1.1\r\nHost: HOST\r\n${WS}${KEY}Sec-WebSocket-Version: 13\r\n\r\n`,
    "400 bad_message"
  ]
]

describe("what is no request of ours", () => {
  for (const [name, sent, told] of wrong) {
    it.live(`is a problem with a code: ${name}`, () =>
      Effect.gen(function* () {
        const { httpPort, listener } = yield* serve({ limit: { handshake_ms: 200, read_ms: 200 } })
        const peer = yield* rawTcp(httpPort)
        yield* peer.write(sent.replaceAll("HOST", new URL(listener.url).host))
        const [head = "", body = ""] = (yield* peer.rest).split("\r\n\r\n")
        assert.notInclude(head, "100 Continue")
        assert.include(head.toLowerCase(), "content-type: application/problem+json")
        const problem = JSON.parse(body)
        assert.strictEqual(`${/^HTTP\/1\.1 (\d+)/.exec(head)?.[1]} ${problem.code}`, told)
        assert.strictEqual(String(problem.status), told.split(" ")[0])
      }).pipe(Effect.scoped)
    )
  }

  const told = Effect.map(Metric.value(Metric.withAttributes(errors, { code: "bad_message" })), ({ count }) => count)

  it.live("is counted by its code", () =>
    Effect.gen(function* () {
      const { httpPort } = yield* serve()
      const before = yield* told
      const peer = yield* rawTcp(httpPort)
      yield* peer.write("nonsense\r\n\r\n")
      yield* peer.rest
      assert.strictEqual(yield* told, before + 1)
    }).pipe(Effect.scoped)
  )
})
