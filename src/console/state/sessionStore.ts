/**
 * One session in this page: one connection, one store (R243). Owns: opening it, what comes in, what a person does to it.
 * Does not own: how it is shown, the list of sessions. Invariants: events change this session's store and no other's
 * (R245); a prompt is sent under one key until it is taken or refused (R255); what comes is shown once a frame.
 */
import { createStore, type StoreApi } from "zustand/vanilla"
import type { Answer } from "../../domain/Approval.ts"
import { type ErrorBody, errorBody } from "../../domain/ErrorCode.ts"
import type { SessionEvent } from "../../domain/Event.ts"
import type { PromptId, RequestId, SessionId } from "../../domain/Ids.ts"
import { initial, type SessionState } from "../../domain/Session.ts"
import { connect } from "../../protocol/Client.ts"
import type { Client, ClientState } from "../../protocol/ClientContract.ts"
import type { ConnectionEvent } from "../../protocol/ServerEvent.ts"
import { webSocketTransport } from "../../protocol/WebSocketTransport.ts"
import { api, type Mode, socketAddress, type Status } from "../net/api.ts"
import { makeDelivery, makeReturned } from "./delivery.ts"
import { Folding } from "./folding.ts"
import { onFrame } from "./frames.ts"
import type { Doing, Item } from "./items.ts"
import { wakes } from "./network.ts"
import { draftOf, keepDraft, keepOutbox, outboxOf, type Sending } from "./outbox.ts"
import { looked, toldNow } from "./status.ts"

export interface SessionView {
  /** `missing`: there is none of this name for this person. */
  readonly phase: "connecting" | "open" | "missing" | "removed"
  readonly link: ClientState
  readonly items: ReadonlyArray<Item>
  readonly doing: Doing
  readonly state: SessionState
  readonly status: Status | undefined
  /** There are older facts that are not loaded. */
  readonly older: boolean
  readonly loadingOlder: boolean
  readonly sending: ReadonlyArray<Sending>
  readonly draft: string
  /** What was refused last, for a person. */
  readonly refusal: ErrorBody | undefined
  /** The server said that it ends. */
  readonly draining: boolean
}

const NAMING: ReadonlySet<string> = new Set(["task_started", "task_completed", "task_canceled", "task_failed"])
const nothing = () => {}
/** A running task is loaded whole, within `MOST_PAGES`. */
const [PAGE, MOST_PAGES, AGAIN_MS] = [400, 10, 2_000]

export class SessionStore {
  readonly id: SessionId
  readonly store: StoreApi<SessionView>
  readonly folding = new Folding()
  private client: Client | undefined
  private pending: Array<SessionEvent> = []
  private watchers = 0
  private closed = false
  private readonly returned = makeReturned()
  private readonly signedOut: () => void
  private readonly deliver = makeDelivery({
    prompt: ({ key, content, when_busy }) =>
      this.client?.prompt(content, { idempotency_key: key, when_busy }) ?? Promise.reject(errorBody("internal")),
    taken: (sending) => this.delivered(sending),
    refused: (sending, error) => {
      this.delivered(sending)
      this.putBack(sending.content)
      this.refuse(error)
    },
    waits: (error) => this.refuse(error)
  })

  constructor(id: SessionId, signedOut: () => void = () => {}) {
    this.id = id
    this.signedOut = signedOut
    this.store = createStore<SessionView>(() => ({
      phase: "connecting",
      link: { kind: "connecting" },
      items: [],
      doing: { state: "idle" },
      state: initial,
      status: undefined,
      older: false,
      loadingOlder: false,
      sending: outboxOf(id),
      draft: draftOf(id),
      refusal: undefined,
      draining: false
    }))
    void this.open()
  }

  /** Somebody looks at it, until the function it returns is called. */
  watch(): () => void {
    this.watchers++
    this.flush()
    return () => void this.watchers--
  }

  close(): void {
    this.closed = true
    this.client?.close()
  }

  edit(draft: string): void {
    this.store.setState({ draft })
    keepDraft(this.id, draft)
  }

  send(content: string, when_busy: Sending["when_busy"]): void {
    const sending: Sending = { key: crypto.randomUUID(), content, when_busy }
    this.edit("")
    this.refuse(undefined)
    this.setSending([...this.store.getState().sending, sending])
    if (this.client !== undefined) this.deliver(sending)
  }

  async stop(): Promise<void> {
    await this.asked((client) => client.interrupt(this.folding.state.task?.task_id))
  }

  answer(
    request_id: RequestId,
    decision: Answer,
    more: { readonly grant_option?: string; readonly reason?: string } = {}
  ) {
    this.folding.answered.add(request_id)
    return this.asked((client) => client.answer(request_id, { decision, ...more })).then(
      (is) => is || (this.folding.answered.delete(request_id), false)
    )
  }

  command(command: Parameters<Client["send"]>[0]): Promise<boolean> {
    return this.asked(async (client) => {
      await client.send(command)
      await client.status()
    })
  }

  /** What was taken back is the draft again: most likely it is to be said otherwise. */
  async takeBack(prompt_id: PromptId, content: string): Promise<void> {
    if (await this.asked((client) => client.send({ type: "unqueue", prompt_id }))) this.putBack(content)
  }

  putBack(content: string): void {
    this.edit(this.returned(this.store.getState().draft, content))
  }

