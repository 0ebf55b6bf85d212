/** Facts of a session as the console gets them: numbered, a second apart. */
import type { DurableEvent } from "../../src/domain/Event.ts"

export const secondOf = (seq: number): string => new Date(1_700_000_000_000 + seq * 1_000).toISOString()

export const factsOf = (bodies: ReadonlyArray<object>): ReadonlyArray<DurableEvent> =>
  bodies.map(
    (body, i) =>
      ({ v: 1, session_id: "s", event_id: `e${i}`, seq: i + 1, ts: secondOf(i), ...body }) as unknown as DurableEvent
  )
