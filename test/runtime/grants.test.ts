/** Grants in a running session: with their decision, read when the call begins, and gone when they are (SETTLED 8, 18). */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Logger } from "effect"
import { GrantStore } from "../../src/approval/GrantStore.ts"
import type { DurableEvent } from "../../src/domain/Event.ts"
import type { SessionRuntime } from "../../src/runtime/SessionRuntime.ts"
import { Journal } from "../../src/store/Journal.ts"
import { layerMemory } from "../../src/store/memory/MemoryStore.ts"
import { StoreError } from "../../src/store/StoreError.ts"
import { audited } from "../support/decisions.ts"
import { answer, call } from "../support/engineKit.ts"
import { gated, type GatedOptions } from "../support/gatedKit.ts"
import { create, watch, type Watching } from "../support/runtimeKit.ts"
import { layerTempSqlite } from "../support/tempStore.ts"
import { probe } from "../support/tools.ts"

const silent = Logger.layer([])
const kit = (options: Omit<GatedOptions, "tools">) => {
  const { tool, log } = probe({ risk: "mutating" })
  return { log, layer: gated({ tools: [tool], ...options }) }
}
const same = (id: string) => answer("", [call(id, "probe", { n: 1, path: "/a" })])

/** Answers the newest question. */
const reply = Effect.fnUntraced(function* (
  session: SessionRuntime,
  seen: Watching,
  decision: "allow_once" | "allow_session"
) {
  yield* seen.until("approval_request")
  const [open] = (yield* session.status).pending_approvals
  yield* session.answer({ request_id: open!.request_id, decision, by: "ada" })
})

const resolutions = (facts: ReadonlyArray<DurableEvent>) =>
  facts.flatMap((fact) =>
    fact.type === "approval_resolved" ? [[fact.call_id, fact.decision, fact.via].join(" ")] : []
  )

describe.each([
  ["memory", layerMemory],
  ["SQLite", layerTempSqlite]
] as const)("a session's grants, %s", (_name, store) => {
  it.live("are kept with the decision, used without a question, counted, and left by /clear (R144, SETTLED 18)", () => {
    const { log, layer } = kit({ answers: [same("c1"), same("c2"), answer("ok"), same("c3"), answer("ok")] })
    return Effect.gen(function* () {
      const session = yield* create("s1")
      const seen = yield* watch(session, { answers: true })
      const { task } = yield* session.prompt({ content: "go" })
      yield* reply(session, seen, "allow_session")
      assert.strictEqual((yield* task!.await).status, "completed")
      yield* session.clear
      const again = yield* session.prompt({ content: "again" })
      assert.strictEqual((yield* again.task!.await).status, "completed")
      assert.deepStrictEqual(log, ["+1", "-1", "+1", "-1", "+1", "-1"])
      // Behind /clear nobody knows which ids there were: the model's own is not taken.
      assert.deepStrictEqual(
        resolutions(seen.facts()).map((text) => text.replace(/^call_\S+/, "ours")),
        ["c1 allow_session user", "c2 allow_once grant", "ours allow_once grant"]
      )
      const [kept] = (yield* (yield* GrantStore).everyone.page()).grants
      assert.deepStrictEqual([kept?.uses, kept?.grant.by, kept?.session_id as string], [2, "ada", "s1"])
      assert.deepStrictEqual(
        yield* audited(),
        ["allow_session", "allow_once", "allow_once"].map((decision, i) => `${i + 1} decision local ${decision}`)
      )
    }).pipe(Effect.scoped, Effect.provide(Layer.provideMerge(layer, store)), Effect.provide(silent))
  })

  it.live("a call that a grant allowed is not run where the grant was taken back before it began (P12)", () => {
    const both = answer("", [call("c2", "probe", { n: 1, path: "/a" }), call("c3", "probe", { n: 3, path: "/b" })])
    const { log, layer } = kit({ answers: [same("c1"), both, answer("ok")] })
    return Effect.gen(function* () {
      const { everyone } = yield* GrantStore
      const session = yield* create("s1")
      const seen = yield* watch(session, { answers: true })
      const { task } = yield* session.prompt({ content: "go" })
      yield* reply(session, seen, "allow_session")
      // c2 is checked and covered; c3 is asked about.
      yield* until(seen, "c3")
      const [kept] = (yield* everyone.page()).grants
      assert.isTrue(yield* everyone.revoke(kept!.grant.grant_id, "operator"))
      yield* reply(session, seen, "allow_once")
      assert.strictEqual((yield* task!.await).status, "completed")
      assert.deepStrictEqual(log, ["+1", "-1", "+3", "-3"])
      assert.deepStrictEqual(resolutions(seen.facts()), [
        "c1 allow_session user",
        "c2 allow_once grant",
        "c3 allow_once user",
        "c2 deny grant"
      ])
      const denied = seen
        .facts()
        .flatMap((fact) => (fact.type === "tool_result" && fact.call_id === "c2" ? [fact] : []))
      assert.deepStrictEqual(
        denied.map(({ status }) => status),
        ["denied"]
      )
    }).pipe(Effect.scoped, Effect.provide(Layer.provideMerge(layer, store)), Effect.provide(silent))
  })

  it.live("another directory behind the same path is asked about again (T3)", () => {
    let directory = "1:2:3"
    const workspaceId = Effect.sync(() => directory)
    const { layer } = kit({ answers: [same("c1"), answer("ok"), same("c2"), answer("ok")], workspaceId })
    return Effect.gen(function* () {
      const session = yield* create("s1")
      const seen = yield* watch(session, { answers: true })
      const first = yield* session.prompt({ content: "go" })
      yield* reply(session, seen, "allow_session")
      yield* first.task!.await
      directory = "1:2:4"
      const second = yield* session.prompt({ content: "again" })
      yield* until(seen, "c2")
      yield* reply(session, seen, "allow_once")
      yield* second.task!.await
      assert.deepStrictEqual(resolutions(seen.facts()), ["c1 allow_session user", "c2 allow_once user"])
    }).pipe(Effect.scoped, Effect.provide(Layer.provideMerge(layer, store)), Effect.provide(silent))
  })
})

