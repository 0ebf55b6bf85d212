/**
 * Clients of the wire that know nothing of claw's own code: bare TCP and the package `ws`, one interface. Owns: frames to
 * messages, and waiting for a message. Invariant: whoever waits is told when the connection ends instead.
 */
import { connect as connectTcp } from "node:net"
import { WebSocket } from "ws"
import type { Address, Served } from "./served.ts"

/** A server event as it came, without types: what is measured is the wire. */
export interface Message {
  readonly type: string
  readonly seq?: number
  readonly session_id?: string
  readonly task_id?: string
  readonly stream_id?: string
  readonly offset?: number
  readonly content?: string
  readonly request_id?: string
  readonly nonce?: string
  readonly position?: number
  readonly state?: string
  readonly error?: { readonly code: string; readonly message: string }
}

export type Kind = "tcp" | "ws"

export interface Client {
  readonly kind: Kind
  readonly send: (message: Readonly<Record<string, unknown>>) => void
  /** Called for each message; replaces an earlier one. */
  readonly onMessage: (see: (message: Message) => void) => void
  /** Called with the text of each message instead, which then is not parsed: for a driver that has to be quick. */
  readonly onText: (see: (text: string) => void) => void
  /** The next message of this kind that comes from now on; rejects where the connection ends first. */
  readonly next: (...types: ReadonlyArray<string>) => Promise<Message>
  /** Reads no more, until `resume`. */
  readonly pause: () => void
  readonly resume: () => void
  /** Resolves once the connection is over: close code of a WebSocket, 0 of TCP. */
  readonly closed: Promise<number>
  readonly destroy: () => void
}

interface Waiter {
  readonly types: ReadonlyArray<string>
  readonly done: (message: Message) => void
  readonly fail: (error: Error) => void
}

const PING = /"type":"ping"/

/** `pong`: says that the peer lives; who never answers a ping is taken for dead after 75 s. */
const mailbox = (pong: () => void) => {
  let see: ((message: Message) => void) | undefined
  let seeText: ((text: string) => void) | undefined
  let over: Error | undefined
  /** The last error that came: mostly why the connection ends. */
  let said = ""
  let waiters: ReadonlyArray<Waiter> = []
  return {
    deliver: (text: string) => {
      if (seeText !== undefined) return PING.test(text.slice(0, 40)) ? pong() : seeText(text)
      const message = JSON.parse(text) as Message
      if (message.type === "ping") return pong()
      if (message.type === "error") said = ` (${message.error?.code})`
      see?.(message)
      if (waiters.length === 0) return
      const taken = waiters.filter(({ types }) => types.includes(message.type))
      waiters = waiters.filter(({ types }) => !types.includes(message.type))
      for (const { done } of taken) done(message)
    },
    end: (why: string) => {
      over ??= new Error(`${why}${said}`)
      for (const { fail } of waiters) fail(over)
      waiters = []
    },
    onMessage: (next: (message: Message) => void) => {
      see = next
    },
    onText: (next: (text: string) => void) => {
      seeText = next
    },
    next: (...types: ReadonlyArray<string>): Promise<Message> =>
      new Promise((done, fail) => {
        if (over !== undefined) return fail(over)
        waiters = [...waiters, { types, done, fail }]
      })
  }
}

/** `source`: the loopback address to speak from; ports of one address are some 28,000. */
const tcp = ({ host, port }: Address, source?: string): Promise<Client> =>
  new Promise((ready, fail) => {
    const socket = connectTcp({ host, port, noDelay: true, ...(source === undefined ? {} : { localAddress: source }) })
    const send = (message: Readonly<Record<string, unknown>>): void => void socket.write(`${JSON.stringify(message)}\n`)
    const box = mailbox(() => send({ type: "pong" }))
    // Parts of a line that is not over: one may be megabytes, and is put together once.
    let parts: Array<string> = []
    socket.setEncoding("utf8")
    socket.on("data", (text: string) => {
      const lines = text.split("\n")
      const rest = lines.pop() ?? ""
      for (const line of lines) {
        box.deliver(parts.join("") + line)
        parts = []
      }
      if (rest !== "") parts.push(rest)
    })
    const closed = new Promise<number>((done) => socket.once("close", () => done(0)))
    socket.on("error", (error) => {
      box.end(`tcp: ${error.message}`)
      fail(error)
    })
    socket.once("close", () => box.end("tcp: closed"))
    socket.once("connect", () =>
      ready({
        kind: "tcp",
        send,
        onMessage: box.onMessage,
        onText: box.onText,
        next: box.next,
        pause: () => void socket.pause(),
        resume: () => void socket.resume(),
        closed,
        destroy: () => void socket.destroy()
      })
    )
  })

const ws = ({ host, port }: Address, source?: string): Promise<Client> =>
  new Promise((ready, fail) => {
    const options = { perMessageDeflate: false, ...(source === undefined ? {} : { localAddress: source }) }
    const socket = new WebSocket(`ws://${host}:${port}/ws`, options)
    const send = (message: Readonly<Record<string, unknown>>): void => socket.send(JSON.stringify(message))
    const box = mailbox(() => send({ type: "pong" }))
    socket.on("message", (data: Buffer) => box.deliver(data.toString("utf8")))
    const closed = new Promise<number>((done) => socket.once("close", done))
    socket.on("error", (error) => {
      box.end(`ws: ${error.message}`)
      fail(error)
    })
    socket.once("close", (code) => box.end(`ws: closed with ${code}`))
    socket.once("open", () =>
      ready({
        kind: "ws",
        send,
        onMessage: box.onMessage,
        onText: box.onText,
        next: box.next,
        pause: () => socket.pause(),
        resume: () => socket.resume(),
        closed,
        destroy: () => socket.terminate()
      })
    )
  })

export type Target = Pick<Served, "tcp" | "http">

export const open = (kind: Kind, server: Target, source?: string): Promise<Client> =>
  kind === "tcp" ? tcp(server.tcp, source) : ws(server.http, source)

/** Half of each. */
export const kindOf = (index: number): Kind => (index % 2 === 0 ? "tcp" : "ws")

/** Connects and says `hello`; the answer tells the session. */
export const greet = async (
  kind: Kind,
  server: Target,
  hello: Readonly<Record<string, unknown>> = {},
  source?: string
): Promise<{ readonly client: Client; readonly hello: Message }> => {
  const client = await open(kind, server, source)
  const answer = client.next("hello", "error")
  client.send({ type: "hello", ...hello })
  const said = await answer
  if (said.type === "error") throw new Error(`hello was answered with ${said.error?.code}: ${said.error?.message}`)
  return { client, hello: said }
}

/** At most `width` at once, in order of index. */
export const many = async <A>(count: number, width: number, make: (index: number) => Promise<A>): Promise<Array<A>> => {
  const made: Array<A> = []
  let next = 0
  const worker = async (): Promise<void> => {
    while (next < count) {
      const index = next++
      made[index] = await make(index)
    }
  }
  await Promise.all(Array.from({ length: Math.min(width, count) }, worker))
  return made
}
