/** Call ids are unique in a session, also among those of which its state keeps nothing (LESSONS 4; PROTOCOL 4). */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import type { DurableBody, DurableEvent } from "../../src/domain/Event.ts"
import { foldAll } from "../../src/domain/Fold.ts"
import { initial } from "../../src/domain/Session.ts"
import { usedIds } from "../../src/engine/pairing.ts"
import { answer, call } from "../support/engineKit.ts"
import { go, over, script, sub } from "../support/subagentKit.ts"
import { probe } from "../support/tools.ts"

const folded = (events: ReadonlyArray<DurableBody | DurableEvent>) =>
  foldAll(
    initial,
    events.map((body, i) => ({ seq: i + 1, body }))
  )
/** Whether a model's own id would be taken for a new call. */
const isFree = (state: ReturnType<typeof folded>, id: string) => {
  const used = usedIds(state)
  return !used.has(id) && used.size === Array.from(used).filter((known) => known !== "\0").length
}

const told = Effect.gen(function* () {
  const { tool } = probe()
  const above = [answer("", [sub("a", "count", { tools: ["probe"] })]), answer("So it is.")]
  const { layer, seen } = over({
    tools: [tool],
    script: script(above, [answer("", [call("c", "probe", { n: 1 })]), answer("x")])
  })
  yield* Effect.provide(go, layer)
  return seen.events
})

it.effect("a subagent's, when it has ended", () =>
  Effect.gen(function* () {
    const events = yield* told
    const calls = events.flatMap((event) => (event.type === "tool_call" ? [event.call_id as string] : []))
    assert.deepStrictEqual(calls, ["a", "c"])
    const state = folded(events)
    for (const id of calls) assert.isFalse(isFree(state, id), id)
  })
)

it.effect("those that were cleared away; and of a session that forgot nothing, any other id is free", () =>
  Effect.gen(function* () {
    const events = (yield* told).filter((event) => !("parent_call_id" in event))
    const cleared = folded([...events, { type: "cleared", up_to_seq: events.length }])
    assert.isFalse(isFree(cleared, "a"))
    assert.isTrue(isFree(folded([]), "a"))
    const plain = folded(events.slice(0, 2))
    assert.isTrue(isFree(plain, "a"))
  })
)
