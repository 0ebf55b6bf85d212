/**
 * From a session's events to the items of its conversation. Owns: which event makes or changes which item.
 * Invariants: a delta grows the item of its stream and makes none (R246); an unchanged item stays the same object;
 * replayed facts give the items of the live run, but for what a tool printed while it ran.
 */
import type { Durable, DurableEvent, LiveEvent, SessionEvent } from "../../domain/Event.ts"
import { hookNoteIn } from "../../domain/HookName.ts"
import { none } from "../../domain/Usage.ts"
import { acted } from "./callState.ts"
import type { AnswerItem, CallItem, Doing, End, Item } from "./items.ts"
import { Nests } from "./nests.ts"

/** Characters of a running tool's output that are kept. */
const KEPT = 60_000

type Of<T extends SessionEvent["type"]> = Extract<SessionEvent, { readonly type: T }>

export class Talk {
  private items: Array<Item> = []
  private readonly places = new Map<string, number>()
  /** Reasoning streams by the answer they belong to. */
  private readonly thoughts = new Map<string, string>()
  private readonly nests = new Nests(() => new Talk())
  private answering: string | undefined
  private taskFrom = 0
  private now: Doing = { state: "idle" }

  /** As it stands; items without anything to show are left out. */
  shown(): ReadonlyArray<Item> {
    return this.items.filter(
      (item) => item.kind !== "answer" || item.open || item.text.trim() !== "" || item.reasoning !== ""
    )
  }

  doing(): Doing {
    return this.now
  }

  /** What a status says of a session whose states were told before anybody listened here. */
  told(state: Doing["state"], running: boolean): void {
    if (running) this.now = { ...this.now, state }
    else this.now = { state }
  }

  see(event: SessionEvent): void {
    if ("parent_call_id" in event && event.parent_call_id !== undefined)
      return this.seeBelow(event.parent_call_id, event)
    if ("seq" in event) this.seeFact(event, Date.parse(event.ts))
    else this.seeLive(event, Date.parse(event.ts))
  }

  /** It stands here, or inside a call that does. */
  knows(call_id: string): boolean {
    return this.places.has(call_id) || this.nests.holderOf(call_id) !== undefined
  }

  /** Nothing more comes. */
  close(): void {
    if (this.answering !== undefined) this.change("answer", this.answering, (answer) => ({ ...answer, open: false }))
    this.answering = undefined
    this.now = { state: "idle" }
  }

  /** What a subagent does stands inside the call that began it. */
  private seeBelow(parent: string, event: SessionEvent): void {
    const holder = this.places.has(parent) ? parent : this.nests.holderOf(parent)
    if (holder === undefined) return
    const inside = this.nests.see(holder, parent, event)
    this.changeCall(holder, () => ({ inside }))
  }

  /** A person's, a subagent's, or claw's own. */
  private steered({ content: text, from, prompt_id }: Durable<"prompt_steered">, key: string, at: number): void {
    if (from === undefined) return this.add({ kind: "prompt", key: prompt_id, at, text, steered: true })
    const report = this.nests.reportIn(text)
    if (report !== undefined) return this.add({ kind: "note", note: "report", key, at, report })
    if (from === "claw") return this.add({ kind: "note", note: "reminded", key, at })
    const added = hookNoteIn(text)
    if (added !== undefined) return this.add({ kind: "note", note: "hook", key, at, ...added })
    this.add({ kind: "prompt", key: prompt_id, at, text, steered: true })
  }

  private add(item: Item): void {
    this.places.set(item.key, this.items.length)
    this.items.push(item)
  }

  private change<K extends Item["kind"]>(kind: K, key: string, to: (item: Extract<Item, { kind: K }>) => Item): void {
    const at = this.places.get(key)
    const item = at === undefined ? undefined : this.items[at]
    if (at !== undefined && item?.kind === kind) this.items[at] = to(item as Extract<Item, { kind: K }>)
  }

  private changeCall(call_id: string, to: (call: CallItem) => Partial<CallItem>): void {
    this.change("call", call_id, (call) => ({ ...call, ...to(call) }))
  }

  private seeLive(event: LiveEvent, at: number): void {
    switch (event.type) {
      case "text_delta":
        return this.grow(event, at)
      case "thinking_delta":
        return this.think(event)
      case "tool_output_delta":
        return this.changeCall(event.call_id, (call) => ({
          output: (call.output + event.content.slice(Math.max(0, call.received - event.offset))).slice(-KEPT),
          received: Math.max(call.received, event.offset + event.content.length)
        }))
      case "state":
        this.now = { ...this.now, state: event.state }
        return this.dropPlace()
      case "retrying":
        this.now = { ...this.now, retry: { attempt: event.attempt, until: at + event.delay_ms } }
        return
      case "task_waiting":
        this.now = { ...this.now, place: event.position }
    }
  }

  private dropPlace(): void {
    const { place: _, ...rest } = this.now
    this.now = rest
  }

  private heard(): void {
    const { retry: _, ...rest } = this.now
    this.now = rest
  }

  private grow(event: Of<"text_delta">, at: number): void {
    this.heard()
    this.change("answer", event.stream_id, (answer) => ({
      ...answer,
      ...(answer.text === "" && answer.reasoning !== "" ? { thought_ms: at - answer.at } : {}),
      text: answer.text + event.content.slice(Math.max(0, answer.text.length - event.offset))
    }))
  }

