/** Sessions with the real gate over the store's own grants: what a runtime does with grants, as it is composed in app. */
import { Effect, Layer, type Stream } from "effect"
import { Approver } from "../../src/approval/Approver.ts"
import * as Gate from "../../src/approval/Gate.ts"
import * as GateSettings from "../../src/approval/GateSettings.ts"
import { GrantStore, ownedBy } from "../../src/approval/GrantStore.ts"
import { layerText } from "../../src/context/SystemPrompt.ts"
import * as Engine from "../../src/engine/Engine.ts"
import { Reporter } from "../../src/engine/Reporter.ts"
import type { ModelPart } from "../../src/provider/ModelPart.ts"
import { makeScripted, Provider } from "../../src/provider/Provider.ts"
import { RuntimeFactory } from "../../src/runtime/RuntimeFactory.ts"
import * as RuntimeManager from "../../src/runtime/RuntimeManager.ts"
import type { Tool } from "../../src/tools/Tool.ts"
import * as ToolRegistry from "../../src/tools/ToolRegistry.ts"
import { turns } from "./engineKit.ts"

export interface GatedOptions {
  readonly tools: ReadonlyArray<Tool>
  readonly answers: ReadonlyArray<Stream.Stream<ModelPart>>
  readonly workspaceId?: Effect.Effect<string | undefined>
}

/** Needs a store. */
export const gated = ({ tools, answers, workspaceId }: GatedOptions) => {
  const factory = Effect.map(GrantStore, (store) =>
    RuntimeFactory.of({
      build: Effect.fnUntraced(function* ({ meta, reporter, approver, mode }) {
        const settings = { workspace: "/", mode, ...(workspaceId === undefined ? {} : { workspaceId }) }
        const gate = Gate.layer.pipe(
          Layer.provide([
            GateSettings.layer(settings),
            Layer.succeed(Approver, approver),
            Layer.succeed(GrantStore, ownedBy(store, meta.owner))
          ])
        )
        const parts = Layer.mergeAll(
          Layer.succeed(Provider, makeScripted(turns(...answers))),
          ToolRegistry.layer(tools),
          gate,
          layerText("system"),
          Layer.succeed(Reporter, reporter)
        )
        const context = yield* Layer.build(Engine.layer.pipe(Layer.provide(parts)))
        const engine = yield* Effect.provideContext(Engine.Engine, context)
        return { engine, grants: store.for(meta.owner), model: "scripted", mode: "ask" as const }
      })
    })
  )
  return RuntimeManager.layer.pipe(Layer.provide(Layer.effect(RuntimeFactory, factory)))
}
