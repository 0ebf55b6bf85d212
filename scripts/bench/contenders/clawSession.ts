/**
 * How the bench puts a session together: the real driver, gate, registry and engine, with tools by what the model will
 * do, so that a request offers exactly the tools that the raw loops offer.
 */
import { Effect, Layer, Schema } from "effect"
import { Approver } from "../../../src/approval/Approver.ts"
import * as Gate from "../../../src/approval/Gate.ts"
import * as GateSettings from "../../../src/approval/GateSettings.ts"
import { GrantStore, ownedBy } from "../../../src/approval/GrantStore.ts"
import { layerText } from "../../../src/context/SystemPrompt.ts"
import type { Risk } from "../../../src/domain/Approval.ts"
import * as Engine from "../../../src/engine/Engine.ts"
import { defaults, EngineLimits } from "../../../src/engine/EngineLimits.ts"
import { Reporter } from "../../../src/engine/Reporter.ts"
import { Provider } from "../../../src/provider/Provider.ts"
import { RuntimeError } from "../../../src/runtime/RuntimeError.ts"
import { RuntimeFactory, type Seed } from "../../../src/runtime/RuntimeFactory.ts"
import * as CommandAnalysis from "../../../src/sandbox/CommandAnalysis.ts"
import * as ProcessRunner from "../../../src/sandbox/ProcessRunner.ts"
import * as Workspace from "../../../src/sandbox/Workspace.ts"
import { makeBuiltinTools } from "../../../src/tools/builtin/BuiltinTools.ts"
import * as Tool from "../../../src/tools/Tool.ts"
import * as ToolRegistry from "../../../src/tools/ToolRegistry.ts"
import { NOOP, SYSTEM } from "./contender.ts"

const Args = Schema.Struct({ i: Schema.Finite, text: Schema.String })

const tool = (name: string, risk: Risk, run: (args: typeof Args.Type) => Effect.Effect<Tool.ToolOutput>): Tool.Tool =>
  Tool.make({
    name,
    description: NOOP.description,
    parameters: Args,
    effect: "pure",
    assess: () => Effect.succeed({ risk, reason: "the bench", paths: [], opaque: false }),
    run
  })

const echo = ({ text }: typeof Args.Type) => Effect.succeed({ content: text })
const small: Readonly<Record<string, ReadonlyArray<Tool.Tool>>> = {
  tools: [tool("noop", "safe", echo)],
  ask: [tool("ask", "mutating", echo)],
  wait: [tool("wait", "safe", () => Effect.never)]
}

const builtin = (root: string) =>
  Layer.effect(
    ToolRegistry.ToolRegistry,
    Effect.map(
      makeBuiltinTools({ analyse: (source) => CommandAnalysis.analyse(source, { workspace: root }) }),
      ToolRegistry.make
    )
  ).pipe(Layer.provide([Workspace.layer({ root }), ProcessRunner.layer({ environment: { PATH: "/usr/bin:/bin" } })]))

const registry = (seed: Seed) => {
  const kind = seed.meta.model?.split(":", 1)[0] ?? ""
  return kind === "bash" ? builtin(seed.meta.workspace) : ToolRegistry.layer(small[kind] ?? [])
}

const sessionLayer = (seed: Seed, provider: Provider["Service"], store: GrantStore["Service"]) => {
  const settings = { ...GateSettings.make({ workspace: seed.meta.workspace }), mode: seed.mode }
  const gate = Gate.layer.pipe(
    Layer.provide([Layer.succeed(GateSettings.GateSettings, settings), Layer.succeed(Approver, seed.approver)]),
    Layer.provideMerge(Layer.succeed(GrantStore, ownedBy(store, seed.meta.owner)))
  )
  // A window that no job fills: what a conversation costs is measured, not what a shorter one does.
  const limits = Layer.succeed(EngineLimits, { ...defaults, context_window: 100_000_000 })
  const parts = Layer.mergeAll(registry(seed), gate, layerText(SYSTEM), limits, Layer.succeed(Provider, provider))
  return Engine.layer.pipe(Layer.provideMerge(parts), Layer.provide(Layer.succeed(Reporter, seed.reporter)))
}

const unreadable = (error: Error) =>
  new RuntimeError({ code: "workspace_unreadable", detail: error.message, cause: error })

const make = Effect.map(Effect.all([Provider, GrantStore]), ([provider, store]) =>
  RuntimeFactory.of({
    build: (seed) =>
      Layer.build(sessionLayer(seed, provider, store)).pipe(
        Effect.mapError(unreadable),
        Effect.flatMap((context) =>
          Effect.provideContext(
            Effect.gen(function* () {
              const [engine, grants] = [yield* Engine.Engine, yield* GrantStore]
              return { engine, grants, model: provider.model, mode: "ask" as const }
            }),
            context
          )
        )
      )
  })
)

export const layer = Layer.effect(RuntimeFactory, make)
