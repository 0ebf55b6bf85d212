/** A server that keeps failing is left alone, and tried again by one call (R111, R114, RELIABILITY 3.6). */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Result, Stream } from "effect"
import { TestClock } from "effect/testing"
import * as Breaker from "../../src/provider/Breaker.ts"
import { answer, makeScripted, type Script } from "../../src/provider/Provider.ts"
import { type ProviderCode, ProviderError } from "../../src/provider/ProviderError.ts"

const fails = (code: ProviderCode) => Stream.fail(new ProviderError({ code, detail: "It is down." }))
const request = { messages: [], tools: [] }

/** A provider whose next answers a test sets, and how often it was really asked. */
const make = () => {
  const asked: Array<string> = []
  let next: Script = () => answer("ok")
  const provider = Breaker.protect(
    makeScripted((asks, turn) => {
      asked.push(asks.model ?? "main")
      return next(asks, turn)
    })
  )
  /** What a call ended with: `ok`, a code, or the sentence of the breaker. */
  const call = (model?: string, streaming = true, task?: string) => {
    const asks = { ...request, ...(model === undefined ? {} : { model }), ...(task === undefined ? {} : { task }) }
    const made = streaming ? Stream.runDrain(provider.stream(asks)) : Effect.asVoid(provider.generate(asks))
    return Effect.map(Effect.result(made), (result) =>
      Result.isSuccess(result) ? "ok" : result.failure.open === true ? result.failure.message : result.failure.code
    )
  }
  return { asked, call, set: (script: Script) => void (next = script) }
}

const times = <A>(n: number, call: Effect.Effect<A>) => Effect.forEach(Array.from({ length: n }), () => call)
const left = (seconds: number) =>
  `scripted failed 5 times in a row and is left alone; claw tries it again in ${seconds} s. It is down.`

describe("protect", () => {
  it.effect("five failures in a row open it for 30 s; then one call decides", () =>
    Effect.gen(function* () {
      const { asked, call, set } = make()
      set(() => fails("provider_unavailable"))
      assert.deepStrictEqual(
        yield* times(5, call()),
        Array.from({ length: 5 }, () => "provider_unavailable")
      )
      assert.strictEqual(yield* call(), left(30))
      yield* TestClock.adjust("29500 millis")
      assert.strictEqual(yield* call(undefined, false), left(1))
      assert.strictEqual(asked.length, 5)
      yield* TestClock.adjust("500 millis")
      assert.deepStrictEqual(yield* times(2, call()), ["provider_unavailable", left(30).replace("5 times", "6 times")])
      yield* TestClock.adjust("30 seconds")
      set(() => answer("ok"))
      assert.deepStrictEqual(yield* times(3, call()), ["ok", "ok", "ok"])
      assert.strictEqual(asked.length, 9)
    })
  )

  it.effect("a task counts once, however often it tries and in how many calls", () =>
    Effect.gen(function* () {
      const { asked, call, set } = make()
      const of = (task: string) => call(undefined, true, task)
      set(() => fails("provider_unreachable"))
      for (const task of ["a", "b", "c", "d"]) yield* times(5, of(task))
      assert.strictEqual(yield* of("a"), "provider_unreachable")
      // An answer in between, and it begins anew.
      set(() => answer("ok"))
      yield* of("e")
      set(() => fails("provider_unreachable"))
      for (const task of ["a", "b", "c", "d", "d"]) yield* of(task)
      assert.strictEqual(yield* of("e"), "provider_unreachable")
      assert.strictEqual(yield* of("f"), left(30))
      assert.strictEqual(asked.length, 28)
    })
  )

  it.effect("answers beyond our own limit say nothing against the server", () =>
    Effect.gen(function* () {
      const { asked, call, set } = make()
      set(() => Stream.fail(new ProviderError({ code: "provider_bad_stream", detail: "Too large.", excess: true })))
      yield* times(6, call())
      assert.strictEqual(yield* call(), "provider_bad_stream")
      assert.strictEqual(asked.length, 7)
    })
  )

  it.effect("while one call tries it, others wait", () =>
    Effect.gen(function* () {
      const { asked, call, set } = make()
      set(() => fails("provider_timeout_idle"))
      yield* times(5, call())
      yield* TestClock.adjust("30 seconds")
      const go = yield* Deferred.make<void>()
      set(() => Stream.unwrap(Effect.as(Deferred.await(go), answer("ok"))))
      const probe = yield* Effect.forkChild(call(), { startImmediately: true })
      assert.strictEqual(yield* call(), left(30))
      yield* Deferred.succeed(go, undefined)
      assert.deepStrictEqual([yield* Fiber.join(probe), yield* call(), asked.length], ["ok", "ok", 7])
    })
  )

  it.effect("an interrupted call says nothing, also where it was the one that tries", () =>
    Effect.gen(function* () {
      const { call, set } = make()
      set(() => fails("provider_unreachable"))
      yield* times(5, call())
      yield* TestClock.adjust("30 seconds")
      for (const streaming of [true, false]) {
        set(() => Stream.never)
        const probe = yield* Effect.forkChild(call(undefined, streaming), { startImmediately: true })
        yield* Fiber.interrupt(probe)
      }
      set(() => answer("ok"))
      assert.strictEqual(yield* call(), "ok")
    })
  )

  it.effect("only what is the server's fault counts, and any answer of it starts the count anew", () =>
    Effect.gen(function* () {
      const { call, set } = make()
      const codes = ["provider_bad_stream", "provider_rate_limited", "provider_auth", "provider_bad_request"] as const
      for (const code of codes) {
        set(() => fails("provider_unavailable"))
        yield* times(4, call())
        set(() => fails(code))
        assert.strictEqual(yield* call(), code)
        // The first of these codes is a fault as well: the circuit is open after it.
        assert.strictEqual(yield* call(), code === "provider_bad_stream" ? left(30) : code)
        yield* TestClock.adjust("30 seconds")
        set(() => answer("ok"))
        assert.strictEqual(yield* call(), "ok")
      }
    })
  )

  it.effect("each model has its own", () =>
    Effect.gen(function* () {
      const { call, set } = make()
      set(({ model }) => (model === "small" ? answer("ok") : fails("provider_unavailable")))
      yield* times(5, call())
      assert.deepStrictEqual([yield* call(), yield* call("small")], [left(30), "ok"])
    })
  )
})
