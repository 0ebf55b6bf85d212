/** Somebody ended a task, and the process died before the end was stored: the next one ends it, and runs nothing (C18). */
import { assert, it } from "@effect/vitest"
import { Deferred, Effect } from "effect"
import { TestClock } from "effect/testing"
import type { SessionId } from "../../src/domain/Ids.ts"
import { localOwner, sessionKey } from "../../src/domain/Principal.ts"
import { Journal } from "../../src/store/Journal.ts"
import { layerMemory } from "../../src/store/memory/MemoryStore.ts"
import { SessionIndex } from "../../src/store/SessionIndex.ts"
import { answer, call } from "../support/engineKit.ts"
import { begin, stored } from "../support/restarts.ts"
import { byHistory, watch } from "../support/runtimeKit.ts"
import { meta } from "../support/storeRecords.ts"
import { probe } from "../support/tools.ts"

const [s1, s2] = ["s1", "s2"] as [SessionId, SessionId]

/** Everything stored until somebody wanted the task to end. */
const untilCanceled = Effect.gen(function* () {
  const journal = yield* Journal
  const { records } = yield* journal.read(sessionKey(localOwner, s1), 0)
  const at = records.findIndex(({ body }) => body.type === "cancel_requested")
  return records.slice(0, at + 1)
})

it.effect("a task that somebody ended is ended after a crash, too", () =>
  Effect.gen(function* () {
    const looking = Deferred.makeUnsafe<void>()
    const run = () => Effect.andThen(Deferred.succeed(looking, undefined), Effect.never)
    const { tool, log } = probe({ name: "look", effect: "pure", run })
    const options = { tools: [tool], script: () => byHistory(answer("", [call("c1", "look")]), answer("The end.")) }
    const first = yield* begin(options)
    const session = yield* first.manager.create(s1, { workspace: "/" })
    const seen = yield* watch(session)
    yield* session.prompt({ content: "go" })
    yield* Deferred.await(looking)
    yield* TestClock.adjust("50 millis")
    yield* seen.until("tool_started")
    yield* session.interrupt()
    yield* first.leave()
    const records = yield* untilCanceled
    assert.strictEqual(records.at(-1)?.body.type, "cancel_requested")
    assert.isFalse(records.some(({ body }) => body.type === "task_canceled"))

    const [index, journal] = [yield* SessionIndex, yield* Journal]
    yield* index.create(meta("s2"))
    const key = sessionKey(localOwner, s2)
    const { epoch } = yield* journal.claim(key, "nobody who lives")
    yield* journal.append(key, epoch, records)
    const begun = log.length
    const second = yield* begin(options)
    assert.strictEqual(yield* second.manager.resumeAll(), 0)
    yield* second.leave()
    const events = yield* stored(s2)
    assert.strictEqual(events.at(-1)?.type, "task_canceled")
    assert.deepStrictEqual(
      events.flatMap((event) => (event.type === "tool_result" ? [event.status] : [])),
      ["uncertain"]
    )
    assert.strictEqual(log.length, begun)
  }).pipe(Effect.scoped, Effect.provide(layerMemory))
)
