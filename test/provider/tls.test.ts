/** HTTPS with verification: an unknown certificate is refused, a trusted one works (RELIABILITY 3.6). */
import { getCACertificates, setDefaultCACertificates } from "node:tls"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { profiles } from "../../src/provider/Profiles.ts"
import * as OpenAi from "../../src/provider/openai/OpenAi.ts"
import * as FakeModel from "../support/fakeModel.ts"
import { ask, completedOf, outcome } from "../support/fakeModelProvider.ts"

/** A throw-away pair for localhost, good for a hundred years and for nothing else. */
const key = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgfX0SrG9x88W5JH8w
NhpdIianvHPSovm8O7DjGeHAFy2hRANCAARrKDe1wV3lq/OT9EdYnY6PO8pGUcnv
3W/cM33nTpD5bir8XSK39XdiwZy+ObkDQ3PQnLUzkgu35GLM7/oLTOBg
-----END PRIVATE KEY-----`
const cert = `-----BEGIN CERTIFICATE-----
MIIBmzCCAUGgAwIBAgIUEkjak9mObKl0cwRnclNShI4fEckwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyOTE1NTg1NFoYDzIxMjYxMTA1
MTU1ODU0WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAARrKDe1wV3lq/OT9EdYnY6PO8pGUcnv3W/cM33nTpD5bir8XSK39Xdi
wZy+ObkDQ3PQnLUzkgu35GLM7/oLTOBgo28wbTAdBgNVHQ4EFgQUjVpXrJR6pGr0
0xhKmOoWrVXZb8owHwYDVR0jBBgwFoAUjVpXrJR6pGr00xhKmOoWrVXZb8owDwYD
VR0TAQH/BAUwAwEB/zAaBgNVHREEEzARgglsb2NhbGhvc3SHBH8AAAEwCgYIKoZI
zj0EAwIDSAAwRQIgMztiwf1j21pQ+ZehT7EbsQrrY4RMxw+7w/jr7YO5C6gCIQCA
OUXzkRbyxx13NbwkgnwsVvY+r+VHFKYSxdJnePcWrQ==
-----END CERTIFICATE-----`

const rig = Effect.gen(function* () {
  const model = yield* FakeModel.make({ tls: { key, cert } })
  return { model, provider: yield* OpenAi.make({ profile: profiles.generic, base_url: model.base_url, model: "m" }) }
})

const trusted = Effect.acquireRelease(
  Effect.sync(() => {
    const before = getCACertificates("default")
    setDefaultCACertificates([...before, cert])
    return before
  }),
  (before) => Effect.sync(() => setDefaultCACertificates(before))
)

describe("TLS", () => {
  it.live("an unknown certificate is refused before anything is sent", () =>
    Effect.gen(function* () {
      const { model, provider } = yield* rig
      const { error } = yield* outcome(provider.stream(ask()))
      assert.strictEqual(error?.code, "provider_unreachable")
      assert.match(
        error?.message ?? "",
        /certificate of 127\.0\.0\.1:\d+ is not trusted \(DEPTH_ZERO_SELF_SIGNED_CERT\)/
      )
      assert.deepStrictEqual(model.requests(), [])
    })
  )
  it.live("a trusted one works, and the connection is reused", () =>
    Effect.gen(function* () {
      yield* trusted
      const { model, provider } = yield* rig
      const first = yield* outcome(provider.stream(ask()))
      yield* outcome(provider.stream(ask()))
      assert.deepStrictEqual([first.error, completedOf(first.parts)?.message.content], [undefined, "OK"])
      assert.deepStrictEqual(
        model.requests().map(({ connection }) => connection),
        [1, 1]
      )
    })
  )
})
