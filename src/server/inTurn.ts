/**
 * Requests of one connection, one after the other (RFC 9112 §9.3.2). Owns: whose turn it is. Does not own: answers.
 * Invariant: whoever sends many at once has one under way; the others wait, and nothing more is read until they had
 * their turn, so that what waits is what one read of the socket brought.
 */
import type { IncomingMessage, ServerResponse } from "node:http"
import type { Socket } from "node:net"

type Turn = { readonly response: ServerResponse; readonly go: () => void }

export const makeInTurn = () => {
  /** Present: one is under way. */
  const lines = new WeakMap<Socket, Array<Turn>>()
  const begin = (socket: Socket, line: Array<Turn>, { response, go }: Turn): void => {
    response.once("close", () => next(socket, line))
    go()
  }
  const next = (socket: Socket, line: Array<Turn>): void => {
    // Who said that it was its last request, or went, is answered no more.
    const turn = socket.writable ? line.shift() : undefined
    if (turn === undefined) return void lines.delete(socket)
    if (line.length === 0) socket.resume()
    begin(socket, line, turn)
  }
  return ({ socket }: IncomingMessage, response: ServerResponse, go: () => void): void => {
    const line = lines.get(socket)
    if (line !== undefined) {
      line.push({ response, go })
      return void socket.pause()
    }
    const fresh: Array<Turn> = []
    lines.set(socket, fresh)
    begin(socket, fresh, { response, go })
  }
}
