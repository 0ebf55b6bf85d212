/**
 * How long a session's calls, tools and tasks take, and whether its model can be reached: one more watcher of its events
 * (DESIGN §2). Owns: when it is told of them. Invariant: it hears each event once, in order, and nobody waits for it.
 */
import { Effect } from "effect"
import { isDelta, type SessionEvent } from "../domain/Event.ts"
import { observer } from "../observability/Measure.ts"
import { recorder } from "../observability/Metrics.ts"
import { ModelReach } from "../observability/ModelReach.ts"
import type { EventHub, Sink } from "./EventHub.ts"

/** Nobody who watches waits for a measurement; what has its time in itself loses nothing by waiting for a turn of the loop. */
const afterwards = (hear: Sink): Sink => {
  let waiting: Array<SessionEvent> = []
  const turn = () => {
    const due = waiting
    waiting = []
    hear(due)
  }
  return (events) => {
    if (waiting.length === 0 && events.every(isDelta)) return hear(events)
    if (waiting.length === 0) setImmediate(turn)
    for (const event of events) waiting.push(event)
  }
}

/** From now on what happens is measured. */
export const measuring = Effect.fnUntraced(function* (hub: EventHub, tools?: ReadonlySet<string>) {
  const [measured, reach] = [observer(yield* recorder, tools), yield* ModelReach]
  const sink: Sink = (events) => [measured, reach.heard].forEach((hear) => hear(events))
  hub.add(afterwards(sink), { answers: false, after: undefined }).join()
})
