/**
 * A subagent in a session as `claw` builds it: its question names it, its change is the task's, its tokens are counted
 * once, and the session lives again from its journal (R121, R122, R313, R326; SETTLED 13).
 */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import type { DurableEvent } from "../../src/domain/Event.ts"
import type { SessionId } from "../../src/domain/Ids.ts"
import { RuntimeManager } from "../../src/runtime/RuntimeManager.ts"
import { commandKit } from "../support/commandKit.ts"
import * as Fake from "../support/fakeModel.ts"
import { calls, text } from "../support/fakeModelScript.ts"
import { answering } from "../support/realSession.ts"

const order = JSON.stringify({ title: "heron", prompt: "write heron to new.txt" })
const limits = { session_tokens: 1_000_000, tenant_day_cost_usd: 5 }
const models = { "fake-model": { prices: { input: 1, output: 2 } } }

const told = "told" as SessionId

const lived = Effect.gen(function* () {
  const model = yield* Fake.make()
  const kit = yield* commandKit({ base_url: model.base_url, provider: "openai", model: "fake-model", limits, models })
  model.script(
    calls([{ id: "s1", name: "subagent", arguments: order }]),
    calls([{ id: "w1", name: "write_file", arguments: '{"path":"new.txt","content":"heron"}' }]),
    text("It is in new.txt."),
    text("Done."),
    text("Yes.")
  )
  return { ...kit, model }
})

it.live("asks under its name, changes what was allowed, is counted once, and is rebuilt from the journal", () =>
  Effect.gen(function* () {
    const { claw, live, model, workspace } = yield* lived
    const events: Array<DurableEvent> = []
    const session = Effect.gen(function* () {
      const manager = yield* RuntimeManager
      const runtime = yield* manager.create(told, { workspace })
      const sink = (more: ReadonlyArray<object>) =>
        void events.push(...more.filter((event): event is DurableEvent => "seq" in event))
      yield* runtime.subscribe({ sink })
      yield* answering(runtime, "allow_once")
      const end = yield* (yield* runtime.prompt({ content: "write it" })).task!.await
      return { end, status: yield* runtime.status }
    })
    const { end, status } = yield* Effect.provide(Effect.scoped(session), live)
    assert.strictEqual(end.status, "completed")
    assert.strictEqual(readFileSync(join(workspace, "new.txt"), "utf8"), "heron")

    const asked = events.filter((event) => event.type === "approval_request")
    assert.deepStrictEqual(
      asked.map(({ parent_call_id, subagent, tool_name }) => [parent_call_id, subagent, tool_name]),
      [["s1", "heron", "write_file"]]
    )
    const [, second] = model.requests()
    assert.include(JSON.stringify(second), "# Subagent")
    assert.notInclude(JSON.stringify(second), "write it")

    const used = { input_tokens: 40, output_tokens: 20, cost_usd: 0.000_08 }
    assert.deepInclude(end.usage, used)
    assert.deepStrictEqual(status.budgets, [
      { budget: "session", unit: "tokens", used: 60, limit: 1_000_000 },
      { budget: "tenant", unit: "usd", used: 0.000_08, limit: 5 }
    ])
    const [report] = (yield* claw("usage", "--json")).json
    assert.deepInclude(report.total, used)
    assert.deepInclude(report.models[0], { model: "fake-model", ...used })
    assert.deepInclude(report.sessions[0], { session_id: "told", ...used })

    const [replayed] = (yield* claw("replay", "told", "--json")).json
    assert.deepStrictEqual([replayed.same, replayed.requests, replayed.difference], [true, 4, undefined])
    assert.include((yield* claw("sessions", "export", "told")).out, "It is in new.txt.")

    // Another process begins with what the journal and the store know.
    const again = Effect.gen(function* () {
      const runtime = yield* (yield* RuntimeManager).open(told)
      yield* (yield* runtime.prompt({ content: "is it there?" })).task!.await
      return (yield* runtime.status).budgets?.map(({ used: one }) => one)
    })
    assert.deepStrictEqual(yield* Effect.provide(Effect.scoped(again), live), [75, 0.000_1])
  }).pipe(Effect.scoped)
)
