/** Reservations: no cap is passed, each is settled once on every way out, and nobody waits for ever (R117–R119, R123). */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Schema } from "effect"
import { type Hold, type Ledger, leftOf, makeDayLedger, makeLedger, reserve, uses } from "../../src/engine/Budget.ts"

const int = (minimum: number, maximum: number) => Schema.Int.pipe(Schema.check(Schema.isBetween({ minimum, maximum })))

const price = { input: 3, output: 15, cached: 0.3 }

/** A call that holds its reservation over some steps and is then answered, fails, or is cut off. */
const Call = Schema.Struct({
  input: int(1, 400),
  output: int(1, 3000),
  steps: int(0, 4),
  end: Schema.Literals(["whole", "part", "failed", "cut", "cut early"]),
  /** Which of the two tasks it belongs to. */
  task: Schema.Literals([0, 1])
})
type Call = typeof Call.Type

const tree = (tokens: number, usd: number) => {
  const session = makeLedger("session", () => ({ tokens, usd }))
  const tenant = makeLedger("tenant", () => ({ tokens: tokens * 2, usd: 0 }))
  const tasks = [0, 1].map(() => makeLedger("task", () => ({ tokens: Math.ceil(tokens / 2), usd: 0 })))
  return { all: [...tasks, session, tenant], of: (task: 0 | 1) => [tasks[task] as Ledger, session, tenant] }
}

const spentOf = ({ input, end }: Call, { output }: Hold) => {
  const tokens = end === "whole" ? input + output : end === "part" ? input + Math.floor(output / 2) : 0
  const nano = tokens === 0 ? 0 : input * 3000 + (tokens - input) * 15_000
  return { tokens, nano }
}

const living = (call: Call, ledgers: ReadonlyArray<Ledger>, check: () => void) =>
  Effect.uninterruptibleMask((restore) => {
    const need = { input: call.input, output: call.output, least: Math.min(16, call.output), price }
    return Effect.flatMap(reserve(ledgers, need), (hold) => {
      check()
      const steps = Effect.forEach(Array(call.steps), () => Effect.yieldNow, { discard: true })
      const lived = Effect.as(call.end === "cut" ? Effect.andThen(steps, Effect.interrupt) : steps, spentOf(call, hold))
      return Effect.ensuring(
        restore(lived),
        Effect.sync(() => {
          hold.settle(spentOf(call, hold))
          // A second word changes nothing.
          hold.settle({ tokens: 1_000_000, nano: 1_000_000 })
          check()
        })
      )
    })
  })

describe("accounts that are shared", () => {
  it.effect.prop(
    "whatever calls do at once: caps hold at every moment, and in the end what is used is what was spent",
    [Schema.Array(Call).pipe(Schema.check(Schema.isMaxLength(60))), int(1, 9000), int(0, 60)],
    ([calls, tokens, milli]) =>
      Effect.gen(function* () {
        const { all, of } = tree(tokens, milli / 1000)
        const check = () => {
          for (const { account } of all) {
            const { cap, held, used } = account()
            assert.isAtMost(held.tokens + used.tokens, cap.tokens)
            if (cap.usd > 0) assert.isAtMost(held.nano + used.nano, Math.round(cap.usd * 1e9))
            assert.isAtLeast(Math.min(held.tokens, held.nano), 0)
          }
        }
        const fibers = yield* Effect.forEach(calls, (call) => Effect.forkChild(living(call, of(call.task), check)))
        const cut = calls.flatMap(({ end }, i) => (end === "cut early" ? [fibers[i] as Fiber.Fiber<unknown>] : []))
        yield* Fiber.interruptAll(cut)
        const ends = yield* Effect.forEach(fibers, (fiber) => Fiber.await(fiber))
        const spent = ends.flatMap((exit, i) => (exit._tag === "Success" && calls[i] ? [exit.value] : []))
        const session = of(0)[1]?.account()
        assert.deepStrictEqual(session?.held, { tokens: 0, nano: 0 })
        const sum = { tokens: 0, nano: 0 }
        for (const { nano, tokens } of spent) Object.assign(sum, { tokens: sum.tokens + tokens, nano: sum.nano + nano })
        assert.deepStrictEqual(session?.used, sum)
        for (const { waiting } of all) assert.strictEqual(waiting.size, 0)
      }),
    { arbitrary: { runs: 150, size: 40 } }
  )

  it.effect("fifty at once never pass a cap that has room for ten of them; the others wait, then are told", () =>
    Effect.gen(function* () {
      const ledger = makeLedger("task", () => ({ tokens: 11_000, usd: 0 }))
      const need = { input: 100, output: 1000, least: 16 }
      let most = 0
      const one = Effect.gen(function* () {
        const hold = yield* reserve([ledger], need)
        most = Math.max(most, ledger.account().held.tokens + ledger.account().used.tokens)
        yield* Effect.yieldNow
        hold.settle({ tokens: 500, nano: 0 })
      })
      const exits = yield* Effect.forEach(Array(50), () => Effect.exit(one), { concurrency: "unbounded" })
      const { held, used } = ledger.account()
      assert.isAtMost(most, 11_000)
      assert.deepStrictEqual(
        [held.tokens, used.tokens],
        [0, 500 * exits.filter(({ _tag }) => _tag === "Success").length]
      )
      assert.isAtLeast(used.tokens, 10_500)
    })
  )

  it.effect("an answer is shortened to what is left, and refused where that is no answer", () =>
    Effect.gen(function* () {
      const money = makeLedger("session", () => ({ tokens: 0, usd: 0.01 }))
      const need = { input: 1000, output: 4000, least: 16, price }
      const hold = yield* reserve([money], need)
      assert.deepStrictEqual([hold.output, leftOf([money])], [466, { cost_usd: 0.00001 }])
      hold.settle({ tokens: 1400, nano: 9_500_000 })
      const error = yield* Effect.flip(reserve([money], need))
      assert.deepStrictEqual(error.budget, {
        budget: "session",
        unit: "usd",
        used: 0.0095,
        limit: 0.01,
        needed: 0.00324
      })
      assert.strictEqual(
        error.message,
        "The session's budget of $0.01 does not reach: $0.0095 used, and the next request takes about $0.00324. Raise limits.session_cost_usd (or /budget session) to go on."
      )
    })
  )

  it.effect("a limit that is raised holds from the next call on, and a new day counts anew", () =>
    Effect.gen(function* () {
      let [tokens, day] = [100, "2026-03-01"]
      const ledger = makeDayLedger(
        () => ({ tokens, usd: 0 }),
        () => day
      )
      const need = { input: 60, output: 40, least: 16 }
      const spend = Effect.map(reserve([ledger], need), (hold) => hold.settle({ tokens: 100, nano: 0 }))
      yield* spend
      const error = yield* Effect.flip(spend)
      assert.deepStrictEqual(error.budget, { budget: "tenant", unit: "tokens", used: 100, limit: 100 })
      tokens = 250
      yield* spend
      day = "2026-03-02"
      assert.deepStrictEqual(uses([ledger]), [{ budget: "tenant", unit: "tokens", used: 0, limit: 250 }])
    })
  )
})
