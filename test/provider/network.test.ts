/** No answer at all: sentences that say what to do (RELIABILITY 3.6), and the limits on a real socket (R107, R108). */
import { createServer } from "node:net"
import type { AddressInfo } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { networkError } from "../../src/provider/openai/networkFailure.ts"
import { delta, HEAD, stream } from "../support/fakeModelScript.ts"
import { ask, outcome, rig } from "../support/fakeModelProvider.ts"

const peer = {
  base_url: "https://models.example.org/v1",
  model: "m",
  title: "T",
  key: "Zq8mWx3RtY7uPn5v",
  key_source: undefined,
  start_hint: undefined
}
const failed = (code: string, message = "x") =>
  Object.assign(new Error("outer", { cause: Object.assign(new Error(message), { code }) }))

/** A port that was free a moment ago. */
const freePort = Effect.callback<number>((resume) => {
  const server = createServer()
  server.listen(0, "127.0.0.1", () => {
    const { port } = server.address() as AddressInfo
    server.close(() => resume(Effect.succeed(port)))
  })
})

/** Something that is no HTTP server: says one line to whoever connects. */
const chatter = (line: string) =>
  Effect.acquireRelease(
    Effect.callback<{ port: number; close: () => void }>((resume) => {
      const server = createServer((socket) => void socket.on("error", () => undefined).end(line))
      server.listen(0, "127.0.0.1", () =>
        resume(Effect.succeed({ port: (server.address() as AddressInfo).port, close: () => void server.close() }))
      )
    }),
    ({ close }) => Effect.sync(close)
  )

