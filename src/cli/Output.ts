/**
 * Where a command's words go. Owns: the contract, and the queue between a session's events and a slow reader.
 * Invariants: writing never makes the engine wait; waiting deltas of one stream merge, so that what waits is bounded
 * by the facts; a reader that went away (EPIPE) ends the writing, quietly.
 */
import { Context, Effect, Latch } from "effect"
import type { SessionEvent } from "../domain/Event.ts"

export class Output extends Context.Service<
  Output,
  {
    /** Waits until the reader took it; false: the reader is gone. */
    readonly out: (text: string) => Effect.Effect<boolean>
    /** Diagnostics and notes for people. */
    readonly err: (text: string) => Effect.Effect<void>
    readonly isTerminal: boolean
    readonly color: boolean
    /** Columns of the terminal; 80 where there is none. */
    readonly columns: () => number
  }
>()("claw/cli/Output") {}

const isDelta = (event: SessionEvent) =>
  event.type === "text_delta" || event.type === "thinking_delta" || event.type === "tool_output_delta"

/** The last waiting event and the new one as one, where they are neighbours of one stream. */
const merged = (last: SessionEvent | undefined, event: SessionEvent): SessionEvent | undefined => {
  if (last === undefined || last.type !== event.type || !isDelta(last) || !isDelta(event)) return undefined
  const next = last.stream_id === event.stream_id && last.offset + last.content.length === event.offset
  return next ? { ...last, content: last.content + event.content } : undefined
}

export interface EventQueue {
  /** For a subscription's sink. */
  readonly push: (events: ReadonlyArray<SessionEvent>) => void
  /** Waits for events; `undefined` after `end` when all are taken. */
  readonly take: Effect.Effect<ReadonlyArray<SessionEvent> | undefined>
  readonly end: () => void
}

export const makeEventQueue = (): EventQueue => {
  const latch = Latch.makeUnsafe(false)
  let waiting: Array<SessionEvent> = []
  let ended = false
  return {
    push: (events) => {
      for (const event of events) {
        const both = merged(waiting.at(-1), event)
        if (both === undefined) waiting.push(event)
        else waiting[waiting.length - 1] = both
      }
      latch.openUnsafe()
    },
    take: Effect.map(latch.await, () => {
      const taken = waiting
      waiting = []
      if (!ended) latch.closeUnsafe()
      return taken.length === 0 && ended ? undefined : taken
    }),
    end: () => {
      ended = true
      latch.openUnsafe()
    }
  }
}
