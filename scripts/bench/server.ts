/**
 * The fake model server of the bench, in its own process: a raw socket server on loopback that speaks as much HTTP as
 * its clients need, at over a million deltas a second. Owns: sockets, pacing, the log of requests. Prints its port.
 *
 * Models: `text:n,size` full speed · `endless:interval,burst,size` stamped deltas until the client goes, `burst` of them
 * in one write, filled up to `size` characters · `prose:interval` words of Markdown until the client goes · `tools:turns,calls,args` then `done` · `bash` one bash call · `ask`,
 * `wait` one call of that tool · `hang` never answers.
 * Control: GET /log/<model> (records), /drop (closes idle connections).
 */
import { createServer, type Socket } from "node:net"
import { now, nowMicros } from "./samples.ts"
import * as Answers from "./serverAnswers.ts"

interface Record {
  /** When the whole request was there. */
  readonly at: number
  /** When the connection closed before the answer was over. */
  closed?: number
}

interface Connection {
  readonly socket: Socket
  pending: Array<Buffer>
  bytes: number
  /** Of the request that is being received: head and body together. */
  needed: number
  active: Record | undefined
  stop: (() => void) | undefined
}

interface Stream {
  readonly step: () => void
  readonly interval: number
  next: number
}

const log = new Map<string, Array<Record>>()
const directives = new Map<string, Answers.Directive>()
const connections = new Set<Connection>()
const streams = new Set<Stream>()
let requests = 0
let wheel: NodeJS.Timeout | undefined

/** One timer moves all paced streams. */
const turn = (): void => {
  const at = now()
  for (const stream of streams) {
    if (at < stream.next) continue
    stream.step()
    stream.next = Math.max(stream.next + stream.interval, at - stream.interval)
  }
  if (streams.size > 0) return
  clearInterval(wheel)
  wheel = undefined
}

/** Phases are spread, so that many streams do not write in one burst. */
const pace = (interval: number, step: () => void): (() => void) => {
  const stream = { step, interval, next: now() + Math.random() * interval }
  streams.add(stream)
  wheel ??= setInterval(turn, 1)
  return () => void streams.delete(stream)
}

const finish = (connection: Connection, last: Buffer): void => {
  connection.active = undefined
  connection.stop = undefined
  connection.socket.write(last)
}

const BLOCK = 256

const sendText = (connection: Connection, count: number, size: number): void => {
  const { socket } = connection
  let left = count
  const pump = (): void => {
    while (left > 0) {
      const some = Math.min(BLOCK, left)
      left -= some
      if (!socket.write(Answers.textBlock(size, some)) && left > 0) {
        socket.once("drain", pump)
        return
      }
    }
    finish(connection, Answers.END_OF_TEXT)
  }
  connection.stop = () => socket.removeListener("drain", pump)
  pump()
}

/** Results since the person last spoke. */
const countResults = (body: Buffer): number => {
  let count = 0
  const from = Math.max(0, body.lastIndexOf('"role":"user"'))
  for (let at = body.indexOf('"tool_call_id"', from); at >= 0; at = body.indexOf('"tool_call_id"', at + 14)) count++
  return count
}

const answer = (connection: Connection, { kind, options }: Answers.Directive, body: Buffer): void => {
  const { socket } = connection
  if (kind === "hang") return
  socket.cork()
  socket.write(Answers.HEAD)
  socket.write(Answers.ROLE)
  const results = kind === "text" || kind === "endless" || kind === "prose" ? 0 : countResults(body)
  const { n = 1, size = 4, interval = 50, burst = 1, turns = 1, calls = 1, args = 16 } = options
  if (kind === "text") sendText(connection, n, size)
  else if (kind === "endless") {
    connection.stop = pace(interval, () => socket.write(Answers.stamped(nowMicros(), burst, size)))
  } else if (kind === "prose") {
    let nth = 0
    connection.stop = pace(interval, () => socket.write(Answers.proseWord(nth++)))
  } else if (kind === "tools" && results < turns * calls) {
    finish(connection, Answers.toolAnswer(requests, Math.floor(results / calls), calls, "noop", args))
  } else if (kind === "bash" && results === 0) finish(connection, Answers.bashAnswer(requests))
  else if ((kind === "ask" || kind === "wait") && results === 0) {
    finish(connection, Answers.toolAnswer(requests, 0, 1, kind, args))
  } else finish(connection, Answers.DONE_ANSWER)
  socket.uncork()
}

const control = (connection: Connection, path: string): void => {
  let said: unknown = null
  if (path.startsWith("/log/")) said = log.get(decodeURIComponent(path.slice(5))) ?? []
  else if (path === "/drop") {
    for (const other of connections) if (other !== connection && other.active === undefined) other.socket.destroy()
  }
  const text = JSON.stringify(said)
  const head = `HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: ${Buffer.byteLength(text)}\r\n\r\n`
  connection.socket.end(head + text)
}

const receive = (connection: Connection, request: Buffer, bodyAt: number): void => {
  const line = request.toString("latin1", 0, request.indexOf("\r\n"))
  const [method, path = ""] = line.split(" ", 3)
  if (method === "GET") return control(connection, path)
  requests++
  const body = request.subarray(bodyAt)
  const model = /"model"\s*:\s*"([^"]*)"/.exec(body.toString("latin1", 0, 400))?.[1] ?? "text"
  const directive = directives.get(model) ?? Answers.parseDirective(model)
  directives.set(model, directive)
  const record: Record = { at: now() }
  const records = log.get(model) ?? []
  records.push(record)
  log.set(model, records)
  connection.active = record
  answer(connection, directive, body)
}

const BLANK = Buffer.from("\r\n\r\n")

/** Where the body begins and how long the whole request is, once its head is there. */
const measure = (bytes: Buffer): { readonly bodyAt: number; readonly needed: number } | undefined => {
  const end = bytes.indexOf(BLANK)
  if (end < 0) return undefined
  const head = bytes.toString("latin1", 0, end)
  const length = Number(/\r\ncontent-length:\s*(\d+)/i.exec(head)?.[1] ?? 0)
  return { bodyAt: end + 4, needed: end + 4 + length }
}

const read = (connection: Connection, data: Buffer): void => {
  connection.pending.push(data)
  connection.bytes += data.length
  if (connection.bytes < connection.needed) return
  const bytes = connection.pending.length === 1 ? data : Buffer.concat(connection.pending)
  const size = measure(bytes)
  const whole = size !== undefined && bytes.length >= size.needed
  connection.needed = size?.needed ?? 0
  connection.pending = whole ? [] : [bytes]
  if (!whole) return
  connection.bytes = 0
  connection.needed = 0
  receive(connection, bytes, size.bodyAt)
}

const server = createServer({ noDelay: true }, (socket) => {
  const connection: Connection = { socket, pending: [], bytes: 0, needed: 0, active: undefined, stop: undefined }
  connections.add(connection)
  const gone = (): void => {
    if (!connections.delete(connection)) return
    connection.stop?.()
    if (connection.active !== undefined) connection.active.closed = now()
    socket.destroy()
  }
  socket.on("data", (data) => read(connection, data))
  socket.on("end", gone).on("error", gone).on("close", gone)
})

server.listen({ host: "127.0.0.1", port: 0, backlog: 4096 }, () => {
  const address = server.address()
  if (address !== null && typeof address === "object") process.stdout.write(`${address.port}\n`)
})

// The parent's end is this server's end, however it came.
process.stdin.on("end", () => process.exit(0)).resume()
