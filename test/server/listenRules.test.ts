/** Where a server may listen, and with which limits (R236). */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import * as AppConfig from "../../src/config/AppConfig.ts"
import type { ConfigFile } from "../../src/config/Settings.ts"
import { judge } from "../../src/server/ListenRules.ts"

const judged = (server: ConfigFile["server"], limit: ConfigFile["limit"] = {}) =>
  Effect.map(AppConfig.AppConfig, judge).pipe(
    Effect.provide(
      AppConfig.layerWith({ ...(server === undefined ? {} : { server }), ...(limit === undefined ? {} : { limit }) })
    )
  )

const TLS = { tls_cert: "/cert.pem", tls_key: "/key.pem" }

const cases: ReadonlyArray<readonly [string, NonNullable<ConfigFile["server"]>, RegExp | undefined]> = [
  ["loopback", {}, undefined],
  ["loopback without auth", { auth: false, host: "::1" }, undefined],
  ["all of 127/8", { auth: false, host: "127.8.8.8" }, undefined],
  ["everywhere", { host: "0.0.0.0" }, /0\.0\.0\.0, and that needs TLS: set server\.tls_cert/],
  ["an address", { host: "192.0.2.7" }, /needs TLS/],
  ["a name that begins like loopback", { host: "127.0.0.1.evil.example" }, /needs TLS/],
  ["half of TLS", { host: "::", tls_cert: "/cert.pem" }, /needs TLS/],
  ["TLS without auth", { host: "::", auth: false, ...TLS }, /needs authentication/],
  ["a proxy without auth", { host: "::", auth: false, behind_proxy: true }, /needs authentication/],
  ["auth and TLS", { host: "0.0.0.0", ...TLS }, undefined],
  [
    "one port for both",
    { tcp_port: 9000, http_port: 9000 },
    /TCP and for HTTP on one port, and both would be 9000: choose/
  ],
  ["the other one's default port", { tcp_port: 8081 }, /both would be 8081/],
  ["free ports", { tcp_port: 0, http_port: 0 }, undefined],
  ["auth and a proxy", { host: "0.0.0.0", behind_proxy: true }, undefined]
]

describe("listening", () => {
  for (const [name, server, sentence] of cases) {
    it.effect(`on ${name} ${sentence === undefined ? "is allowed" : "is refused in a sentence"}`, () =>
      Effect.gen(function* () {
        const verdict = yield* judged(server)
        if (sentence === undefined) return assert.isTrue(Result.isSuccess(verdict))
        assert.match(Result.isFailure(verdict) ? verdict.failure : "", sentence)
      })
    )
  }

  it.effect("beyond loopback requires isolation where nobody chose; on loopback it is as configured", () =>
    Effect.gen(function* () {
      const modeOf = (server: ConfigFile["server"], isolation: ConfigFile["isolation"] = {}) =>
        Effect.map(AppConfig.AppConfig, (config) => Result.getOrThrow(judge(config)).isolation.mode).pipe(
          Effect.provide(
            AppConfig.layerWith({
              ...(server === undefined ? {} : { server }),
              ...(isolation === undefined ? {} : { isolation })
            })
          )
        )
      const outside = { host: "0.0.0.0", ...TLS }
      assert.deepStrictEqual(
        yield* Effect.all([
          modeOf({}),
          modeOf(outside),
          modeOf(outside, { network: true }),
          modeOf(outside, { mode: "auto" })
        ]),
        ["auto", "required", "required", "auto"]
      )
    })
  )

  it.effect("beyond loopback takes the strict limits where nobody chose", () =>
    Effect.gen(function* () {
      const { limit } = Result.getOrThrow(yield* judged({ host: "0.0.0.0", ...TLS }, { connections: 5000 }))
      assert.deepStrictEqual(
        [limit.connections, limit.connections_per_address, limit.handshake_ms, limit.message_bytes],
        [5000, 100, 5000, 65_536]
      )
      const local = Result.getOrThrow(yield* judged({}))
      assert.deepStrictEqual([local.limit.connections_per_address, local.limit.handshake_ms], [12_000, 10_000])
    })
  )
})