/** Waits for the question about a call. */
const until = (seen: Watching, id: string) =>
  Effect.callback<void>((resume) => {
    const look = () => {
      if (seen.facts().some((fact) => fact.type === "approval_request" && fact.call_id === id)) resume(Effect.void)
      else setImmediate(look)
    }
    look()
  })

/** A store that has no room for grants. */
const grantless = Layer.effect(
  Journal,
  Effect.map(Journal, (journal) =>
    Journal.of({
      ...journal,
      append: (session, epoch, records, as) =>
        records.some(({ body }) => body.type === "approval_resolved" && body.grant !== undefined)
          ? Effect.fail(
              new StoreError({ code: "storage_unavailable", operation: "append", part: "grants", detail: "no room" })
            )
          : journal.append(session, epoch, records, as)
    })
  )
).pipe(Layer.provideMerge(layerMemory))

it.live(
  "a grant that cannot be stored counts once, everywhere the same, with a warning (SETTLED 8, LESSONS 31)",
  () => {
    const { log, layer } = kit({ answers: [same("c1"), same("c2"), answer("ok")] })
    const told: Array<unknown> = []
    const logger = Logger.make(({ message, logLevel }) => void (logLevel === "Warn" && told.push(message)))
    return Effect.gen(function* () {
      const session = yield* create("s1")
      const seen = yield* watch(session, { answers: true })
      const { task } = yield* session.prompt({ content: "go" })
      yield* reply(session, seen, "allow_session")
      yield* until(seen, "c2")
      yield* reply(session, seen, "allow_once")
      assert.strictEqual((yield* task!.await).status, "completed")
      assert.deepStrictEqual(log, ["+1", "-1", "+1", "-1"])
      assert.deepStrictEqual(resolutions(seen.facts()), ["c1 allow_once user", "c2 allow_once user"])
      const reasons = seen
        .facts()
        .flatMap((fact) => (fact.type === "approval_resolved" ? [fact.reason, fact.grant] : []))
      assert.deepStrictEqual(reasons.slice(0, 2), [
        "the grant could not be saved, so it counts only this once",
        undefined
      ])
      assert.deepStrictEqual(yield* audited(), ["1 decision local allow_once", "2 decision local allow_once"])
      assert.deepStrictEqual(told, [["a grant could not be saved and counts once", { detail: "no room" }]])
    }).pipe(Effect.scoped, Effect.provide(Layer.provideMerge(layer, grantless)), Effect.provide(Logger.layer([logger])))
  }
)
