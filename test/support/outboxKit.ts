/** An outbox over a transport that takes as many bytes as it is told to. */
import { Effect } from "effect"
import * as Outbox from "../../src/channel/Outbox.ts"
import type { SessionEvent } from "../../src/domain/Event.ts"

/** A transport that takes as many bytes as it is told to. */
const slowWire = () => {
  const texts: Array<string> = []
  let buffered = 0
  let drained = () => {}
  return {
    texts,
    send: (text: string) => {
      texts.push(text)
      buffered += Buffer.byteLength(text)
    },
    buffered: () => buffered,
    onDrain: (given: () => void) => void (drained = given),
    take: (bytes: number) => {
      if (buffered === 0) return
      buffered = Math.max(0, buffered - bytes)
      if (buffered === 0) drained()
    }
  }
}

export const turn = Effect.callback<void>((resume) => void setImmediate(() => resume(Effect.void)))
/** Long enough for what came to go out and for its reader to be judged. */
export const tick = Effect.andThen(turn, Effect.andThen(turn, turn))

export const kit = (limits: Partial<Outbox.OutboxLimits> = {}) => {
  const wire = slowWire()
  const calls = { slow: 0, waiting: 0, now: 0 }
  const outbox = Outbox.make({
    connection: wire,
    limits: { outbox_bytes: 1_048_576, outbox_events: 2048, write_ms: 10_000, ...limits },
    now: () => calls.now,
    onSlow: () => void calls.slow++,
    onWaiting: () => void calls.waiting++
  })
  const read = () => wire.texts.map((text) => JSON.parse(text) as SessionEvent)
  return { wire, outbox, calls, read }
}

export const delta = (stream_id: string, offset: number, content: string) =>
  ({ v: 1, session_id: "s", ts: "", type: "text_delta", task_id: "t", stream_id, offset, content }) as SessionEvent
export const fact = (seq: number, size = 0) =>
  ({
    v: 1,
    session_id: "s",
    seq,
    event_id: `e${seq}`,
    ts: "",
    type: "cleared",
    up_to_seq: 0,
    pad: "x".repeat(size)
  }) as unknown as SessionEvent