describe("sentences", () => {
  it.each([
    ["ENOTFOUND", /name in models\.example\.org cannot be resolved/],
    ["EAI_AGAIN", /cannot be resolved/],
    ["ECONNREFUSED", /Nothing is listening at models\.example\.org/],
    ["EHOSTUNREACH", /VPN or firewall/],
    ["ECONNRESET", /closed the connection before it answered/],
    ["SELF_SIGNED_CERT_IN_CHAIN", /not trusted .*NODE_EXTRA_CA_CERTS/],
    ["DEPTH_ZERO_SELF_SIGNED_CERT", /not trusted/],
    ["UNABLE_TO_VERIFY_LEAF_SIGNATURE", /not trusted/],
    ["CERT_HAS_EXPIRED", /has expired/],
    ["ERR_TLS_CERT_ALTNAME_INVALID", /belongs to another name/],
    ["EPROTO", /should begin with http:\/\//],
    ["HPE_INVALID_CONSTANT", /does not answer in HTTP/],
    ["EWHATEVER", /cannot be reached: x/]
  ])("%s", (code, says) => {
    const error = networkError(failed(code), peer)
    assert.deepStrictEqual([error.code, error.isRetryable], ["provider_unreachable", true])
    assert.match(error.message, says)
    // What a person has to mend is no passing fault.
    const passes = ["EAI_AGAIN", "ECONNREFUSED", "EHOSTUNREACH", "ECONNRESET", "EWHATEVER"].includes(code)
    assert.strictEqual(error.lasting ?? false, !passes)
  })
  it("nobody listens on this machine until somebody starts it; elsewhere, or behind a proxy, that may pass", () => {
    const lasting = (base_url: string, proxy?: string) =>
      networkError(failed("ECONNREFUSED"), { ...peer, base_url, proxy }).lasting ?? false
    const local = ["http://localhost:1/v1", "http://127.0.0.1:1/v1", "http://[::1]:1/v1"]
    assert.deepStrictEqual(
      [...local.map((url) => lasting(url)), lasting("http://10.0.0.1/v1"), lasting("http://127.0.0.1:1/v1", "p:1")],
      [true, true, true, false, false]
    )
  })
  it("an aggregate of addresses speaks with its first voice", () => {
    const both = new AggregateError([failed("ECONNREFUSED"), failed("ECONNREFUSED")], "")
    assert.match(networkError(new Error("wrap", { cause: both }), peer).message, /Nothing is listening/)
  })
  it("the key is never repeated", () => {
    const error = networkError(failed("EWHATEVER", `header Bearer ${peer.key}`), peer)
    assert.isFalse(`${error.message}${String(error.cause)}`.includes(peer.key))
  })
})

describe("on a socket", () => {
  it.live("nothing listens there", () =>
    Effect.gen(function* () {
      const port = yield* freePort
      const { provider } = yield* rig({ base_url: `http://127.0.0.1:${port}/v1` })
      const { error } = yield* outcome(provider.stream(ask()))
      assert.deepStrictEqual(
        [error?.code, error?.message],
        [
          "provider_unreachable",
          `Nothing is listening at 127.0.0.1:${port}. Is the server running, and is the base URL right?`
        ]
      )
    })
  )
  it.live.each([
    ["http to what is no HTTP", "http", /does not answer in HTTP there/],
    ["https to what is no TLS", "https", /does not speak TLS there/]
  ] as const)("%s", ([, scheme, says]) =>
    Effect.gen(function* () {
      const { port } = yield* chatter("SSH-2.0-OpenSSH\r\n")
      const { provider } = yield* rig({ base_url: `${scheme}://127.0.0.1:${port}/v1` })
      const { error } = yield* outcome(provider.stream(ask()))
      assert.strictEqual(error?.code, "provider_unreachable")
      assert.match(error?.message ?? "", says)
    })
  )
  it.live.each([
    ["a status that no answer to this can have", "HTTP/1.1 304 X\r\nConnection: close\r\n\r\n", /HTTP status 304/],
    [
      "another protocol, that nobody asked for",
      "HTTP/1.1 101 X\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n",
      /closed .*before/
    ]
  ] as const)("%s is an error as any other, also at once behind the first", ([, line, says]) =>
    Effect.gen(function* () {
      const { port } = yield* chatter(line)
      const { provider } = yield* rig({ base_url: `http://127.0.0.1:${port}/v1`, deadlines: { first_chunk_ms: 2000 } })
      for (const asked of [provider.stream(ask()), provider.stream(ask())]) {
        const { error } = yield* Effect.timeout(outcome(asked), "10 seconds")
        assert.strictEqual(error?.code, "provider_unreachable")
        assert.match(error?.message ?? "", says)
      }
    })
  )
  const deadlines = { first_chunk_ms: 60, idle_ms: 60 }
  it.live("heartbeats are not progress: no first chunk (R108, LESSONS 6)", () =>
    Effect.gen(function* () {
      const { model, provider } = yield* rig({ deadlines })
      model.script(stream(...Array.from({ length: 200 }, () => [": ping\n\n", { gap_ms: 10 }]).flat()))
      const { error } = yield* outcome(provider.stream(ask()))
      assert.strictEqual(error?.code, "provider_timeout_first_token")
      assert.deepStrictEqual(yield* model.gone(1), { writableFinished: false })
    })
  )
  it.live("heartbeats are not progress: idle after text", () =>
    Effect.gen(function* () {
      const { model, provider } = yield* rig({ deadlines: { ...deadlines, first_chunk_ms: 2000 } })
      model.script(
        stream(delta({ content: "hi" }), ...Array.from({ length: 200 }, () => [": ping\n\n", { gap_ms: 10 }]).flat())
      )
      const { error, parts } = yield* outcome(provider.stream(ask()))
      assert.deepStrictEqual([error?.code, parts.length], ["provider_timeout_idle", 1])
    })
  )
  it.live("chunks that add nothing are not progress, also behind a finish", () =>
    Effect.gen(function* () {
      const { model, provider } = yield* rig({ deadlines: { ...deadlines, first_chunk_ms: 2000 } })
      const empty = Array.from({ length: 300 }, () => [delta({ content: "" }), { gap_ms: 10 }]).flat()
      model.script(stream(HEAD, ...empty), stream(delta({ content: "hi" }), ...empty))
      const found = yield* Effect.forEach([1, 2], () => outcome(provider.stream(ask())))
      assert.deepStrictEqual(
        found.map(({ error, parts }) => [error?.code, parts.length]),
        [
          ["provider_timeout_idle", 0],
          ["provider_timeout_idle", 1]
        ]
      )
      model.script(stream(delta({ content: "hi" }), delta({}, "stop"), ...empty))
      const patient = yield* rig({ base_url: model.base_url })
      const { error, parts } = yield* outcome(patient.provider.stream(ask()))
      assert.deepStrictEqual([error, parts.length], [undefined, 2])
      assert.deepStrictEqual(yield* model.gone(3), { writableFinished: false })
    })
  )
  it.live("fragments of a call and reasoning are progress (LESSONS 8)", () =>
    Effect.gen(function* () {
      const { model, provider } = yield* rig({ deadlines: { first_chunk_ms: 300, idle_ms: 300 } })
      const fragments = Array.from({ length: 12 }, (_, i) => [
        i % 2 === 0
          ? delta({ reasoning: "." })
          : delta({ tool_calls: [{ index: 0, id: "c", function: { name: "t", arguments: " " } }] }),
        { gap_ms: 50 }
      ]).flat()
      model.script(stream(delta({ role: "assistant" }), ...fragments, delta({}, "tool_calls")))
      const { error } = yield* outcome(provider.stream(ask()))
      assert.isUndefined(error)
    })
  )
  it.live("a request without a stream may be silent for longer than a gap", () =>
    Effect.gen(function* () {
      const { model, provider } = yield* rig({ deadlines })
      model.script({
        status: 200,
        headers: { "content-type": "application/json" },
        steps: ['{"choices":[{"message":', { gap_ms: 150 }, '{"content":"hi"}}]}']
      })
      assert.strictEqual((yield* provider.generate(ask())).message.content, "hi")
    })
  )
})
