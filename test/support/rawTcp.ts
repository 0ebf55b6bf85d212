/** A TCP peer that does what a test says, byte by byte. Invariant: it is gone with its scope. */
import { connect, type Socket } from "node:net"
import { Effect, Queue } from "effect"

export interface RawTcp {
  readonly socket: Socket
  readonly write: (bytes: string | Uint8Array) => Effect.Effect<void>
  /** The next line of the server, without its end. */
  readonly line: Effect.Effect<string>
  /** All that came, once the server has closed. */
  readonly rest: Effect.Effect<string>
  /** How the server ended it: `end` in order, otherwise the error's code. */
  readonly ended: Effect.Effect<string>
}

export const rawTcp = Effect.fnUntraced(function* (port: number, over?: (port: number) => Socket) {
  const lines = yield* Queue.unbounded<string>()
  const socket = yield* Effect.acquireRelease(
    Effect.sync(() => (over === undefined ? connect({ port, host: "127.0.0.1", noDelay: true }) : over(port))),
    (open) => Effect.sync(() => open.destroy())
  )
  let text = ""
  let pending: Array<string> = []
  let how = ""
  socket.setEncoding("utf8").on("data", (data) => {
    text += String(data)
    const [first = "", ...others] = String(data).split("\n")
    pending.push(first)
    for (const other of others) {
      Queue.offerUnsafe(lines, pending.join(""))
      pending = [other]
    }
  })
  socket.on("error", (error: NodeJS.ErrnoException) => (how = error.code ?? error.message))
  socket.on("end", () => (how ||= "end"))
  const closed = new Promise<void>((done) => socket.once("close", () => done()))
  return {
    socket,
    write: (bytes) => Effect.callback<void>((resume) => void socket.write(bytes, () => resume(Effect.void))),
    line: Queue.take(lines),
    rest: Effect.map(
      Effect.promise(() => closed),
      () => text
    ),
    ended: Effect.map(
      Effect.promise(() => closed),
      () => how
    )
  } satisfies RawTcp
})
