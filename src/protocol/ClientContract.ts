/** What a client of the wire is to whoever uses it, and what it needs from them. Types alone. */
import type { ErrorBody } from "../domain/ErrorCode.ts"
import type { SessionEvent } from "../domain/Event.ts"
import type { RequestId, SessionId, TaskId } from "../domain/Ids.ts"
import type { Message, Position } from "./ClientMessage.ts"
import type { ConnectionEvent } from "./ServerEvent.ts"

export interface TransportHandlers {
  readonly opened: () => void
  readonly message: (text: string) => void
  /** Once; `code` as of a WebSocket, 1006 where the transport has none. */
  readonly closed: (code: number) => void
}
/** The handlers are called only after `open` has returned. */
export interface Transport {
  readonly open: (handlers: TransportHandlers) => { readonly send: (text: string) => void; readonly close: () => void }
}

export type ClientState =
  | { readonly kind: "connecting" | "ready" }
  /** `error`: what the server said before it closed. */
  | { readonly kind: "waiting"; readonly delay_ms: number; readonly error?: ErrorBody }
  /** `error` absent: closed by this side. */
  | { readonly kind: "ended"; readonly error?: ErrorBody }

export type Told<T extends ConnectionEvent["type"]> = Extract<ConnectionEvent, { readonly type: T }>

export interface ClientOptions extends Omit<Message<"hello">, "type" | "v" | "after"> {
  readonly transport: Transport
  /** Absent: live from now. `{ seq: 0 }`: from the beginning. */
  readonly after?: Position
  readonly onEvent: (event: SessionEvent) => void
  readonly onState?: (state: ClientState) => void
  /** `hello`, `status`, `draining`, and errors that answer no request of this client. */
  readonly onTold?: (event: ConnectionEvent) => void
  /** Facts or text were missing between two events; they were asked for again. */
  readonly onGap?: (position: Position) => void
  /** Calls `wake` whenever a connection may have died unnoticed, or may be had again; gives its cancelling. */
  readonly wakes?: (wake: () => void) => () => void
  /** Calls `run` once after `ms`; gives its cancelling. */
  readonly timer?: (run: () => void, ms: number) => () => void
  readonly random?: () => number
}

export interface Client {
  readonly state: () => ClientState
  readonly session: () => SessionId | undefined
  readonly position: () => Position | undefined
  readonly prompt: (
    content: string,
    options?: Pick<Message<"prompt">, "idempotency_key" | "when_busy">
  ) => Promise<Told<"accepted">>
  /** Done when the server has taken it; fails with its `ErrorBody`. */
  readonly interrupt: (task_id?: TaskId) => Promise<void>
  readonly answer: (
    request_id: RequestId,
    answer: Omit<Message<"approval_response">, "type" | "request_id">
  ) => Promise<void>
  readonly send: (message: Message<"command"> | Message<"unqueue">) => Promise<void>
  readonly status: () => Promise<Told<"status">>
  readonly diff: (which?: { readonly all?: boolean; readonly task_id?: TaskId }) => Promise<Told<"difference">>
  readonly close: () => void
}
