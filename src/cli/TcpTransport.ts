/** A client's connection over TCP, one JSON object a line. Owns: the adapter from a socket to the client's transport. */
import { connect } from "node:net"
import type { Transport } from "../protocol/ClientContract.ts"
import { make } from "../protocol/Framing.ts"

export const tcpTransport = (address: { readonly host: string; readonly port: number }): Transport => ({
  open: ({ opened, message, closed }) => {
    // What a server says has no cap (SETTLED 22).
    const framing = make({ bytes: Number.POSITIVE_INFINITY })
    const socket = connect({ ...address, noDelay: true })
    socket.on("connect", opened)
    socket.on("data", (bytes) => {
      for (const frame of framing.push(bytes)) {
        if (frame.kind === "line") message(frame.text)
        else socket.destroy()
      }
    })
    // A failure is followed by `close`, which says all that a client needs.
    socket.on("error", () => {})
    socket.on("close", () => closed(1006))
    return {
      send: (text) => {
        if (socket.writable) socket.write(`${text}\n`)
      },
      close: () => socket.end()
    }
  }
})
