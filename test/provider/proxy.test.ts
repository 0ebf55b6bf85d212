/** Model servers behind a proxy (R107, R116): which are, how they are asked, and whose fault it was. */
import { createServer } from "node:http"
import { type AddressInfo, connect, type Socket } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { proxyFor, type ProxySettings } from "../../src/provider/openai/Proxy.ts"
import * as OpenAi from "../../src/provider/openai/OpenAi.ts"
import { profiles } from "../../src/provider/Profiles.ts"
import * as FakeModel from "../support/fakeModel.ts"
import { ask, completedOf, outcome } from "../support/fakeModelProvider.ts"
import { cert, key, trusted } from "../support/localhostTls.ts"

const both: ProxySettings = { http: "http://plain:3128", https: "http://secret@safe:3129" }
const via = (base_url: string, none = "", settings = both) => {
  const found = proxyFor(base_url, { ...settings, none })
  return found === undefined ? "direct" : "reason" in found ? found.reason : found.host
}

describe("which servers", () => {
  it.each<[base_url: string, none: string, through: string]>([
    ["http://model.example/v1", "", "plain:3128"],
    ["https://model.example/v1", "", "safe:3129"],
    ["https://model.example/v1", "*", "direct"],
    ["https://model.example/v1", "model.example", "direct"],
    ["https://MODEL.example/v1", "Model.Example", "direct"],
    ["https://a.model.example/v1", "other, .model.example", "direct"],
    ["https://a.model.example/v1", "*.model.example", "direct"],
    ["https://a.model.example/v1", "model.example", "direct"],
    ["https://notmodel.example/v1", "model.example", "safe:3129"],
    ["https://model.example.evil/v1", "model.example", "safe:3129"],
    ["https://model.example/v1", "model.example:443", "direct"],
    ["https://model.example:8443/v1", "model.example:443", "safe:3129"],
    ["http://10.1.2.3/v1", "10.0.0.0/8", "direct"],
    ["http://11.1.2.3/v1", "10.0.0.0/8", "plain:3128"],
    ["http://10.1.2.3/v1", "10.1.2.3", "direct"],
    ["http://10.1.2.3/v1", "10.0.0.0/99, nonsense/8, ,", "plain:3128"],
    ["http://[fd00::1]/v1", "fd00::1", "direct"],
    ["http://[fd00::1]:8000/v1", "[fd00::1]:8000", "direct"],
    ["http://[fd00::1]/v1", "fd00::/8", "direct"],
    ["http://127.0.0.1:11434/v1", "", "direct"],
    ["http://127.8.0.1/v1", "", "direct"],
    ["http://localhost:1234/v1", "", "direct"],
    ["http://[::1]:1234/v1", "", "direct"]
  ])("%s with NO_PROXY %j: %s", (base_url, none, through) => assert.strictEqual(via(base_url, none), through))

  it("a proxy is a URL of HTTP; anything else is said, and never gone around", () => {
    const plain = (http: string) => via("http://model.example/v1", "", { http })
    assert.deepStrictEqual(["proxy:3128", "https://proxy", "", "  "].map(plain), [
      "proxy:3128",
      "proxy",
      "direct",
      "direct"
    ])
    assert.strictEqual(plain("http://"), "HTTP_PROXY is no URL. It should look like http://proxy:3128.")
    assert.strictEqual(
      plain("socks5://proxy:1080"),
      "HTTP_PROXY names a socks5 proxy; claw uses http:// and https:// proxies only."
    )
  })
})

/** A proxy that tunnels, and how often it was asked to. `refuse`: it does not. */
const tunnel = (refuse = false) =>
  Effect.acquireRelease(
    Effect.callback<{ host: string; asked: Array<string>; close: () => void }>((resume) => {
      const asked: Array<string> = []
      const sockets = new Set<Socket>()
      const server = createServer()
      server.on("connect", (request, client: Socket) => {
        asked.push(`${request.url} ${request.headers["proxy-authorization"] ?? "-"}`)
        if (refuse) return client.end("HTTP/1.1 403 Forbidden\r\n\r\n")
        const [host = "", port = ""] = (request.url ?? "").split(":")
        const target = connect(Number(port), host, () => client.write("HTTP/1.1 200 OK\r\n\r\n"))
        for (const socket of [client, target]) sockets.add(socket.on("error", () => undefined))
        client.pipe(target).pipe(client)
      })
      server.listen(0, "127.0.0.1", () => {
        const close = () => {
          for (const socket of sockets) socket.destroy()
          server.close()
        }
        resume(Effect.succeed({ host: `127.0.0.1:${(server.address() as AddressInfo).port}`, asked, close }))
      })
    }),
    ({ close }) => Effect.sync(close)
  )

const provider = (base_url: string, host: string, url = `http://${host}`) =>
  OpenAi.make({ profile: profiles.generic, base_url, model: "m", proxy: { url, host } })

describe("on the wire", () => {
  it.live("plain HTTP is asked of the proxy by the whole address, over one connection (R116)", () =>
    Effect.gen(function* () {
      const model = yield* FakeModel.make()
      const { host } = new URL(model.base_url)
      const made = yield* provider("http://model.invalid/v1", host)
      yield* outcome(made.stream(ask()))
      yield* made.generate(ask())
      assert.deepStrictEqual(
        model.requests().map(({ connection, path }) => [path, connection]),
        [1, 1].map((connection) => ["http://model.invalid/v1/chat/completions", connection])
      )
    })
  )

  it.live("HTTPS goes through one tunnel, with the proxy's own password, which the server never sees", () =>
    Effect.gen(function* () {
      yield* trusted
      const model = yield* FakeModel.make({ tls: { key, cert } })
      const proxy = yield* tunnel()
      const base_url = model.base_url.replace("127.0.0.1", "localhost")
      const made = yield* provider(base_url, proxy.host, `http://me:pass@${proxy.host}`)
      const first = yield* outcome(made.stream(ask()))
      yield* outcome(made.stream(ask()))
      assert.deepStrictEqual([first.error, completedOf(first.parts)?.message.content], [undefined, "OK"])
      assert.deepStrictEqual(proxy.asked, [
        `${new URL(base_url).host} Basic ${Buffer.from("me:pass").toString("base64")}`
      ])
      assert.isUndefined(model.requests()[0]?.headers["proxy-authorization"])
    })
  )

  it.live("a proxy that refuses, or is not there, is named, without its password", () =>
    Effect.gen(function* () {
      const proxy = yield* tunnel(true)
      const refused = yield* provider("https://localhost:1/v1", proxy.host, `http://me:pass@${proxy.host}`)
      const { error } = yield* outcome(refused.stream(ask()))
      assert.strictEqual(error?.code, "provider_unreachable")
      assert.include(error?.message, `The proxy ${proxy.host} (HTTPS_PROXY, HTTP_PROXY) does not let claw through`)
      const absent = yield* provider("http://model.invalid/v1", "127.0.0.1:1")
      const gone = yield* outcome(absent.stream(ask()))
      assert.strictEqual(
        gone.error?.message,
        "The proxy 127.0.0.1:1 (HTTPS_PROXY, HTTP_PROXY) cannot be reached. Check it, or name the model server in NO_PROXY."
      )
      assert.notInclude(`${error?.message}${String(error?.cause)}`, "pass")
    })
  )
})
