/**
 * What a client has seen of its session, and what an event adds to it (PROTOCOL §2, Resume). Owns: the proof that
 * nothing is missing. Invariants: facts come out once, in order, without a gap; text of a stream comes out once; what
 * cannot be joined to what was seen is `gap` and changes nothing.
 */
import type { SessionEvent } from "../domain/Event.ts"
import type { Position } from "./ClientMessage.ts"

export type Seen =
  | { readonly kind: "new"; readonly event: SessionEvent }
  | { readonly kind: "known" }
  | { readonly kind: "gap" }

export interface Place {
  /** `undefined`: not told yet where the session stands. */
  readonly position: () => Position | undefined
  /** Where watching begins, when nothing was asked for. */
  readonly begin: (seq: number) => void
  /** `asking`: a gap was found and the server was asked to fill it. */
  readonly see: (event: SessionEvent, asking: boolean) => Seen
}

type Delta = Extract<SessionEvent, { readonly offset: number }>
type Fact = Extract<SessionEvent, { readonly seq: number }>

const opened = (fact: Fact): ReadonlyArray<string> => {
  if (fact.type === "thinking") return [fact.reasoning_stream_id, fact.stream_id]
  if (fact.type === "stream_reset") return [fact.next_reasoning_stream_id, fact.next_stream_id]
  return fact.type === "tool_started" ? [fact.call_id] : []
}

const known: Seen = { kind: "known" }
const gap: Seen = { kind: "gap" }

export const makePlace = (after: Position | undefined): Place => {
  let seq = after?.seq
  const offsets = new Map<string, number>()
  if (after?.stream_id !== undefined) offsets.set(after.stream_id, after.offset ?? 0)

  const seeFact = (fact: Fact): Seen => {
    const at = seq ?? fact.seq - 1
    if (fact.seq <= at) return known
    if (fact.seq > at + 1) return gap
    seq = fact.seq
    if (fact.type === "text_completed" || fact.type === "stream_reset") offsets.clear()
    if (fact.type === "tool_result") offsets.delete(fact.call_id)
    for (const stream of opened(fact)) if (!offsets.has(stream)) offsets.set(stream, 0)
    return { kind: "new", event: fact }
  }

  const seeDelta = (delta: Delta, asking: boolean): Seen => {
    const at = offsets.get(delta.stream_id)
    if (at === undefined && asking) return known
    const from = at ?? 0
    if (delta.offset > from) return gap
    const content = delta.content.slice(from - delta.offset)
    if (content === "") return known
    offsets.set(delta.stream_id, from + content.length)
    return { kind: "new", event: { ...delta, offset: from, content } }
  }

  return {
    position: () => {
      if (seq === undefined) return undefined
      const open = Array.from(offsets).at(-1)
      return open === undefined ? { seq } : { seq, stream_id: open[0], offset: open[1] }
    },
    begin: (at) => {
      seq ??= at
    },
    see: (event, asking) =>
      "seq" in event ? seeFact(event) : "offset" in event ? seeDelta(event, asking) : { kind: "new", event }
  }
}
