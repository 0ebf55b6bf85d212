/** A secret of this process never reaches the journal, a watcher or the model through a tool (SECURITY T6, R272). */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { messages } from "../../src/domain/History.ts"
import { Engine } from "../../src/engine/Engine.ts"
import { Reporter } from "../../src/engine/Reporter.ts"
import { KnownSecrets, maskKnown } from "../../src/observability/Redact.ts"
import { answer, call, kit, turns } from "../support/engineKit.ts"
import { probe } from "../support/tools.ts"

const SECRET = "sk-canary-0123456789"

describe("what a tool brings back", () => {
  it.effect("has known secrets masked, in its result and in its live output", () => {
    const leaky = probe({
      run: (_args, context) =>
        Effect.sync(() => {
          context.emit(`KEY=${SECRET}\n`)
          return { content: `env: KEY=${SECRET} sk-other-0123456789` }
        })
    })
    const { layer, seen } = kit({ tools: [leaky.tool], script: turns(answer("", [call("c1", "probe")]), answer("ok")) })
    return Effect.gen(function* () {
      yield* Effect.flatMap(Engine, (engine) => engine.prompt({ content: "go" }))
      const state = yield* Effect.flatMap(Reporter, (reporter) => reporter.state)
      const everything = JSON.stringify([seen.events, seen.live, messages(state)])
      assert.notInclude(everything, SECRET)
      const result = seen.events.find((event) => event.type === "tool_result")
      assert.strictEqual(result?.result, "env: KEY=[redacted] sk-other-0123456789")
    }).pipe(Effect.provide(Layer.provide(layer, Layer.succeed(KnownSecrets, maskKnown([SECRET])))))
  })
})
