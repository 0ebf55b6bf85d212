/** Who comes while something is handed out gets each event once (SETTLED 12; RELIABILITY, gapless resume). */
import { assert, describe, it } from "@effect/vitest"
import type { DurableEvent, SessionEvent } from "../../src/domain/Event.ts"
import type { SessionId } from "../../src/domain/Ids.ts"
import * as EventHub from "../../src/runtime/EventHub.ts"

const envelope = { v: 1, session_id: "s" as SessionId, ts: "2026-01-01T00:00:00.000Z" } as const
const fact = (seq: number) => ({ ...envelope, seq, event_id: `e${seq}`, type: "cleared", up_to_seq: 0 }) as DurableEvent
const seqs = (events: ReadonlyArray<SessionEvent>) => events.map((event) => ("seq" in event ? event.seq : event.type))

describe("a watcher that another one brings", () => {
  it("while events are handed out has these in its replay, and gets what follows once", () => {
    const hub = EventHub.make(() => envelope)
    const late: Array<SessionEvent> = []
    let brought = false
    const bring = () => {
      if (brought) return
      brought = true
      const { join } = hub.add((events) => void late.push(...events), { answers: false, after: { seq: 0 } })
      // Its replay: all facts there are.
      late.push(fact(1), fact(2))
      join()
    }
    hub.add(bring, { answers: false, after: undefined }).join()
    hub.publish([fact(1), fact(2)])
    hub.publish([fact(3)])
    assert.deepStrictEqual(seqs(late), [1, 2, 3])
  })

  it("hears what is published on top of what brought it", () => {
    const hub = EventHub.make(() => envelope)
    const late: Array<SessionEvent> = []
    const bring = (events: ReadonlyArray<SessionEvent>) => {
      if (seqs(events)[0] !== 1) return
      hub.add((more) => void late.push(...more), { answers: false, after: { seq: 0 } }).join()
      hub.publish([fact(2)])
    }
    hub.add(bring, { answers: false, after: undefined }).join()
    hub.publish([fact(1)])
    assert.deepStrictEqual(seqs(late), [2])
  })
})
