/**
 * The bench's side of its server: starting it, and asking it what it saw. Owns: that process.
 * Asks over a bare socket, so that asking loads nothing into a client that is being weighed.
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { connect } from "node:net"
import { fileURLToPath } from "node:url"

export interface Requested {
  /** Milliseconds of CLOCK_MONOTONIC: the whole request was there. */
  readonly at: number
  /** The client closed the connection before the answer was over. */
  readonly closed?: number
}

export interface Control {
  readonly base_url: string
  /** The requests for a model so far, in order. */
  readonly log: (model: string) => Promise<ReadonlyArray<Requested>>
  /** Closes the connections that carry no request. */
  readonly drop: () => Promise<void>
}

const get = (port: number, path: string): Promise<unknown> =>
  new Promise((done, fail) => {
    const socket = connect({ host: "127.0.0.1", port }, () =>
      socket.write(`GET ${path} HTTP/1.1\r\nhost: bench\r\n\r\n`)
    )
    let text = ""
    socket.setEncoding("utf8")
    socket.on("data", (more: string) => (text += more))
    socket.on("end", () => {
      socket.destroy()
      done(JSON.parse(text.slice(text.indexOf("\r\n\r\n") + 4)))
    })
    socket.on("error", fail)
  })

export const control = (port: number): Control => ({
  base_url: `http://127.0.0.1:${port}/v1`,
  log: (model) => get(port, `/log/${encodeURIComponent(model)}`) as Promise<ReadonlyArray<Requested>>,
  drop: async () => void (await get(port, "/drop"))
})

export interface Server {
  readonly port: number
  readonly stop: () => Promise<void>
}

export const startServer = async (): Promise<Server> => {
  const file = fileURLToPath(new URL("server.ts", import.meta.url))
  const child = spawn(process.execPath, [file], { stdio: ["pipe", "pipe", "inherit"] })
  const [line] = (await once(child.stdout, "data")) as [Buffer]
  return {
    port: Number(line.toString()),
    stop: async () => {
      const exited = once(child, "exit")
      child.stdin.end()
      await exited
    }
  }
}
