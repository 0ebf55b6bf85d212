/**
 * A typed client of the wire, for a browser and for Node (PROTOCOL §1, §2). Owns: one session's conversation across as
 * many connections as it takes. Does not own: sockets (a `Transport` is handed in), what is shown.
 * Invariants: events come in order, each fact once and without a gap, whatever is cut; a prompt is sent again until it is
 * taken, under one key, so that it runs once; after `ended` nothing happens any more.
 */
import { type ErrorBody, errorBody } from "../domain/ErrorCode.ts"
import type { SessionEvent } from "../domain/Event.ts"
import type { SessionId, TaskId } from "../domain/Ids.ts"
import type { Client, ClientOptions, ClientState, Told } from "./ClientContract.ts"
import type { ClientMessage } from "./ClientMessage.ts"
import { makePlace } from "./clientPlace.ts"
import { makeRequests } from "./clientRequests.ts"
import type { ConnectionEvent, ServerEvent } from "./ServerEvent.ts"

const FIRST_DELAY_MS = 250
const LONGEST_DELAY_MS = 30_000
/** Whoever was asleep, or had no network, is answered within this time or connects anew. */
const AWAKE_MS = 5_000
/** Signing in again would not help. */
const final: ReadonlySet<string> = new Set(["unauthenticated", "forbidden", "unsupported_version"])
const finalClose: Readonly<Record<number, ErrorBody["code"]>> = { 4401: "unauthenticated", 4403: "forbidden" }

const isOfConnection = (event: ServerEvent): event is ConnectionEvent =>
  ["hello", "accepted", "status", "error", "ping", "pong", "draining", "difference"].includes(event.type)

const read = (text: string): ServerEvent | undefined => {
  try {
    const event = JSON.parse(text) as Partial<ServerEvent> | null
    return typeof event?.type === "string" ? (event as ServerEvent) : undefined
  } catch {
    return undefined
  }
}

const setTimer = (run: () => void, ms: number) => {
  const timer = setTimeout(run, ms)
  return () => clearTimeout(timer)
}

class Conversation implements Client {
  private readonly options: ClientOptions
  private readonly place
  private readonly requests = makeRequests((message) => this.say(message))
  private now: ClientState = { kind: "connecting" }
  private link: { readonly send: (text: string) => void; readonly close: () => void } | undefined
  /** Connections so far: what an earlier one still says is not heard. */
  private turn = 0
  private failures = 0
  private asking = false
  private last: ErrorBody | undefined
  private id: SessionId | undefined
  private task: TaskId | undefined
  /** Milliseconds of a heartbeat; the server's own as soon as it is known. */
  private beat = 30_000
  private cancelTimer = () => {}
  private sleep = () => {}

  constructor(options: ClientOptions) {
    this.options = options
    this.place = makePlace(options.after)
    this.id = options.session_id
    this.sleep = options.wakes?.(() => this.wake()) ?? this.sleep
    this.connect()
  }

  state = () => this.now
  session = () => this.id
  position = () => this.place.position()
  prompt: Client["prompt"] = (content, options) =>
    this.requests.prompt({ type: "prompt", content, idempotency_key: crypto.randomUUID(), ...options })
  interrupt: Client["interrupt"] = (task_id = this.task) =>
    this.requests.ask({ type: "interrupt", ...(task_id === undefined ? {} : { task_id }) })
  answer: Client["answer"] = (request_id, answer) =>
    this.requests.ask({ type: "approval_response", request_id, ...answer })
  send: Client["send"] = (message) => this.requests.ask(message)
  status: Client["status"] = () => this.requests.status()
  diff: Client["diff"] = (which = {}) => this.requests.diff(which)
  close = () => this.end(undefined)

  private become(state: ClientState): void {
    this.now = state
    this.options.onState?.(state)
  }

  private say(message: ClientMessage): void {
    this.link?.send(JSON.stringify(message))
  }

  private timer(run: () => void, ms: number): void {
    this.cancelTimer()
    this.cancelTimer = (this.options.timer ?? setTimer)(run, ms)
  }

  private connect(): void {
    const turn = ++this.turn
    const heard = (run: () => void) => () => (turn === this.turn && this.now.kind !== "ended" ? run() : undefined)
    this.asking = false
    this.last = undefined
    this.become({ kind: "connecting" })
    if (turn !== this.turn) return
    this.link = this.options.transport.open({
      opened: heard(() => this.greet()),
      message: (text) => heard(() => this.hear(text))(),
      closed: (code) => heard(() => this.cut(code))()
    })
  }

  private greet(): void {
    const { token, client, detach, create } = this.options
    const after = this.place.position()
    this.listen()
    this.say({
      type: "hello",
      v: 1,
      ...(token === undefined ? {} : { token }),
      ...(client === undefined ? {} : { client }),
      ...(detach === undefined ? {} : { detach }),
      ...(create === undefined ? {} : { create }),
      ...(this.id === undefined ? {} : { session_id: this.id }),
      ...(after === undefined ? {} : { after })
    })
  }

