/** A session's measurements: each event heard once, in order, and nobody waits for it (R262, R266). */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import type { SessionEvent } from "../../src/domain/Event.ts"
import { ModelReach } from "../../src/observability/ModelReach.ts"
import * as EventHub from "../../src/runtime/EventHub.ts"
import { measuring } from "../../src/runtime/measuring.ts"

const event = (body: Readonly<Record<string, unknown>>) =>
  ({ v: 1, session_id: "s", ts: "2026-01-01T00:00:00.000Z", ...body }) as unknown as SessionEvent

const delta = (content: string) => event({ type: "text_delta", stream_id: "m", offset: 0, content })

const nextTurn = Effect.promise(() => new Promise<void>((resolve) => void setImmediate(resolve)))

it.live("hears all of it in order, after everyone who watches", () =>
  Effect.gen(function* () {
    const heard: Array<string> = []
    const nameOf = (one: SessionEvent) => (one.type === "text_delta" ? one.content : one.type)
    const reach = {
      heard: (events: ReadonlyArray<SessionEvent>) => heard.push(...events.map(nameOf)),
      trouble: () => undefined
    }
    const hub = EventHub.make(() => ({ v: 1, session_id: "s" as never, ts: "" }))
    yield* Effect.provideService(measuring(hub), ModelReach, reach)
    hub.add(() => heard.push("watched"), { answers: false, after: undefined }).join()

    hub.publish([delta("a")])
    assert.deepStrictEqual(heard, ["a", "watched"])
    hub.publish([event({ type: "state", state: "cancelling" })])
    hub.publish([delta("b")])
    assert.deepStrictEqual(heard, ["a", "watched", "watched", "watched"])
    yield* nextTurn
    assert.deepStrictEqual(heard.slice(4), ["state", "b"])
    // Nothing is left over, and nothing comes twice.
    hub.publish([delta("c")])
    yield* nextTurn
    assert.deepStrictEqual(heard.slice(6), ["c", "watched"])
  })
)
