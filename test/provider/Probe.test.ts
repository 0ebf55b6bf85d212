/** What `claw doctor` finds at the other end: always a report, never a failure, never the key. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { modelsIn, probe } from "../../src/provider/openai/Probe.ts"
import { profiles } from "../../src/provider/Profiles.ts"
import * as FakeModel from "../support/fakeModel.ts"

const report = (base_url: string, model = "fake-model") =>
  Effect.map(
    probe({ profile: profiles.generic, base_url, model, key: Redacted.make("secret-0123456789") }),
    ({ latency_ms, base_url: asked, ...rest }) => {
      assert.isAtLeast(latency_ms, 0)
      assert.strictEqual(asked, base_url)
      assert.isFalse(JSON.stringify(rest).includes("secret-0123456789"))
      return rest
    }
  )

describe("probe", () => {
  it.live("a server that lists its models, and leaves no connection", () =>
    Effect.gen(function* () {
      const model = yield* FakeModel.make()
      assert.deepStrictEqual(yield* report(model.base_url), {
        reachable: true,
        auth: "ok",
        models: ["fake-model"],
        model_listed: true
      })
      assert.deepStrictEqual(yield* report(model.base_url, "other"), {
        reachable: true,
        auth: "ok",
        models: ["fake-model"],
        model_listed: false
      })
      yield* model.deserted
    })
  )
  it.live("a server without that path", () =>
    Effect.gen(function* () {
      const model = yield* FakeModel.make()
      model.models(undefined)
      const found = yield* report(model.base_url)
      assert.deepStrictEqual(found, { reachable: true, auth: "unknown" })
    })
  )
  it.live("nothing there", () =>
    Effect.gen(function* () {
      const found = yield* report("http://127.0.0.1:9/v1")
      assert.deepStrictEqual(
        [found.reachable, found.auth, found.error?.code],
        [false, "unknown", "provider_unreachable"]
      )
    })
  )
  it("the ways of listing models", () => {
    assert.deepStrictEqual(
      ['{"data":[{"id":"a"},{"id":"b"}]}', '{"models":[{"name":"a"}]}', '{"data":[null,{}]}', "{}", "[]", "<html>"].map(
        modelsIn
      ),
      [["a", "b"], ["a"], [], undefined, undefined, undefined]
    )
  })
})
