/**
 * A server of one session, in memory, as a client sees it: hello, replay, catch-up, status, live. Owns: the faults: what
 * it sends next is cut off, lost or sent twice as the schedule says. Nothing here takes time: timers run when told.
 */
import type { ErrorBody } from "../../src/domain/ErrorCode.ts"
import type { ClientMessage, Message } from "../../src/protocol/ClientMessage.ts"
import type { Transport, TransportHandlers } from "../../src/protocol/ClientContract.ts"

export type Fault = "none" | "cut" | "lose" | "twice"
export type Said = Readonly<Record<string, unknown>> & { readonly type: string }

const usage = { input_tokens: 0, output_tokens: 0 }

export class FakeWire {
  readonly facts: Array<Said> = []
  readonly heard: Array<ClientMessage> = []
  readonly tasks: Array<string> = []
  faults: Array<Fault> = []
  refuse: ErrorBody | undefined
  opens = 0
  private readonly streams = new Map<string, string>()
  private readonly keys = new Map<string, string>()
  private handlers: TransportHandlers | undefined
  private greeted = false
  private timers: Array<{ readonly run: () => void; readonly ms: number }> = []

  readonly transport: Transport = {
    open: (handlers) => {
      this.opens++
      this.handlers = handlers
      this.greeted = false
      return {
        send: (text) => (this.handlers === handlers ? this.hear(JSON.parse(text) as ClientMessage) : undefined),
        close: () => this.cut()
      }
    }
  }

  readonly timer = (run: () => void, ms: number) => {
    const entry = { run, ms }
    this.timers.push(entry)
    return () => void (this.timers = this.timers.filter((one) => one !== entry))
  }

  /** Lets the connection open, and time pass while there is none. */
  connect(): void {
    for (let round = 0; round < 1000; round++) {
      if (this.handlers === undefined) {
        const waiting = this.timers
        this.timers = []
        for (const { run } of waiting) run()
      }
      if (this.handlers === undefined || this.greeted) return
      this.handlers.opened()
    }
  }

  /** The timer that waits runs; how long it would have waited. */
  pass(): number | undefined {
    const entry = this.timers.shift()
    entry?.run()
    return entry?.ms
  }

  /** Bytes as somebody else would send them. */
  babble(text: string): void {
    this.handlers?.message(text)
  }

  /** The connection is open; nothing was said on it. */
  open(): void {
    this.handlers?.opened()
  }

  cut(code = 1006): void {
    const handlers = this.handlers
    this.handlers = undefined
    handlers?.closed(code)
  }

  say(event: Said): void {
    const fault = this.faults.shift() ?? "none"
    if (fault === "cut") return this.cut()
    if (fault === "lose") return
    const text = JSON.stringify({ v: 1, session_id: "s", ts: "2026-01-01T00:00:00.000Z", ...event })
    this.handlers?.message(text)
    if (fault === "twice") this.handlers?.message(text)
  }

  fact(body: Said): void {
    const fact = { ...body, seq: this.facts.length + 1, event_id: `evt_${this.facts.length + 1}` }
    this.facts.push(fact)
    if (body.type === "thinking") this.streams.set(String(body["stream_id"]), "")
    if (body.type === "text_completed") this.streams.clear()
    if (this.greeted) this.say(fact)
  }

  delta(stream_id: string, content: string): void {
    const before = this.streams.get(stream_id) ?? ""
    this.streams.set(stream_id, before + content)
    if (this.greeted) this.say({ type: "text_delta", task_id: "t", stream_id, offset: before.length, content })
  }

  status(): void {
    const counters = { tasks: 0, usage, attached: 1, damaged: 0 }
    this.say({ type: "status", position: this.facts.length, state: "idle", pending_approvals: [], queue: [], counters })
  }

  private replay(after: Message<"hello">["after"]): void {
    const turn = this.opens
    const here = () => this.opens === turn && this.handlers !== undefined
    for (const fact of this.facts.slice(after?.seq ?? this.facts.length)) if (here()) this.say(fact)
    for (const [stream_id, text] of this.streams) {
      const offset = after?.stream_id === stream_id ? (after.offset ?? 0) : 0
      const content = text.slice(offset)
      if (here() && content !== "") this.say({ type: "text_delta", task_id: "t", stream_id, offset, content })
    }
    if (here()) this.status()
  }

  private hear(message: ClientMessage): void {
    this.heard.push(message)
    if (message.type === "hello") {
      if (this.refuse !== undefined) return this.say({ type: "error", error: this.refuse })
      this.greeted = true
      const limits = { message_bytes: 65_536, message_depth: 32, idle_ms: 0, heartbeat_ms: 1000, detach_ms: 0 }
      this.say({ type: "hello", server: { name: "fake", version: "0" }, limits, position: this.facts.length })
      if (this.handlers !== undefined) this.replay(message.after)
    } else if (message.type === "resume") this.replay(message.after)
    else if (message.type === "prompt") this.prompt(message)
    else if (message.type === "status") this.status()
    else if (message.type === "ping")
      this.say({ type: "pong", ...(message.nonce === undefined ? {} : { nonce: message.nonce }) })
  }

  private prompt({ content, idempotency_key: key = "" }: Message<"prompt">): void {
    const known = this.keys.get(key)
    const task_id = known ?? `task_${this.tasks.length + 1}`
    this.keys.set(key, task_id)
    if (known === undefined) {
      this.tasks.push(content)
      this.fact({ type: "task_started", task_id, prompt_id: `p_${task_id}`, content, idempotency_key: key })
    }
    this.say({
      type: "accepted",
      idempotency_key: key,
      prompt_id: `p_${task_id}`,
      task_id,
      ...(known === undefined ? {} : { duplicate: true })
    })
  }
}