  private hear(text: string): void {
    const event = read(text)
    if (event === undefined) return this.misheard()
    this.listen()
    this.id ??= event.session_id
    if (isOfConnection(event)) this.hearConnection(event)
    else this.hearSession(event)
  }

  /** Not a word of the protocol: somebody else listens there, or the bytes were damaged on their way. */
  private misheard(): void {
    if (this.now.kind === "connecting") this.end(errorBody("bad_json", "This is not a claw server."))
    else this.drop()
  }

  /** A server that is silent for a heartbeat is asked; silent for another, it is gone. */
  private listen(): void {
    this.timer(() => this.probe(this.beat), this.beat)
  }

  private probe(ms: number): void {
    this.timer(() => this.drop(), ms)
    this.say({ type: "ping" })
  }

  private wake(): void {
    if (this.now.kind === "ready") return this.probe(AWAKE_MS)
    if (this.now.kind !== "waiting") return
    this.cancelTimer()
    this.failures = 0
    this.connect()
  }

  private drop(): void {
    const { turn } = this
    this.link?.close()
    if (turn === this.turn) this.cut(1006)
  }

  private hearSession(event: SessionEvent): void {
    const seen = this.place.see(event, this.asking)
    if (seen.kind === "gap") return this.ask()
    if (seen.kind !== "new") return
    if (event.type === "task_started") this.task = event.task_id
    if (event.type === "task_completed" || event.type === "task_canceled" || event.type === "task_failed")
      this.task = undefined
    this.options.onEvent(seen.event)
  }

  /** Asks for what is missing, once until the server has answered with a status. */
  private ask(): void {
    const after = this.place.position()
    if (this.asking || this.id === undefined || after === undefined) return
    this.asking = true
    this.options.onGap?.(after)
    const { detach } = this.options
    this.say({ type: "resume", session_id: this.id, after, ...(detach === undefined ? {} : { detach }) })
  }

  private hearConnection(event: ConnectionEvent): void {
    switch (event.type) {
      case "hello":
        return this.welcome(event)
      case "ping":
        return this.say({ type: "pong", ...(event.nonce === undefined ? {} : { nonce: event.nonce }) })
      case "pong":
        return this.requests.pong(event.nonce)
      case "accepted":
        return this.requests.accepted(event)
      case "status":
        return this.hearStatus(event)
      case "difference":
        return this.requests.difference(event)
      case "draining":
        return this.options.onTold?.(event)
      case "error":
        return this.hearError(event)
    }
  }

  private welcome(event: Told<"hello">): void {
    this.id = event.session_id ?? this.id
    this.place.begin(event.position)
    this.failures = 0
    this.beat = event.limits.heartbeat_ms
    this.listen()
    this.become({ kind: "ready" })
    this.options.onTold?.(event)
    this.requests.connected(event.limits.message_bytes)
  }

  private hearStatus(event: Told<"status">): void {
    const wasAsking = this.asking
    this.asking = false
    this.task = event.task?.task_id
    // The status follows everything before its position: what is missing then was lost. Twice: begin anew.
    if (event.position > (this.place.position()?.seq ?? 0)) {
      if (wasAsking) return this.drop()
      this.ask()
    }
    this.requests.status_(event)
    this.options.onTold?.(event)
  }

  private hearError(event: Told<"error">): void {
    this.last = event.error
    if (this.now.kind === "connecting" && !event.error.retryable) return this.end(event.error)
    if (!this.requests.refused(event.error)) this.options.onTold?.(event)
  }

  private cut(code: number): void {
    const why = finalClose[code]
    if (this.last !== undefined && final.has(this.last.code)) return this.end(this.last)
    if (why !== undefined) return this.end(errorBody(why))
    this.turn++
    this.link = undefined
    this.requests.disconnected(code)
    const longest = Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** this.failures++)
    const jittered = Math.round(longest * (0.5 + (this.options.random ?? Math.random)() / 2))
    const delay_ms = Math.max(jittered, this.last?.retry_after_ms ?? 0)
    this.become({ kind: "waiting", delay_ms, ...(this.last === undefined ? {} : { error: this.last }) })
    this.timer(() => this.connect(), delay_ms)
  }

  private end(error: ErrorBody | undefined): void {
    if (this.now.kind === "ended") return
    this.sleep()
    this.cancelTimer()
    if (error === undefined) this.say({ type: "close" })
    this.turn++
    this.link?.close()
    this.link = undefined
    this.become(error === undefined ? { kind: "ended" } : { kind: "ended", error })
    this.requests.ended(error ?? errorBody("internal", "The client was closed."))
  }
}

export const connect = (options: ClientOptions): Client => new Conversation(options)
