/** A damaged record that may still count: its session can be read and nothing more; nothing happens twice (RELIABILITY 3.5, I6; R332). */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { DurableType } from "../../src/domain/Event.ts"
import { localOwner, sessionKey } from "../../src/domain/Principal.ts"
import { factsUpTo } from "../../src/runtime/SessionCopy.ts"
import { cutOff, cutSession } from "../support/cutOff.ts"
import { type Flipped, layerDamaged } from "../support/damagedJournal.ts"
import { answer, call } from "../support/engineKit.ts"
import { begin, stored } from "../support/restarts.ts"
import { byHistory, watch } from "../support/runtimeKit.ts"
import { probe } from "../support/tools.ts"

const nothing = (): Flipped => ({ is: () => false })
const kind = (type: DurableType) => (body: { readonly type: string }) => body.type === type

const options = () => {
  const { tool, log } = probe({ name: "once" })
  return { log, kit: { tools: [tool], script: () => byHistory(answer("so be it")) } }
}

/** A task that a crash cut off, found by the next process. */
const found = Effect.fnUntraced(function* (flipped: Flipped, is: Flipped["is"]) {
  yield* cutOff({ calls: ["once"], key: "k1" })
  flipped.is = is
  const { kit, log } = options()
  const { manager } = yield* begin(kit)
  const went = yield* manager.resumeAll()
  const session = yield* manager.open(cutSession)
  return { log, session, went }
})

const scoped = <A, E, R>(flipped: Flipped, effect: Effect.Effect<A, E, R>) =>
  effect.pipe(Effect.scoped, Effect.provide(layerDamaged(flipped)))

describe("a damaged record", () => {
  it.effect.each<readonly [DurableType, boolean]>([
    ["tool_started", false],
    ["tool_started", true],
    ["task_started", false],
    ["approval_resolved", false],
    ["text_completed", false]
  ])("%s of a task that ran: the session can only be read (gone: %s)", ([type, gone]) => {
    const flipped: Flipped = { ...nothing(), gone }
    const run = Effect.gen(function* () {
      const before = (yield* stored(cutSession).pipe(Effect.orElseSucceed(() => []))).length
      assert.strictEqual(before, 0)
      const { log, session, went } = yield* found(flipped, kind(type))
      assert.strictEqual(went, 0)
      const status = yield* session.status
      assert.deepStrictEqual([status.damaged, status.read_only], [1, true])
      const seen = yield* watch(session, { after: { seq: 0 }, answers: true })
      assert.strictEqual(seen.facts().length, 5)
      const refusals = yield* Effect.forEach(
        [
          session.prompt({ content: "again", idempotency_key: "k1" }),
          session.prompt({ content: "more", when_busy: "queue" }),
          session.interrupt(),
          session.clear,
          session.resumeQueue,
          session.rename("other"),
          session.setMode("bypass"),
          session.setModel("other"),
          session.restore("undo")
        ],
        (refused) => Effect.map(Effect.flip(Effect.asVoid(refused)), ({ code }) => code)
      )
      assert.deepStrictEqual(new Set(refusals), new Set(["session_damaged"]))
      assert.deepStrictEqual(log, [])
      flipped.is = () => false
      assert.strictEqual((yield* stored(cutSession)).length, 6)
    })
    return scoped(flipped, run)
  })

  it.effect("is no part of a copy of what came before it (README)", () => {
    const flipped = nothing()
    const run = Effect.gen(function* () {
      yield* cutOff({ calls: ["once"] })
      flipped.is = kind("tool_started")
      const key = sessionKey(localOwner, cutSession)
      assert.strictEqual((yield* Effect.flip(factsUpTo(key))).code, "storage_unavailable")
      const facts = yield* factsUpTo(key, 3)
      assert.deepStrictEqual(
        facts.map(({ body }) => body.type),
        ["task_started", "thinking", "text_completed"]
      )
    })
    return scoped(flipped, run)
  })

  it.effect("stays read-only however the session is opened, and through a drain", () => {
    const flipped = nothing()
    const run = Effect.gen(function* () {
      yield* cutOff({ calls: ["once"] })
      flipped.is = kind("tool_started")
      const { kit, log } = options()
      const { leave, manager } = yield* begin(kit)
      const session = yield* manager.open(cutSession)
      assert.strictEqual((yield* session.status).read_only, true)
      yield* leave()
      assert.deepStrictEqual(log, [])
      flipped.is = () => false
      assert.strictEqual((yield* stored(cutSession)).length, 6)
    })
    return scoped(flipped, run)
  })

  it.effect.each<readonly [string, DurableType, boolean, true | undefined]>([
    ["of an ended task's turn costs itself", "tool_started", false, undefined],
    ["the same, result and all", "tool_result", false, undefined],
    ["whose type nobody can tell may have been anything", "tool_started", true, true],
    ["that ended a task leaves nobody to say whether it did", "task_completed", false, true],
    ["that began one takes its key with it", "task_started", false, true],
    ["of what waited may have been a prompt", "prompt_queued", false, true]
  ])("%s", ([_name, type, gone, read_only]) => {
    const flipped: Flipped = { ...nothing(), gone }
    const run = Effect.gen(function* () {
      const { tool } = probe({ name: "once", risk: "mutating" })
      const script = () => byHistory(answer("", [call("c1", "once")]), answer("one"), answer("two"), answer("three"))
      const first = yield* begin({ tools: [tool], script })
      const session = yield* first.manager.create(cutSession, { workspace: "/" })
      const asked = yield* watch(session, { answers: true })
      yield* session.prompt({ content: "go", idempotency_key: "k1" })
      const { request_id } = yield* asked.until("approval_request")
      yield* session.prompt({ content: "and then", when_busy: "queue", idempotency_key: "k2" })
      yield* session.answer({ request_id, decision: "allow_once" })
      while (asked.types().filter((one) => one === "task_completed").length < 2) yield* Effect.yieldNow
      yield* first.leave()
      let seen = false
      const firstOf = kind(type)
      flipped.is = (body, pos) => {
        if (pos === 1) seen = false
        const is = firstOf(body) && !seen
        seen ||= is
        return is
      }
      const { manager } = yield* begin({ tools: [tool], script })
      const again = yield* manager.open(cutSession)
      assert.strictEqual((yield* again.status).read_only, read_only)
      if (read_only === undefined) {
        const { duplicate } = yield* again.prompt({ content: "go", idempotency_key: "k1" })
        assert.isTrue(duplicate)
      }
    })
    return scoped(flipped, run)
  })
})
