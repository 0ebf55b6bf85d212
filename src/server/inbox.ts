/**
 * What a peer sent and nobody has pulled yet. Owns: order, the one waiting reader, and holding the peer back while
 * anything waits. Does not own: bytes; a transport pushes whole messages.
 * Invariants: the last end is final and given again; nothing is taken after it; the peer is held exactly while the
 * queue is not empty, so what waits is at most what one read of the socket brought.
 */
import { Effect } from "effect"
import type { Inbound } from "../channel/Connection.ts"

export interface Flow {
  readonly hold: () => void
  readonly release: () => void
}

type Resume = (next: Effect.Effect<Inbound>) => void

export class Inbox {
  readonly #flow: Flow
  #queue: Array<Inbound> = []
  #head = 0
  #held = false
  #waiting: Resume | undefined
  #last: Inbound | undefined

  constructor(flow: Flow) {
    this.#flow = flow
  }

  get held(): boolean {
    return this.#held
  }

  push(inbound: Inbound): void {
    if (this.#last !== undefined) return
    const waiting = this.#waiting
    if (waiting !== undefined) {
      this.#waiting = undefined
      return waiting(Effect.succeed(inbound))
    }
    this.#queue.push(inbound)
    if (this.#held) return
    this.#held = true
    this.#flow.hold()
  }

  /** No more comes; what waits is still given first. */
  finish(end: Extract<Inbound, { readonly kind: "end" }>): void {
    if (this.#last !== undefined) return
    this.#last = end
    const waiting = this.#waiting
    this.#waiting = undefined
    waiting?.(Effect.succeed(end))
  }

  #take(): Inbound | undefined {
    const next = this.#queue[this.#head]
    if (next === undefined) return this.#last
    this.#head++
    if (this.#head < this.#queue.length) return next
    this.#queue = []
    this.#head = 0
    this.#held = false
    this.#flow.release()
    return next
  }

  readonly receive: Effect.Effect<Inbound> = Effect.suspend(() => {
    const next = this.#take()
    if (next !== undefined) return Effect.succeed(next)
    return Effect.callback<Inbound>((resume) => {
      // It may have come between the look and the wait.
      const late = this.#take()
      if (late !== undefined) return resume(Effect.succeed(late))
      this.#waiting = resume
      return Effect.sync(() => {
        if (this.#waiting === resume) this.#waiting = undefined
      })
    })
  })
}