  setMode(mode: Mode): Promise<boolean> {
    return this.command({ type: "command", name: "set_mode", mode })
  }

  rename(title: string): Promise<boolean> {
    return this.command({ type: "command", name: "rename", title })
  }

  relook(known: Parameters<typeof looked>[0]): void {
    this.store.setState({ status: looked(known, this.store.getState().status) })
  }

  /** `undefined`: it was read. */
  refuse(refusal: ErrorBody | undefined): void {
    this.store.setState({ refusal })
  }

  /** Facts before those that are here. */
  async loadOlder(): Promise<void> {
    const { older, loadingOlder } = this.store.getState()
    if (!older || loadingOlder) return
    this.store.setState({ loadingOlder: true })
    try {
      await this.loadBefore(this.folding.first)
    } catch (error) {
      this.refuse(error as ErrorBody)
    }
    this.store.setState({ loadingOlder: false })
    this.show()
  }

  /** What was said last is shown before anything else is known: the server may take longer to bring a session to life. */
  private async open(): Promise<void> {
    try {
      await this.loadBefore(undefined)
    } catch (error) {
      const refusal = error as ErrorBody
      if (refusal.code === "unauthenticated") return this.signedOut()
      if (refusal.code === "session_not_found") return this.store.setState({ phase: "missing" })
      return this.again(refusal)
    }
    if (this.closed) return
    this.store.setState({ phase: "open" })
    this.show()
    this.join()
    for (const sending of this.store.getState().sending) this.deliver(sending)
    // The wire does not tell who else has it, nor that it was put aside.
    api.show(this.id).then((status) => this.relook(status), nothing)
  }

  private again(refusal: ErrorBody): void {
    this.store.setState({ link: { kind: "waiting", delay_ms: AGAIN_MS, error: refusal } })
    setTimeout(() => (this.closed ? undefined : void this.open()), AGAIN_MS)
  }

  /** A running task is loaded whole: what it asks may stand further up. */
  private async loadTask(): Promise<void> {
    for (let page = 0; page < MOST_PAGES && this.store.getState().older; page++) {
      if (this.folding.state.task !== undefined) return
      await this.loadBefore(this.folding.first)
    }
    this.show()
  }

  private async loadBefore(before: number | undefined): Promise<void> {
    const { events, next_before } = await api.history(this.id, PAGE, before)
    this.folding.prepend(events)
    this.store.setState({ older: next_before !== undefined })
  }

  private join(): void {
    this.client = connect({
      transport: webSocketTransport(socketAddress(location.origin)),
      session_id: this.id,
      client: { name: "claw-console" },
      // Whoever closes the page wants to find the work done.
      detach: "until_done",
      after: { seq: this.folding.last },
      wakes,
      onEvent: (event) => this.take(event),
      onState: (link) => this.linked(link),
      onTold: (event) => this.told(event)
    })
  }

  private linked(link: ClientState): void {
    if (link.kind === "ended" && link.error?.code === "unauthenticated") this.signedOut()
    const gone = link.kind === "ended" && link.error?.code === "session_not_found"
    this.store.setState({
      link,
      ...(gone ? { phase: "removed" } : {}),
      ...(link.kind === "ready" ? { draining: false } : {})
    })
  }

  private told(event: ConnectionEvent): void {
    if (event.type === "draining") return this.store.setState({ draining: true })
    if (event.type === "error") {
      const removed = event.error.code === "session_not_found"
      return this.store.setState({ refusal: event.error, ...(removed ? { phase: "removed" } : {}) })
    }
    if (event.type !== "status") return
    this.flush()
    this.folding.talk.told(event.state, event.task !== undefined)
    this.store.setState({ status: toldNow(event, this.store.getState().status), doing: this.folding.talk.doing() })
    if (event.task !== undefined && this.folding.state.task === undefined) void this.loadTask().catch(nothing)
  }

  private take(event: SessionEvent): void {
    this.pending.push(event)
    onFrame(this.flush, this.watchers > 0)
  }

  private readonly flush = (): void => {
    if (this.pending.length === 0) return
    const events = this.pending
    this.pending = []
    for (const event of events) this.folding.see(event)
    const { budgets, title } = this.store.getState().status ?? {}
    // No event tells the name that a session's first prompt gives it, nor what is left of each limit.
    if ((title === "" || budgets !== undefined) && events.some(({ type }) => NAMING.has(type)))
      void this.client?.status().catch(nothing)
    this.show()
  }

  private show(): void {
    const { state, talk } = this.folding
    const { sending } = this.store.getState()
    const left = sending.filter(({ key }) => !state.keys.has(key))
    if (left.length !== sending.length) this.setSending(left)
    this.store.setState({ items: talk.shown(), doing: talk.doing(), state })
  }

  private setSending(sending: ReadonlyArray<Sending>): void {
    keepOutbox(this.id, sending)
    this.store.setState({ sending })
  }

  /** A frame later: by then the fact of it is shown in its place. */
  private delivered({ key }: Sending): void {
    onFrame(() => this.setSending(this.store.getState().sending.filter((one) => one.key !== key)), true)
  }

  private async asked(request: (client: Client) => Promise<unknown>): Promise<boolean> {
    try {
      if (this.client === undefined) throw errorBody("internal")
      await request(this.client)
      return true
    } catch (error) {
      this.refuse(error as ErrorBody)
      return false
    }
  }
}
