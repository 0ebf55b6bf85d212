/**
 * What a client asked and has no answer to yet. Owns: which answer belongs to which question, what is asked again after
 * a cut. Invariants: one request is on its way at a time, so that an error is its; every promise is settled; a request
 * that would mean something else later (`interrupt` without a task, `clear`, `undo` …) is never sent twice; one that is
 * too large for the server is not sent at all, for it would cost the connection, and the next one, and so on.
 */
import { type ErrorBody, errorBody } from "../domain/ErrorCode.ts"
import type { TaskId } from "../domain/Ids.ts"
import type { ClientMessage, Message } from "./ClientMessage.ts"
import type { ConnectionEvent } from "./ServerEvent.ts"

type Accepted = Extract<ConnectionEvent, { readonly type: "accepted" }>
type Status = Extract<ConnectionEvent, { readonly type: "status" }>
type Difference = Extract<ConnectionEvent, { readonly type: "difference" }>

interface Request {
  readonly message: ClientMessage
  readonly done: (answer: never) => void
  readonly failed: (error: ErrorBody) => void
  /** A ping sent behind the request: its answer means that the request was taken. */
  readonly fence?: string
}

const once: ReadonlySet<string> = new Set<Message<"command">["name"]>(["clear", "compact", "undo", "redo"])

const mayRepeat = (message: ClientMessage): boolean =>
  message.type === "interrupt" ? message.task_id !== undefined : message.type !== "command" || !once.has(message.name)

/** A connection is closed so for what is on its way, by a server or by a proxy with limits of its own: again would be the same. */
const TOO_LARGE = 1009

const bytesOf = (message: ClientMessage): number => new TextEncoder().encode(JSON.stringify(message)).length

/** One request at a time, while there is a connection. */
const makeQueue = (say: (message: ClientMessage) => void) => {
  let waiting: ReadonlyArray<Request> = []
  let current: Request | undefined
  let ready = false
  let most = Number.POSITIVE_INFINITY

  const next = (): void => {
    if (!ready || current !== undefined) return
    const first = waiting[0]
    waiting = waiting.slice(1)
    if (first === undefined) return
    const { message, fence, failed } = first
    if (bytesOf(message) > most) {
      failed(errorBody("too_large"))
      return next()
    }
    current = first
    say(message)
    if (fence !== undefined) say({ type: "ping", nonce: fence })
  }
  const take = (): Request | undefined => {
    const taken = current
    current = undefined
    return taken
  }
  return {
    current: () => current,
    take,
    add: (request: Request): void => {
      waiting = [...waiting, request]
      next()
    },
    again: (request: Request): void => {
      waiting = [request, ...waiting]
    },
    all: (): ReadonlyArray<Request> => {
      const taken = take()
      const all = taken === undefined ? waiting : [taken, ...waiting]
      waiting = []
      return all
    },
    /** `bytes`: what a message may have. */
    open: (bytes: number): void => {
      ready = true
      most = bytes
      next()
    },
    shut: (): void => {
      ready = false
    },
    settle: (how: (request: Request) => void): void => {
      const request = take()
      if (request !== undefined) how(request)
      next()
    }
  }
}

export const makeRequests = (say: (message: ClientMessage) => void) => {
  const queue = makeQueue(say)
  let over: ErrorBody | undefined
  let fences = 0

  const add = <A>(message: ClientMessage, fenced: boolean): Promise<A> =>
    new Promise<A>((done, failed: (error: ErrorBody) => void) => {
      if (over !== undefined) return failed(over)
      const fence = fenced ? { fence: `request-${++fences}` } : {}
      queue.add({ message, done: done as Request["done"], failed, ...fence })
    })

  return {
    prompt: (message: Message<"prompt">) => add<Accepted>(message, false),
    ask: (message: ClientMessage) => add<void>(message, true),
    status: () => add<Status>({ type: "status" }, false),
    diff: (which: { readonly all?: boolean; readonly task_id?: TaskId }) =>
      add<Difference>({ type: "command", name: "diff", ...which }, false),
    accepted: (event: Accepted): void => {
      const message = queue.current()?.message
      if (message?.type !== "prompt" || message.idempotency_key !== event.idempotency_key) return
      queue.settle(({ done }) => done(event as never))
    },
    status_: (event: Status): void => {
      if (queue.current()?.message.type === "status") queue.settle(({ done }) => done(event as never))
    },
    difference: (event: Difference): void => {
      const message = queue.current()?.message
      if (message?.type === "command" && message.name === "diff") queue.settle(({ done }) => done(event as never))
    },
    pong: (nonce: string | undefined): void => {
      if (nonce !== undefined && queue.current()?.fence === nonce) queue.settle(({ done }) => done(undefined as never))
    },
    /** True where the error answers what is on its way. */
    refused: (error: ErrorBody): boolean => {
      if (queue.current() === undefined) return false
      queue.settle(({ failed }) => failed(error))
      return true
    },
    connected: (message_bytes: number) => queue.open(message_bytes),
    disconnected: (code: number): void => {
      queue.shut()
      const request = queue.take()
      if (request === undefined) return
      if (code === TOO_LARGE) request.failed(errorBody("too_large"))
      else if (mayRepeat(request.message)) queue.again(request)
      else request.failed(errorBody("internal", "The connection was lost; whether this was done is not known."))
    },
    ended: (error: ErrorBody): void => {
      over = error
      queue.shut()
      for (const { failed } of queue.all()) failed(error)
    }
  }
}
