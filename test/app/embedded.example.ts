import { Deferred, Effect, Fiber, Layer, Schema, Stream } from "effect"
import { Claw, Engine, type Event, Provider, Reporter, Tool } from "../../src/index.ts"

const clock = Tool.make({
  name: "clock",
  description: "Tells the time of a zone",
  parameters: Schema.Struct({ zone: Schema.String }),
  assess: () => Effect.succeed({ risk: "safe", reason: "reads the clock", paths: [], opaque: false }),
  run: ({ zone }) => Effect.succeed({ content: `noon in ${zone}` })
})

const model = Provider.layerScripted((_request, turn) =>
  turn === 0
    ? Provider.answer("One moment.", [{ tool_name: "clock", arguments: { zone: "UTC" } }])
    : Stream.concat(Stream.succeed({ type: "text_delta", text: "It is" }), Stream.never)
)

/** One prompt, stopped when its second answer begins. */
export const example = (seen: (event: Event.DurableEvent) => void) =>
  Effect.gen(function* () {
    const begun = yield* Deferred.make<void>()
    const live = (body: Event.LiveBody) => {
      if (body.type === "text_delta" && body.content === "It is") Deferred.doneUnsafe(begun, Effect.void)
    }
    const layer = Claw.layer({ tools: [clock] }).pipe(Layer.provide([model, Reporter.layer({ event: seen, live })]))
    const prompt = Effect.flatMap(Engine.Engine, (engine) => engine.prompt({ content: "What time is it?" }))
    const task = yield* Effect.forkChild(Effect.provide(prompt, layer))
    yield* Deferred.await(begun)
    yield* Fiber.interrupt(task)
  })
