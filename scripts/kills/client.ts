/**
 * A client over TCP that outlives its servers: keeps every line it was sent and every acknowledgement, says again what
 * was not acknowledged, answers what it is asked. Owns: what one client saw and said. Does not own: servers, judging.
 */
import { connect, type Socket } from "node:net"

export interface Fact {
  readonly type: string
  readonly seq: number
  readonly event_id: string
  readonly [field: string]: unknown
}

export interface Asked {
  readonly request_id: string
  readonly kind: string
  readonly call_id: string
  readonly tool_name: string
  readonly grant_options: ReadonlyArray<{ readonly id: string }>
}

export interface Reply {
  readonly decision: string
  readonly grant_option?: string
}

export interface Prompt {
  readonly key: string
  readonly content: string
  readonly when_busy?: "queue" | "steer"
  /** Said as soon as this holds; absent: at once. */
  readonly when?: (view: View) => boolean
}

/** What the client does, all of it decided by what it has seen. */
export interface Part {
  readonly prompts: ReadonlyArray<Prompt>
  /** Absent, or undefined: not yet. */
  readonly answer?: (asked: Asked, view: View) => Reply | undefined
  /** Says `interrupt` while this holds. */
  readonly interrupt?: (view: View) => boolean
  /** Wants the files back as soon as this holds. */
  readonly undo?: (view: View) => boolean
  /** Wants a shorter conversation as soon as this holds. */
  readonly compact?: (view: View) => boolean
  /** Once: hangs up without a word, and comes back. */
  readonly cut?: (view: View) => boolean
}

export interface View {
  readonly facts: ReadonlyArray<Fact>
  /** Types of everything, deltas too. */
  readonly types: ReadonlySet<string>
  readonly acknowledged: ReadonlyMap<string, string>
}

export const ENDS = new Set(["task_completed", "task_canceled", "task_failed"])

const count = (facts: ReadonlyArray<Fact>, is: (fact: Fact) => boolean): number => facts.filter(is).length
const running = (facts: ReadonlyArray<Fact>): boolean =>
  count(facts, ({ type }) => type === "task_started") > count(facts, ({ type }) => ENDS.has(type))

/** The prompt ids that came to something. */
const consumed = (facts: ReadonlyArray<Fact>): ReadonlySet<unknown> =>
  new Set(
    facts
      .filter(({ type }) => ["task_started", "prompt_steered", "prompt_unqueued"].includes(type))
      .map(({ prompt_id }) => prompt_id)
  )

export class Client {
  readonly session: string
  readonly lines: Array<string> = []
  readonly facts: Array<Fact> = []
  readonly types = new Set<string>()
  /** Key of a prompt → its id, as it was acknowledged. */
  readonly acknowledged = new Map<string, string>()
  /** What this client decided, in order. */
  readonly replies: Array<Reply & { readonly call_id: string }> = []
  readonly errors: Array<string> = []
  onChange: () => void = () => {}
  private part: Part
  private socket: Socket | undefined
  private port = 0
  private pending = new Map<string, Asked>()
  private paused = false
  /** On this connection. */
  private said = new Set<string>()
  private wasCut = false

  constructor(session: string, part: Part) {
    this.session = session
    this.part = part
  }

  attach(port: number): void {
    this.port = port
    this.said = new Set()
    const socket = connect({ port, host: "127.0.0.1", noDelay: true })
    this.socket = socket
    let rest = ""
    socket.on("error", () => {})
    socket.setEncoding("utf8").on("data", (text: string) => {
      if (socket !== this.socket) return
      const parts = `${rest}${text}`.split("\n")
      rest = parts.pop() ?? ""
      for (const line of parts) this.hear(line)
      this.act()
    })
    this.greet()
  }

  private greet(): void {
    const seq = this.facts.at(-1)?.seq ?? 0
    this.say({ type: "hello", v: 1, session_id: this.session, after: { seq }, detach: true })
  }

