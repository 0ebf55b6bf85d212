/** A hello or resume that was refused for a while only is tried again by what needs its session (R176, R214). */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Logger } from "effect"
import { RuntimeManager } from "../../src/runtime/RuntimeManager.ts"
import { Journal } from "../../src/store/Journal.ts"
import { layerMemory } from "../../src/store/memory/MemoryStore.ts"
import { StoreError } from "../../src/store/StoreError.ts"
import { client, channelLayer } from "../support/channelKit.ts"
import { answer } from "../support/engineKit.ts"
import { tellTheSame } from "../support/sameLogs.ts"
import { transports } from "../support/transports.ts"

const full = new StoreError({ code: "storage_unavailable", operation: "claim", detail: "The disk is full." })

/** No session can be opened while it is full. */
const kit = (disk: { full: boolean }) =>
  channelLayer({
    script: () => () => answer("ok"),
    store: Layer.effect(
      Journal,
      Effect.map(Journal, (journal) =>
        Journal.of({
          ...journal,
          claim: (...args) => Effect.suspend(() => (disk.full ? Effect.fail(full) : journal.claim(...args)))
        })
      )
    ).pipe(Layer.provideMerge(Layer.mergeAll(layerMemory, Logger.layer([]))))
  })

describe.each(transports)("a refusal that passes, over $name", (transport) => {
  for (const session_id of [undefined, "mine"]) {
    it.live(`leaves the connection able to go on: hello for ${session_id ?? "any session"}`, () => {
      const disk = { full: true }
      return Effect.gen(function* () {
        const one = yield* client(transport)
        yield* one.say({ type: "hello", ...(session_id === undefined ? {} : { session_id }) })
        assert.strictEqual((yield* one.next("error")).error.code, "storage_unavailable")
        yield* one.say({ type: "prompt", content: "go", idempotency_key: "k" })
        const { error } = yield* one.next("error")
        assert.deepStrictEqual([error.code, error.retryable, error.idempotency_key], ["storage_unavailable", true, "k"])
        disk.full = false
        yield* one.say({ type: "prompt", content: "go", idempotency_key: "k" })
        assert.strictEqual((yield* one.next("hello")).position, 0)
        const end = yield* one.next("task_completed")
        assert.match(end.session_id, session_id === undefined ? /^[a-z]+-channel-session-\d+$/ : /^mine$/)
        assert.strictEqual(yield* (yield* RuntimeManager).count, 1)
      }).pipe(Effect.scoped, Effect.provide(kit(disk)))
    })
  }

  it.live("never puts what is sent behind it into another session", () => {
    const disk = { full: false }
    return Effect.gen(function* () {
      const [one, two] = [yield* client(transport), yield* client(transport)]
      yield* two.say({ type: "hello", session_id: "other" })
      yield* two.next("status")
      yield* two.say({ type: "close" })
      yield* two.closed
      yield* one.say({ type: "hello", session_id: "mine" })
      yield* one.next("status")
      disk.full = true
      yield* one.say({ type: "resume", session_id: "other" })
      assert.strictEqual((yield* one.next("error")).error.code, "storage_unavailable")
      disk.full = false
      yield* one.say({ type: "prompt", content: "go" })
      assert.strictEqual((yield* one.next("task_completed")).session_id, "other")
    }).pipe(Effect.scoped, Effect.provide(kit(disk)))
  })
})

tellTheSame()
