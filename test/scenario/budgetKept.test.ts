/**
 * Limits of spending that somebody set are part of the session (R117; issue 5: all that counts is a fold of the journal):
 * they hold in the next process, as far as that one allows.
 */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { RuntimeManager } from "../../src/runtime/RuntimeManager.ts"
import * as FakeModel from "../support/fakeModel.ts"
import { folder, layer, newSession } from "../support/realSession.ts"

it.live("a limit that was set holds in a later process, as far as its configuration lets it", () =>
  Effect.gen(function* () {
    const { base_url } = yield* FakeModel.make()
    const [state, workspace] = yield* Effect.all([folder("claw-home-"), folder("claw-ws-")])
    const process_ = (session_tokens: number) =>
      layer({ base_url, workspace, state, flags: { limits: { session_tokens, task_tokens: 900 } } })
    const limits = (id: Parameters<RuntimeManager["Service"]["open"]>[0]) =>
      Effect.gen(function* () {
        const { budgets = [] } = yield* (yield* (yield* RuntimeManager).open(id)).status
        return budgets.map(({ budget, unit, limit }) => `${budget} ${limit} ${unit}`)
      })

    const id = yield* Effect.gen(function* () {
      const session = yield* newSession(workspace)
      yield* session.setBudget?.({ session_tokens: 2000, task_cost_usd: 1.5 }) ?? Effect.die("it sets none")
      yield* session.setBudget?.({ task_tokens: 5000 }, true) ?? Effect.die("it sets none")
      assert.deepStrictEqual(yield* limits(session.session_id), [
        "task 900 tokens",
        "task 1.5 usd",
        "session 2000 tokens"
      ])
      yield* session.setBudget?.({ task_tokens: 400, session_tokens: 1900 }) ?? Effect.die("it sets none")
      yield* session.setBudget?.({ session_tokens: 5000 }, true) ?? Effect.die("it sets none")
      return session.session_id
    }).pipe(Effect.scoped, Effect.provide(process_(1000)))

    const later = (session_tokens: number) => Effect.provide(Effect.scoped(limits(id)), process_(session_tokens))
    assert.deepStrictEqual(yield* later(1000), ["task 400 tokens", "task 1.5 usd", "session 1000 tokens"])
    // Whose word was to stay within the configuration stays within it as it is by now.
    assert.deepStrictEqual(yield* later(300), ["task 400 tokens", "task 1.5 usd", "session 300 tokens"])
    assert.deepStrictEqual(yield* later(9000), ["task 400 tokens", "task 1.5 usd", "session 5000 tokens"])
  }).pipe(Effect.scoped)
)
