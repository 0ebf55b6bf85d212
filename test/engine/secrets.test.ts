/** A secret of this process never reaches the journal, a watcher or the model through a tool (SECURITY T6, R272). */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { messages } from "../../src/domain/History.ts"
import { Engine } from "../../src/engine/Engine.ts"
import { Reporter } from "../../src/engine/Reporter.ts"
import { KnownSecrets, maskKnown } from "../../src/observability/Redact.ts"
import { allow, answer, call, kit, turns } from "../support/engineKit.ts"
import { ToolError } from "../../src/tools/ToolError.ts"
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

  it.effect("is masked also in pieces, in a failure, and in what an approval shows", () => {
    const leaky = probe({
      run: (_args, context) =>
        Effect.suspend(() => {
          for (const piece of ["KEY=sk-can", "ary-01234", "56789\n"]) context.emit(piece)
          return Effect.fail(new ToolError({ code: "tool_failed", detail: `no ${SECRET}` }))
        })
    })
    const preview = { kind: "diff", path: "a", diff: `-${SECRET}\n+x\n` } as const
    const shown: Array<unknown> = []
    const { layer, seen } = kit({
      tools: [{ ...leaky.tool, preview: () => Effect.succeed(preview) }],
      gate: (check) => Effect.map(check.preview ?? Effect.void, (one) => (shown.push(one), allow(check))),
      script: turns(answer("", [call("c1", "probe")]), answer("ok"))
    })
    return Effect.gen(function* () {
      yield* Effect.flatMap(Engine, (engine) => engine.prompt({ content: "go" }))
      const state = yield* Effect.flatMap(Reporter, (reporter) => reporter.state)
      assert.notInclude(JSON.stringify([seen.events, seen.live, messages(state)]), SECRET)
      assert.deepStrictEqual(shown, [{ ...preview, diff: "-[redacted]\n+x\n" }])
      const said = seen.live.flatMap((body) => (body.type === "tool_output_delta" ? [body.content] : [])).join("")
      assert.strictEqual(said, "KEY=[redacted]\n")
      const result = seen.events.find((event) => event.type === "tool_result")
      assert.strictEqual(result?.result, "no [redacted]")
    }).pipe(Effect.provide(Layer.provide(layer, Layer.succeed(KnownSecrets, maskKnown([SECRET])))))
  })
})
