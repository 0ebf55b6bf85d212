/** HTTPS with verification: an unknown certificate is refused, a trusted one works (RELIABILITY 3.6). */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { profiles } from "../../src/provider/Profiles.ts"
import * as OpenAi from "../../src/provider/openai/OpenAi.ts"
import * as FakeModel from "../support/fakeModel.ts"
import { ask, completedOf, outcome } from "../support/fakeModelProvider.ts"
import { cert, key, trusted } from "../support/localhostTls.ts"

const rig = Effect.gen(function* () {
  const model = yield* FakeModel.make({ tls: { key, cert } })
  return { model, provider: yield* OpenAi.make({ profile: profiles.generic, base_url: model.base_url, model: "m" }) }
})

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
