/** An answer is one key or one line that stayed alone; whatever comes right behind makes it a paste (SECURITY P16). */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Queue } from "effect"
import { TestClock } from "effect/testing"
import type { ApprovalRequest } from "../../src/domain/Approval.ts"
import type { CallId, RequestId } from "../../src/domain/Ids.ts"
import { Output } from "../../src/cli/Output.ts"
import { askPlain, type Said } from "../../src/cli/plainQuestion.ts"
import { Terminal, type TerminalInput } from "../../src/cli/Terminal.ts"
import { askYes } from "../../src/cli/YesNo.ts"

const request: ApprovalRequest = {
  request_id: "r" as RequestId,
  kind: "tool",
  call_id: "c" as CallId,
  tool_name: "bash",
  content: "{}",
  risk: "dangerous",
  reason: "",
  grant_options: []
}

const silent = Output.of({
  out: () => Effect.succeed(true),
  err: () => Effect.void,
  isTerminal: false,
  color: false,
  columns: () => 80
})

/** What lies between two things that are said: time of the test's clock, and a turn of the loop for who reads them. */
const wait = (ms: number) =>
  Effect.andThen(
    TestClock.adjust(ms),
    Effect.promise(() => new Promise<void>((done) => setImmediate(() => setImmediate(done))))
  )

const plainly = Effect.gen(function* () {
  const said = yield* Queue.unbounded<Said>()
  const resolved = yield* Deferred.make<void>()
  const fiber = yield* Effect.forkScoped(
    Effect.provideService(askPlain(request, said, Deferred.await(resolved), "en"), Output, silent),
    { startImmediately: true }
  )
  yield* wait(500)
  const say = (...lines: ReadonlyArray<string>) =>
    Effect.forEach(lines, (text) => Queue.offer(said, { kind: "line", text }), { discard: true })
  return { fiber, say, resolved }
})

describe("a line on a dumb terminal", () => {
  it.effect("answers once nothing came right behind it", () =>
    Effect.gen(function* () {
      const { fiber, say } = yield* plainly
      yield* say("y")
      yield* wait(29)
      assert.isUndefined(fiber.pollUnsafe())
      yield* wait(1)
      assert.deepStrictEqual(yield* Fiber.join(fiber), { decision: "allow_once" })
    })
  )

  it.effect("with another right behind it is no answer, nor is any line of that paste", () =>
    Effect.gen(function* () {
      const { fiber, say, resolved } = yield* plainly
      yield* say("y", "ls", "rm x")
      yield* wait(30)
      yield* say("y")
      yield* wait(29)
      yield* say("y")
      yield* wait(500)
      yield* wait(500)
      assert.isUndefined(fiber.pollUnsafe())
      yield* Deferred.succeed(resolved, undefined)
      assert.isUndefined(yield* Fiber.join(fiber))
    })
  )
})

const yesNo = Effect.gen(function* () {
  const inputs = yield* Queue.unbounded<TerminalInput>()
  const terminal = Terminal.of({
    read: Queue.take(inputs),
    draw: () => {},
    columns: () => 80,
    rows: () => 24,
    color: false
  })
  const fiber = yield* Effect.forkScoped(Effect.provideService(askYes([], "y/n"), Terminal, terminal), {
    startImmediately: true
  })
  const press = (text: string) =>
    Effect.forEach(text, (name) => Queue.offer(inputs, { kind: "key", name, text: name }), { discard: true })
  return { fiber, press }
})

describe("a key at a question of yes and no", () => {
  it.effect("counts half a second after the question was drawn, and once it stayed alone", () =>
    Effect.gen(function* () {
      const { fiber, press } = yield* yesNo
      yield* wait(499)
      yield* press("y")
      yield* wait(600)
      assert.isUndefined(fiber.pollUnsafe())
      yield* press("y")
      yield* wait(30)
      assert.isTrue(yield* Fiber.join(fiber))
    })
  )

  it.effect("is none in what is pasted, wherever it stands there", () =>
    Effect.gen(function* () {
      for (const text of ["yarn", "ay", "yy"]) {
        const { fiber, press } = yield* yesNo
        yield* wait(10_000)
        yield* press(text)
        yield* wait(30)
        yield* wait(30)
        assert.isUndefined(fiber.pollUnsafe(), text)
        yield* wait(600)
        yield* press("n")
        yield* wait(30)
        assert.isFalse(yield* Fiber.join(fiber))
      }
    })
  )
})
