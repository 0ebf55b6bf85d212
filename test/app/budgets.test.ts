/** A tenant's day is one account for all of its sessions, whoever's they are, and whatever process spent (R119, R123). */
import { assert, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { makeBudgets } from "../../src/app/budgets.ts"
import { load } from "../../src/config/AppConfig.ts"
import { cappedBy } from "../../src/config/SpendingLimits.ts"
import type { ConfigFile } from "../../src/config/Settings.ts"
import { TaskId } from "../../src/domain/Ids.ts"
import { type Owner, sessionKey } from "../../src/domain/Principal.ts"
import { reserve, uses } from "../../src/engine/Budget.ts"
import { Journal } from "../../src/store/Journal.ts"
import { SessionIndex } from "../../src/store/SessionIndex.ts"
import { layerMemory } from "../../src/store/memory/MemoryStore.ts"
import { record, sessionId } from "../support/storeRecords.ts"
import { directoryWith } from "../support/directories.ts"

const configOf = (flags: ConfigFile, env = {}) =>
  load({ workspace: "/nonexistent", env: { HOME: "/nonexistent", ...env }, flags, operator: "/nonexistent" })

const ada: Owner = { tenant: "acme", project: "web", user: "ada" }
const eve: Owner = { tenant: "acme", project: "api", user: "eve" }
const joe: Owner = { tenant: "other", project: "web", user: "joe" }

it.effect("sessions of one tenant share its day, other tenants have their own limits", () =>
  Effect.gen(function* () {
    const [index, journal] = [yield* SessionIndex, yield* Journal]
    const limits = { tenant_day_tokens: 1000 }
    const config = Result.getOrThrow(configOf({ limits, server: { tenants: { other: { day_tokens: 50 } } } }))
    const budgets = makeBudgets(config, index)
    const [hers, theirs, his] = [budgets(ada), budgets(eve), budgets(joe)]
    const hold = yield* reserve(hers.outer, { input: 100, output: 800, least: 16 })
    const short = yield* Effect.forkChild(reserve(theirs.outer, { input: 200, output: 16, least: 16 }))
    yield* Effect.yieldNow
    assert.isUndefined(short.pollUnsafe())
    hold.settle({ tokens: 900, nano: 0 })
    assert.strictEqual(
      (yield* Effect.flip(reserve(theirs.outer, { input: 200, output: 16, least: 16 }))).budget?.used,
      900
    )
    assert.deepStrictEqual(uses(his.outer), [{ budget: "tenant", unit: "tokens", used: 0, limit: 50 }])

    // Somebody else wrote into the store meanwhile.
    const key = sessionKey(joe, sessionId("s"))
    const { epoch } = yield* journal.claim(key, "elsewhere")
    const usage = { input_tokens: 40, output_tokens: 2 }
    const used = { type: "usage", task_id: TaskId.make("t"), turn: 1, usage, session_usage: usage } as const
    yield* journal.append(key, epoch, [{ ...record(1, 1, used), ts: new Date().toISOString() }])
    yield* his.refresh
    assert.strictEqual(uses(his.outer)[0]?.used, 42)
  }).pipe(Effect.provide(layerMemory))
)

it.effect("money is read from flags and variables, and the operator's limits are nobody's to raise", () =>
  Effect.gen(function* () {
    const wrong = configOf({ limits: { task_cost_usd: Number.NaN } })
    assert.include(Result.isFailure(wrong) ? wrong.failure.message : "", "--max-cost")
    const { limits } = Result.getOrThrow(configOf({}, { CLAW_MAX_COST: "2.5", CLAW_LIMITS_SESSION_COST_USD: "10" }))
    assert.deepStrictEqual([limits.task_cost_usd, limits.session_cost_usd], [2.5, 10])

    const operator = JSON.stringify({ limits: { session_cost_usd: 3, task_tokens: 500 } })
    const home = yield* directoryWith({ "operator.json": operator })
    const config = Result.getOrThrow(
      load({
        workspace: home,
        env: { HOME: home, CLAW_STATE_DIR: home },
        flags: { limits: { session_cost_usd: 0, task_tokens: 100 } },
        operator: `${home}/operator.json`
      })
    )
    assert.deepStrictEqual([config.limits.session_cost_usd, config.limits.task_tokens], [3, 100])
    const wanted = { session_cost_usd: 9, task_tokens: 0, task_cost_usd: 1 }
    assert.deepStrictEqual(cappedBy(config.cap_ceiling, wanted), {
      session_cost_usd: 3,
      task_tokens: 500,
      task_cost_usd: 1
    })
  }).pipe(Effect.scoped)
)
