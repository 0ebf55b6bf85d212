/**
 * Conversations inside calls: what subagents do, each under the call that began it. Owns: which nest an event belongs to.
 * Does not own: what an event makes of a conversation (`talk`). Invariant: replayed facts give the nests of the live run.
 */
import type { Durable, SessionEvent } from "../../domain/Event.ts"
import { type Report, reportIn } from "../../domain/FromClaw.ts"
import type { Inside } from "./items.ts"
import type { Talk } from "./talk.ts"

interface Nest {
  readonly talk: Talk
  inside: Inside
}

export class Nests {
  private readonly known = new Map<string, Nest>()
  private readonly make: () => Talk

  constructor(make: () => Talk) {
    this.make = make
  }

  /** Of calls in this conversation, the one in which another one stands, however deep. */
  holderOf(call_id: string): string | undefined {
    for (const [holder, { talk }] of this.known) if (talk.knows(call_id)) return holder
    return undefined
  }

  /** What the call shows from now on. */
  see(holder: string, parent: string, event: SessionEvent): Inside {
    const nest = this.nestOf(holder, event)
    if (holder !== parent) nest.talk.see(event)
    else if (event.type === "subagent_started") this.begin(nest, event)
    else if (event.type === "subagent_ended") this.end(nest, event, Date.parse(event.ts))
    else nest.talk.see({ ...event, parent_call_id: undefined } as unknown as SessionEvent)
    nest.inside = { ...nest.inside, items: nest.talk.shown() }
    return nest.inside
  }

  /** What a prompt says for a subagent that works in the background here. */
  reportIn(content: string): Report | undefined {
    for (const { inside } of this.known.values()) {
      const found = inside.background ? reportIn(content, inside.title) : undefined
      if (found !== undefined) return found
    }
    return undefined
  }

  private nestOf(call_id: string, event: SessionEvent): Nest {
    const known = this.known.get(call_id)
    if (known !== undefined && event.type !== "subagent_started") return known
    const since = Date.parse(event.ts)
    // Its beginning may stand further up than what is loaded.
    const nest: Nest = known ?? { talk: this.make(), inside: { title: "", background: false, since, items: [] } }
    this.known.set(call_id, nest)
    return nest
  }

  private begin(nest: Nest, event: Durable<"subagent_started"> & { readonly ts: string }): void {
    const { title, background = false, content, task_id, parent_call_id } = event
    nest.inside = { title, background, since: Date.parse(event.ts), items: [] }
    const order = {
      ...event,
      parent_call_id: undefined,
      type: "task_started",
      prompt_id: parent_call_id,
      content,
      task_id
    }
    nest.talk.see(order as unknown as SessionEvent)
  }

  private end(nest: Nest, ended: Durable<"subagent_ended">, ended_at: number): void {
    nest.talk.close()
    nest.inside = { ...nest.inside, ended, ended_at }
  }
}
