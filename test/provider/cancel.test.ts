/** Interruption closes the model's socket at once, seen from the server (R128, R130, LESSONS 33), and leaves nothing. */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Stream } from "effect"
import type { ModelPart } from "../../src/provider/ModelPart.ts"
import { type Answer, HEAD, callChunks, delta, json, stream } from "../support/fakeModelScript.ts"
import { ask, outcome, rig } from "../support/fakeModelProvider.ts"

/** Starts a call, waits for what `until` looks for (nothing: for the request), interrupts, and says how it ended. */
const interruptAt = (answer: Answer, until?: (part: ModelPart) => boolean) =>
  Effect.gen(function* () {
    const { model, provider } = yield* rig()
    model.script(answer)
    const reached = yield* Deferred.make<void>()
    const look = (part: ModelPart) => (until?.(part) === true ? Deferred.succeed(reached, undefined) : Effect.void)
    const fiber = yield* Effect.forkChild(Stream.runForEach(provider.stream(ask()), look))
    yield* until === undefined ? model.arrived(1) : Deferred.await(reached)
    yield* Fiber.interrupt(fiber)
    const gone = yield* model.gone(1)
    yield* model.deserted
    return gone
  })

const aborted = { writableFinished: false }

describe("interrupt", () => {
  it.live("before headers", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* interruptAt({ before: "hang" }), aborted)
    })
  )
  it.live("after headers, before any byte", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* interruptAt(stream("hang")), aborted)
    })
  )
  it.live("after the first token", () =>
    Effect.gen(function* () {
      const answer = stream(HEAD, delta({ content: "hi" }), "hang")
      assert.deepStrictEqual(yield* interruptAt(answer, (part) => part.type === "text_delta"), aborted)
    })
  )
  it.live("inside a tool call", () =>
    Effect.gen(function* () {
      const answer = stream(...callChunks([{ name: "write", arguments: '{"path":' }]), "hang")
      assert.deepStrictEqual(yield* interruptAt(answer, (part) => part.type === "tool_call_progress"), aborted)
    })
  )
  it.live("while an error's body is being read", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* interruptAt({ status: 500, steps: ["half an err", "hang"] }), aborted)
    })
  )
  it.live("while a whole answer is awaited", () =>
    Effect.gen(function* () {
      const { model, provider } = yield* rig()
      model.script({ before: "hang" })
      const fiber = yield* Effect.forkChild(provider.generate(ask()))
      yield* model.arrived(1)
      yield* Fiber.interrupt(fiber)
      assert.deepStrictEqual(yield* model.gone(1), aborted)
    })
  )
  it.live("a consumer that has enough closes the connection too", () =>
    Effect.gen(function* () {
      const { model, provider } = yield* rig()
      model.script(stream(HEAD, delta({ content: "hi" }), "hang"))
      yield* Stream.runDrain(Stream.take(provider.stream(ask()), 1))
      assert.deepStrictEqual(yield* model.gone(1), aborted)
    })
  )
  it.live("before the request has left: nothing is sent", () =>
    Effect.gen(function* () {
      const { model, provider } = yield* rig()
      const fiber = yield* Effect.forkChild(Stream.runDrain(provider.stream(ask())), { startImmediately: true })
      yield* Fiber.interrupt(fiber)
      yield* outcome(provider.stream(ask("second")))
      assert.deepStrictEqual(
        model.requests().map(({ messages }) => messages[0]?.content),
        ["second"]
      )
    })
  )
})

describe("nothing is left", () => {
  it.live("300 calls cancelled at three stages leave no socket", () =>
    Effect.gen(function* () {
      const { model, provider } = yield* rig()
      const stages: ReadonlyArray<Answer> = [
        { before: "hang" },
        stream("hang"),
        stream(HEAD, delta({ content: "hi" }), "hang")
      ]
      model.rule((_, nth) => stages[nth % stages.length])
      const before = process.getActiveResourcesInfo().filter((name) => name === "TCPSocketWrap").length
      const fibers = yield* Effect.forEach(Array.from({ length: 300 }), () =>
        Effect.forkChild(outcome(provider.stream(ask())))
      )
      yield* model.arrived(300)
      yield* Fiber.interruptAll(fibers)
      yield* model.deserted
      const after = process.getActiveResourcesInfo().filter((name) => name === "TCPSocketWrap").length
      assert.strictEqual(model.openSockets(), 0)
      assert.isAtMost(after, before)
      // The provider is as good as new.
      model.rule(() => json({ choices: [{ message: { content: "hi" }, finish_reason: "stop" }] }))
      assert.strictEqual((yield* provider.generate(ask())).message.content, "hi")
    })
  )
})