  private think(event: Of<"thinking_delta">): void {
    this.heard()
    this.change("answer", this.thoughts.get(event.stream_id) ?? "", (answer) => ({
      ...answer,
      reasoning: answer.reasoning + event.content.slice(Math.max(0, answer.reasoning.length - event.offset))
    }))
  }

  private begin(stream_id: string, reasoning_stream_id: string, at: number): void {
    this.answering = stream_id
    this.thoughts.clear()
    this.thoughts.set(reasoning_stream_id, stream_id)
    const answer: AnswerItem = {
      kind: "answer",
      key: stream_id,
      at,
      text: "",
      reasoning: "",
      open: true,
      cut: false,
      superseded: false
    }
    this.add(answer)
  }

  private seeFact(event: DurableEvent, at: number): void {
    const key = `fact-${event.seq}`
    switch (event.type) {
      case "task_started":
        this.taskFrom = this.items.length
        this.now = { state: "preparing", task: { task_id: event.task_id, since: at, usage: none } }
        if (event.command !== undefined) return
        return this.add({ kind: "prompt", key: event.prompt_id, at, text: event.content, steered: false })
      case "prompt_steered":
        return this.steered(event, key, at)
      case "thinking":
        return this.begin(event.stream_id, event.reasoning_stream_id, at)
      case "stream_reset":
        this.change("answer", event.stream_id, (answer) => ({ ...answer, open: false, superseded: true }))
        if (event.model !== undefined) this.add({ kind: "note", note: "standsIn", key, at, model: event.model })
        return this.begin(event.next_stream_id, event.next_reasoning_stream_id, at)
      case "text_completed":
        return this.complete(event, at)
      case "usage":
        return this.used(event)
      case "compacted":
        return this.add({ kind: "note", note: "compacted", key, at, event })
      case "hook_failed":
        return this.add({ kind: "note", note: "hookFailed", key, at, event })
      case "cleared":
        return this.add({ kind: "note", note: "cleared", key, at })
      case "files_restored":
        return this.add({ kind: "note", note: "restored", key, at, event })
      case "checkpoint_skipped":
        return this.add({ kind: "note", note: "unrecorded", key, at, reason: event.reason })
      case "task_completed":
      case "task_canceled":
      case "task_failed":
        return this.end(event, key, at)
      default:
        return this.seeCall(event, at)
    }
  }

  private used({ left, usage }: Durable<"usage">): void {
    if (this.now.task === undefined) return
    this.now = { ...this.now, task: { ...this.now.task, usage }, ...(left === undefined ? {} : { left }) }
  }

  private complete(event: Durable<"text_completed">, at: number): void {
    if (!this.places.has(event.stream_id)) this.begin(event.stream_id, "", at)
    this.answering = undefined
    this.change("answer", event.stream_id, (answer) => ({
      ...answer,
      text: event.content,
      reasoning: event.reasoning ?? answer.reasoning,
      open: false,
      cut: event.partial === true
    }))
  }

  private seeCall(event: DurableEvent, at: number): void {
    switch (event.type) {
      case "tool_call": {
        const { call_id, tool_name, content, risk } = event
        const call = { call_id, tool_name, content, risk, attempt: 0, output: "", received: 0 }
        return this.add({ kind: "call", key: call_id, at, ...call })
      }
      case "approval_request":
        return this.change("call", event.call_id, ({ resolved, ...call }) => {
          // Asked anew: what was decided before holds no more.
          const again = event.kind === "recovery" || call.request !== undefined
          return { ...call, request: event, ...(resolved === undefined || again ? {} : { resolved }) }
        })
      case "approval_resolved": {
        const { decision, via, by, reason, request_id, rule } = event
        const known = { ...(by === undefined ? {} : { by }), ...(reason === undefined ? {} : { reason }) }
        const asked = request_id === undefined ? {} : { request_id }
        const resolved = { decision, via, ...known, ...asked, ...(rule === undefined ? {} : { rule }) }
        return this.changeCall(event.call_id, () => ({ resolved }))
      }
      case "tool_started":
        return this.changeCall(event.call_id, () => ({
          started_at: at,
          attempt: event.attempt,
          output: "",
          received: 0
        }))
      case "tool_result":
        if (!this.places.has(event.call_id)) {
          const { call_id, tool_name } = event
          const call = { call_id, tool_name, content: "", attempt: 1, output: "", received: 0 }
          this.add({ kind: "call", key: call_id, at, ...call })
        }
        return this.changeCall(event.call_id, () => ({ result: event, ended_at: at }))
    }
  }

  private uncut(): void {
    const last = this.items.findLast((item) => item.kind === "answer")
    if (last !== undefined) this.change("answer", last.key, (answer) => ({ ...answer, cut: false }))
  }

  private end(event: End, key: string, at: number): void {
    const since = this.now.task?.since
    // Who stopped it knows that it was cut off.
    if (event.type === "task_canceled") this.uncut()
    const task = this.items.slice(this.taskFrom)
    const stopped = task.filter((item): item is CallItem => item.kind === "call" && item.result?.status === "cancelled")
    if (this.answering !== undefined)
      this.change("answer", this.answering, (answer) => ({
        ...answer,
        open: false,
        cut: event.type !== "task_canceled"
      }))
    this.answering = undefined
    this.now = { state: "idle" }
    const chosen = task.some((item) => item.kind === "call" && item.resolved?.decision === "stop")
    const changed = task.some((item) => item.kind === "call" && acted(item))
    this.add({
      kind: "end",
      key,
      at,
      event,
      stopped,
      chosen,
      acted: changed,
      ...(since === undefined ? {} : { ms: at - since })
    })
  }
}
