/**
 * A call's way to the hosts that a person lists (`isolation.hosts`; SECURITY T7): an HTTP proxy on a socket in the file
 * system, which is all that the call sees of the network. `CONNECT` for what is encrypted, plain requests else.
 * Owns: the wire. Does not own: who may be reached (reach.ts). Invariants: nothing is connected before it was judged; a
 * refusal names the host and why; what is open ends with the call.
 */
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http"
import type { Socket } from "node:net"
import type { Duplex } from "node:stream"
import { hostName, type Target, targetOf } from "./hosts.ts"
import { makeVisits, type Outside, type Visits } from "./reach.ts"

export interface Proxy {
  readonly visits: Visits["all"]
  readonly close: () => void
}

const WORDS = {
  not_listed: "is not listed in isolation.hosts, a setting of the user",
  private_address: "has an address that is not public",
  not_found: "was not found"
} as const

const answerText = (status: string, text: string): string =>
  `HTTP/1.1 ${status}\r\nContent-Type: text/plain\r\nContent-Length: ${Buffer.byteLength(text)}\r\nConnection: close\r\n\r\n${text}`

const refusal = ({ host, port }: Target, refused: keyof typeof WORDS): string =>
  `claw: ${host}:${port} ${WORDS[refused]}.\n`

const joined = (one: Duplex, other: Duplex): void => {
  const end = () => void (one.destroy(), other.destroy())
  one.on("error", end).on("close", end)
  other.on("error", end).on("close", end)
  one.pipe(other)
  other.pipe(one)
}

const onConnect = async (visits: Visits, { url = "" }: IncomingMessage, client: Duplex, head: Buffer) => {
  client.on("error", () => client.destroy())
  const target = targetOf(url)
  if (target === undefined) return void client.end(answerText("400 Bad Request", "claw: no host and port.\n"))
  const judged = await visits.judge(target)
  if ("refused" in judged) return void client.end(answerText("403 Forbidden", refusal(target, judged.refused)))
  if (client.destroyed) return
  const upstream = judged.dial()
  const failed = () => void client.end(answerText("502 Bad Gateway", `claw: ${target.host} did not answer.\n`))
  client.on("close", () => upstream.destroy())
  upstream.once("error", failed).once("connect", () => {
    upstream.off("error", failed)
    client.write("HTTP/1.1 200 Connection Established\r\n\r\n")
    if (head.length > 0) upstream.write(head)
    joined(client, upstream)
  })
}

/** Between this proxy and either side only. */
const HOP = /^(?:connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade)$/i

const passed = (raw: ReadonlyArray<string>): Array<[string, string]> => {
  const pairs: Array<[string, string]> = []
  for (let at = 0; at + 1 < raw.length; at += 2) pairs.push([raw[at] ?? "", raw[at + 1] ?? ""])
  return pairs.filter(([name]) => !HOP.test(name))
}

const urlOf = (text: string): URL | undefined =>
  /^http:\/\//i.test(text) && URL.canParse(text) ? new URL(text) : undefined

const said = (answer: ServerResponse, status: number, text: string): void => {
  if (answer.headersSent) return void answer.destroy()
  answer.writeHead(status, { "content-type": "text/plain", connection: "close" }).end(text)
}

const onRequest = async (visits: Visits, asked: IncomingMessage, answer: ServerResponse) => {
  const url = urlOf(asked.url ?? "")
  const host = hostName(url?.hostname ?? "")
  if (url === undefined || host === undefined) return said(answer, 400, "claw: no address of a host by its name.\n")
  const target = { host, port: Number(url.port === "" ? 80 : url.port) }
  const judged = await visits.judge(target)
  if ("refused" in judged) return said(answer, 403, refusal(target, judged.refused))
  const headers = passed(asked.rawHeaders).filter(([name]) => name.toLowerCase() !== "host")
  const upstream = request({
    createConnection: judged.dial,
    method: asked.method,
    path: `${url.pathname}${url.search}`,
    headers: [["Host", url.host], ...headers].flat(),
    setHost: false
  })
  upstream.on("error", () => said(answer, 502, `claw: ${host} did not answer.\n`))
  upstream.on("response", (got) => {
    answer.writeHead(got.statusCode ?? 502, passed(got.rawHeaders).flat())
    got.on("error", () => answer.destroy()).pipe(answer)
  })
  answer.on("close", () => upstream.destroy())
  asked.on("error", () => upstream.destroy()).pipe(upstream)
}

const MOST_CONNECTIONS = 512
const HEADER_BYTES = 32_768

/** The socket is at `path` when this returns; where it cannot be, nobody reaches anything. */
export const openProxy = (path: string, rules: ReadonlyArray<string>, machine: Outside): Proxy => {
  const visits = makeVisits(rules, machine)
  const open = new Set<Socket>()
  const server = createServer({ maxHeaderSize: HEADER_BYTES, requestTimeout: 0 })
  server.maxConnections = MOST_CONNECTIONS
  server.on("connection", (socket) => {
    open.add(socket)
    socket.once("close", () => open.delete(socket))
  })
  server.on("connect", (asked, client, head) => void onConnect(visits, asked, client, head))
  server.on("request", (asked, answer) => void onRequest(visits, asked, answer))
  server.on("error", () => {})
  server.on("clientError", (_error, client) => client.destroy())
  server.listen(path)
  return {
    visits: visits.all,
    close: () => {
      server.close()
      for (const socket of open) socket.destroy()
    }
  }
}
