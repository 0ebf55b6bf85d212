/**
 * One case carried out on a real socket, and what is wrong with how the server answered. Owns: writing in pieces, reading
 * replies as a strict reader, and patience.
 */
import { connect, type Socket } from "node:net"
import type { Served } from "../benchServer/served.ts"
import { type Case, frameBytes, handshakeFor } from "./cases.ts"

/** A machine that is busy elsewhere is no fault of the server. */
const PATIENCE_MS = 20_000
/** Frames may lie about their length: then the question is part of a payload, and silence is right. */
const FRAMES_MS = 300

export interface Outcome {
  /** What contradicts the promises; absent: nothing. */
  readonly fault?: string
  readonly started: number
}

interface Reply {
  readonly session_id?: unknown
  readonly type?: unknown
  readonly nonce?: unknown
}

const parsed = (text: string): Reply | string => {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value !== "object" || value === null || Array.isArray(value)) return `no object: ${text.slice(0, 200)}`
    return typeof (value as Reply).type === "string" ? (value as Reply) : `no type: ${text.slice(0, 200)}`
  } catch {
    return `no JSON: ${text.slice(0, 200)}`
  }
}

/** Takes bytes, gives whole texts; what cannot be one is said. */
interface Reader {
  readonly push: (data: Buffer) => ReadonlyArray<string>
  /** Something is wrong with the frames themselves. */
  readonly fault: () => string | undefined
  /** The server has said that it is over. */
  readonly closing: () => boolean
  /** What is left when the connection is over. */
  readonly rest: () => number
}

const lineReader = (): Reader => {
  let rest = Buffer.alloc(0)
  return {
    push: (data) => {
      const all = Buffer.concat([rest, data])
      const end = all.lastIndexOf(10)
      rest = all.subarray(end + 1)
      return end < 0 ? [] : all.toString("utf8", 0, end).split("\n")
    },
    fault: () => undefined,
    closing: () => false,
    rest: () => rest.length
  }
}

const CLOSE = 8
const TEXT = 1

/** Frames of a server: whole, unmasked, text or control. An HTTP answer in front is the handshake's. */
const frameReader = (): Reader => {
  let rest = Buffer.alloc(0)
  let upgraded = false
  let closing = false
  let fault: string | undefined
  const one = (): string | undefined | "wait" => {
    if (rest.length < 2) return "wait"
    const [first = 0, second = 0] = rest
    const short = second & 0x7f
    const head = short === 126 ? 4 : short === 127 ? 10 : 2
    if (rest.length < head) return "wait"
    const length = short === 126 ? rest.readUInt16BE(2) : short === 127 ? Number(rest.readBigUInt64BE(2)) : short
    if (rest.length < head + length) return "wait"
    const body = rest.subarray(head, head + length)
    rest = rest.subarray(head + length)
    if ((second & 0x80) !== 0 || (first & 0xf0) !== 0x80) fault ??= `a frame begins with ${first}, ${second}`
    if ((first & 0x0f) === TEXT) return body.toString("utf8")
    if ((first & 0x0f) === CLOSE) closing = true
    if ((first & 0x0f) === CLOSE && length > 0 && body.readUInt16BE(0) < 1000) fault ??= "a close code under 1000"
    return undefined
  }
  return {
    push: (data) => {
      rest = Buffer.concat([rest, data])
      if (!upgraded) {
        const end = rest.indexOf("\r\n\r\n")
        if (end < 0) return []
        const status = rest.toString("latin1", 0, 12)
        if (!/^HTTP\/1\.1 \d{3}/.test(status)) fault ??= `the answer to a handshake is ${JSON.stringify(status)}`
        if (!status.endsWith("101")) {
          rest = Buffer.alloc(0)
          return []
        }
        upgraded = true
        rest = rest.subarray(end + 4)
      }
      const texts: Array<string> = []
      for (let text = one(); text !== "wait"; text = one()) if (text !== undefined) texts.push(text)
      return texts
    },
    fault: () => fault,
    closing: () => closing,
    rest: () => 0
  }
}

const opened = (server: Served, transport: Case["transport"]): Promise<Socket> =>
  new Promise((done, fail) => {
    const { host, port } = transport === "tcp" ? server.tcp : server.http
    const socket = connect({ host, port, noDelay: true, allowHalfOpen: true }, () => done(socket))
    socket.once("error", fail)
  })

const question = (transport: Case["transport"], nonce: string): Uint8Array => {
  const text = Buffer.from(JSON.stringify({ type: "ping", nonce }))
  if (transport === "tcp") return Buffer.concat([Buffer.from("\n"), text, Buffer.from("\n")])
  return frameBytes({ fin: true, rsv: 0, opcode: TEXT, masked: true, payload: text })
}

/** Every write its own packet, as far as a socket lets us: a turn of the loop lies between. */
const written = async (socket: Socket, pieces: ReadonlyArray<Uint8Array>): Promise<void> => {
  for (const piece of pieces) {
    if (socket.destroyed || !socket.writable) return
    socket.write(piece)
    await new Promise((next) => setImmediate(next))
  }
}

/** In a session that a case names others may be at work: only what runs in one of its own is its doing. */
const isOwn = (session: unknown): boolean => typeof session === "string" && /-channel-session-\d{1,5}$/.test(session)

const faultOf = (made: Case, { started, rest }: { readonly started: number; readonly rest: number }) => {
  if (started > made.tasks) return `${started} tasks, at most ${made.tasks} were asked for`
  return rest > 0 ? `${rest} bytes of a line that does not end` : undefined
}

export const carryOut = async (server: Served, made: Case, nth: number): Promise<Outcome> => {
  const socket = await opened(server, made.transport)
  const reader = made.transport === "tcp" ? lineReader() : frameReader()
  const nonce = `fuzz-${nth}`
  let started = 0
  let fault: string | undefined
  let answered = false
  let ended = false
  const finished = new Promise<void>((done) => {
    socket.on("data", (data: Buffer) => {
      for (const text of reader.push(data)) {
        const reply = parsed(text)
        if (typeof reply === "string") fault ??= reply
        else if (reply.type === "task_started" && isOwn(reply.session_id)) started++
        else if (reply.type === "pong" && reply.nonce === nonce) answered = true
      }
      // This client does not answer a close, so the server may wait for it a while.
      if (answered || reader.closing()) done()
    })
    socket.on("error", () => done()).once("close", () => done())
    socket.once("end", () => {
      ended = true
      socket.end()
    })
  })
  if (made.kind === "messages" || made.kind === "frames") {
    socket.write(handshakeFor(`${server.http.host}:${server.http.port}`))
  }
  await written(socket, made.pieces)
  if (made.leave === "reset") {
    socket.resetAndDestroy()
    return { started }
  }
  if (made.leave === "half") socket.end()
  else if (socket.writable) socket.write(question(made.transport, nonce))
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<"late">((done) => {
    timer = setTimeout(() => done("late"), made.kind === "frames" ? FRAMES_MS : PATIENCE_MS)
  })
  const how = await Promise.race([finished, late])
  clearTimeout(timer)
  if (how === "late" && made.kind !== "frames") fault ??= `neither an answer nor an end within ${PATIENCE_MS} ms`
  if (how !== "late" && made.leave === "ask" && !answered && !made.mayEnd) fault ??= "the connection was ended"
  fault ??= reader.fault()
  fault ??= faultOf(made, { started, rest: ended ? reader.rest() : 0 })
  socket.destroy()
  return { started, ...(fault === undefined ? {} : { fault }) }
}
