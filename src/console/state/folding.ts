/**
 * A session's facts and what is made of them: its state (`Session.fold`) and its conversation. Owns: both staying those
 * of the same facts, also when older ones are loaded in front. Invariant: facts stand in order and without a gap.
 */
import type { DurableEvent, SessionEvent } from "../../domain/Event.ts"
import { fold, foldAll } from "../../domain/Fold.ts"
import { initial, type SessionState } from "../../domain/Session.ts"
import { Talk } from "./talk.ts"

export class Folding {
  facts: Array<DurableEvent> = []
  state: SessionState = initial
  talk = new Talk()
  /** Questions that were answered while somebody looked on, and those that were answered here. */
  private readonly settled = new Set<string>()
  readonly answered = new Set<string>()
  /** What open streams said so far, for when the conversation is made anew. */
  private live: Array<SessionEvent> = []

  see(event: SessionEvent): void {
    if ("seq" in event) {
      this.facts.push(event)
      // What came before may not be loaded: numbers stay those of the journal.
      this.state = fold(this.state.seq === event.seq - 1 ? this.state : { ...this.state, seq: event.seq - 1 }, event)
      if (event.type === "text_completed" || event.type === "stream_reset") this.forget("text_delta", "thinking_delta")
      if (event.type === "tool_result") this.forgetOutput(event.call_id)
      if (event.type === "approval_resolved" && event.via === "user") this.settled.add(event.request_id ?? "")
    } else if ("offset" in event) this.live.push(event)
    this.talk.see(event)
  }

  /** Facts that stand before all there are. */
  prepend(older: ReadonlyArray<DurableEvent>): void {
    this.facts = [...older, ...this.facts]
    this.state = foldAll(
      initial,
      this.facts.map((body) => ({ seq: body.seq, body }))
    )
    const before = this.talk.doing()
    this.talk = new Talk()
    for (const fact of this.facts) this.talk.see(fact)
    for (const delta of this.live) this.talk.see(delta)
    this.talk.told(before.state, this.state.task !== undefined || before.task !== undefined)
  }

  /** Somebody answered it in another browser, or in a terminal. */
  isElsewhere(request_id: string | undefined): boolean {
    return request_id !== undefined && this.settled.has(request_id) && !this.answered.has(request_id)
  }

  get first(): number {
    return this.facts[0]?.seq ?? 1
  }

  get last(): number {
    return this.facts.at(-1)?.seq ?? 0
  }

  private forget(...types: ReadonlyArray<SessionEvent["type"]>): void {
    this.live = this.live.filter(({ type }) => !types.includes(type))
  }

  private forgetOutput(call_id: string): void {
    this.live = this.live.filter((event) => event.type !== "tool_output_delta" || event.call_id !== call_id)
  }
}
