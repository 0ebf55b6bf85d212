/**
 * The engine's only way out (R010, R221). Owns: the contract, a reporter that folds in memory, one that is silent.
 * Invariant: `report` returns after its facts are durable, as far as the layer promises it, so that an intent is
 * stored before its effect begins; `signal` never waits and never fails.
 */
import { Context, Effect, Layer, Schema } from "effect"
import { type DurableEvent, type LiveBody, type ReportBody, isPrivate } from "../domain/Event.ts"
import { fold } from "../domain/Fold.ts"
import { newEventId, type SessionId } from "../domain/Ids.ts"
import { initial, type SessionState } from "../domain/Session.ts"

/** The facts could not be stored: the task stops where it is. */
export class ReportError extends Schema.TaggedError<ReportError>()("ReportError", {
  code: Schema.Literals(["storage_unavailable", "fenced", "session_damaged"]),
  cause: Schema.optionalKey(Schema.Defect())
}) {}

/** Facts, or how they follow from the state that has everything in front of them: looked at when they are stored. */
export type Reported = ReadonlyArray<ReportBody> | ((state: SessionState) => ReadonlyArray<ReportBody>)

export class Reporter extends Context.Service<
  Reporter,
  {
    /** Commits the facts in order, in one append, and returns the session's state with them folded in. */
    readonly report: (bodies: Reported) => Effect.Effect<SessionState, ReportError>
    /**
     * Facts that nobody waits for: committed in front of the next report, in the same append; a report of nothing
     * commits them alone. For decisions without a person: losing one costs nothing, since its call has not begun.
     */
    readonly later: (bodies: ReadonlyArray<ReportBody>) => void
    /** Deltas and states for whoever watches. */
    readonly signal: (bodies: ReadonlyArray<LiveBody>) => void
    readonly state: Effect.Effect<SessionState>
  }
>()("claw/engine/Reporter") {}

export interface Sink {
  readonly event?: (event: DurableEvent) => void
  readonly live?: (body: LiveBody) => void
}

/** A reporter for programs that keep no journal: facts are folded in memory and handed to `sink`. */
export const make = (sink: Sink = {}, session_id = "local" as SessionId, start: SessionState = initial) => {
  let state = start
  const take = (bodies: ReadonlyArray<ReportBody>) => {
    for (const body of bodies) {
      if (isPrivate(body)) continue
      state = fold(state, body)
      const ts = new Date().toISOString()
      sink.event?.({ v: 1, session_id, seq: state.seq, event_id: newEventId(), ts, ...body })
    }
  }
  return Reporter.of({
    report: (bodies) => Effect.sync(() => (take(typeof bodies === "function" ? bodies(state) : bodies), state)),
    later: take,
    signal: (bodies) => {
      if (sink.live !== undefined) for (const body of bodies) sink.live(body)
    },
    state: Effect.sync(() => state)
  })
}

export const layer = (sink?: Sink, session_id?: SessionId) => Layer.sync(Reporter, () => make(sink, session_id))

export const layerNoop = layer()
