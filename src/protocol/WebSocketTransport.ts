/** A client's connection over the platform's WebSocket: browsers, and Node as it is. Owns: nothing but the adapter. */
import type { Transport } from "./ClientContract.ts"

export const webSocketTransport = (url: string): Transport => ({
  open: ({ opened, message, closed }) => {
    const socket = new WebSocket(url)
    socket.addEventListener("open", opened)
    socket.addEventListener("message", ({ data }) => {
      if (typeof data === "string") message(data)
    })
    socket.addEventListener("close", ({ code }) => closed(code))
    return {
      send: (text) => {
        if (socket.readyState === WebSocket.OPEN) socket.send(text)
      },
      close: () => socket.close()
    }
  }
})