  leave(): void {
    const { socket } = this
    this.socket = undefined
    socket?.destroy()
  }

  /** More to do, for instance a prompt that shows that the session still takes one. */
  extend(prompts: ReadonlyArray<Prompt>): void {
    this.part = { ...this.part, prompts: [...this.part.prompts, ...prompts] }
    this.act()
  }

  get view(): View {
    return this
  }

  /** Everything that was to be said is acknowledged, everything acknowledged came to an end. */
  isIdle(): boolean {
    const { compact, undo } = this.part
    if (undo?.(this) === true && !this.types.has("files_restored")) return false
    if (compact?.(this) === true && !this.types.has("compacted")) return false
    if (running(this.facts) || this.part.prompts.some(({ key }) => !this.acknowledged.has(key))) return false
    const ids = consumed(this.facts)
    return Array.from(this.acknowledged.values()).every((id) => ids.has(id))
  }

  private say(message: object): void {
    this.socket?.write(`${JSON.stringify(message)}\n`)
  }

  private hear(line: string): void {
    this.lines.push(line)
    const event = JSON.parse(line) as Fact & Record<string, unknown>
    this.types.add(event.type)
    if (typeof event.seq === "number") this.facts.push(event)
    if (event.type === "accepted") this.acknowledged.set(String(event.idempotency_key), String(event.prompt_id))
    if (event.type === "approval_request") this.pending.set(String(event.request_id), event as never)
    if (event.type === "approval_resolved") this.pending.delete(String(event.request_id))
    if (event.type === "status") this.status(event)
    // Whether what still waits goes on by itself.
    if (ENDS.has(event.type)) this.say({ type: "status" })
    if (event.type === "error") this.refused(event as never)
  }

  private status(event: Record<string, unknown>): void {
    this.paused = event.queue_paused === true
    this.pending = new Map((event.pending_approvals as ReadonlyArray<Asked>).map((asked) => [asked.request_id, asked]))
  }

  private refused({ error }: { error: { code: string; idempotency_key?: string; request_id?: string } }): void {
    // The server is still bringing it back.
    if (error.code === "session_creating") return void setTimeout(() => this.greet(), 10)
    this.errors.push(error.code)
    // Said again when there is news.
    if (error.idempotency_key !== undefined) setTimeout(() => this.said.delete(`prompt ${error.idempotency_key}`), 5)
  }

  private once(name: string, message: () => object): void {
    if (this.said.has(name) || this.socket === undefined) return
    this.said.add(name)
    this.say(message())
  }

  private act(): void {
    const { answer, compact, cut, interrupt, prompts, undo } = this.part
    for (const { content, key, when, when_busy = "queue" } of prompts) {
      if (this.acknowledged.has(key) || (when !== undefined && !when(this))) continue
      this.once(`prompt ${key}`, () => ({ type: "prompt", content, idempotency_key: key, when_busy }))
    }
    for (const asked of this.pending.values()) {
      const reply = answer?.(asked, this)
      if (reply === undefined) continue
      this.once(`answer ${asked.request_id}`, () => {
        this.replies.push({ ...reply, call_id: asked.call_id })
        return { type: "approval_response", request_id: asked.request_id, ...reply }
      })
    }
    if (running(this.facts) && interrupt?.(this) === true) this.once("interrupt", () => ({ type: "interrupt" }))
    if (this.paused && !running(this.facts)) this.once("resume", () => ({ type: "command", name: "resume_queue" }))
    if (undo?.(this) === true && !this.types.has("files_restored") && !running(this.facts))
      this.once("undo", () => ({ type: "command", name: "undo", uncertain: true }))
    if (compact?.(this) === true && !this.types.has("compacted") && !running(this.facts))
      this.once("compact", () => ({ type: "command", name: "compact" }))
    if (!this.wasCut && cut?.(this) === true) {
      this.wasCut = true
      this.leave()
      this.attach(this.port)
    }
    this.onChange()
  }
}
