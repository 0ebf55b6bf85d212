/**
 * The `fetch` that the openai package is given: node:http(s) with a keep-alive agent (R116), because a fetch body
 * costs more than everything else on the stream's path. Owns: sockets, response heads, error bodies. Does not own:
 * reading an answer's body (body.ts), what a failure means (failure.ts).
 * Invariant: after `close` of an exchange nothing of it is left but, where its answer ended, an idle socket in the pool.
 */
import {
  Agent as HttpAgent,
  type ClientRequest,
  type IncomingMessage,
  type RequestOptions,
  request as httpRequest
} from "node:http"
import { Agent as HttpsAgent, request as httpsRequest } from "node:https"
import type { Socket } from "node:net"
import { urlToHttpOptions } from "node:url"
import { Effect } from "effect"
import * as Points from "../../observability/Points.ts"

/** One call on its way: filled by the transport, ended by the driver. */
export interface Exchange {
  /** What is sent; none: a GET. */
  body: ReadonlyArray<Uint8Array>
  request: ClientRequest | undefined
  /** The successful response, whose body is read from here and not through the `Response`. */
  message: IncomingMessage | undefined
  closed: boolean
  connected: boolean
  /** There will be no answer; whoever waits for the connection stops waiting. */
  failed: boolean
  onConnected: (() => void) | undefined
  /** The head of a successful response is there, a third of a millisecond before the package has looked at it. */
  onMessage: ((message: IncomingMessage) => void) | undefined
}

export const openExchange = (): Exchange => ({
  body: [],
  request: undefined,
  message: undefined,
  closed: false,
  connected: false,
  failed: false,
  onConnected: undefined,
  onMessage: undefined
})

/** Ends the call now: the socket closes, also while headers are awaited (R130), unless the answer came to its end. */
export const close = (exchange: Exchange): void => {
  exchange.closed = true
  const { message, request } = exchange
  if (message?.complete === true) message.removeAllListeners("data").resume()
  else request?.destroy()
}

/** How long the rest of an answer that is already complete may take before its socket is given up. */
const DRAIN_MS = 50

/**
 * Waits for the last bytes of a complete answer, so that its socket is back in the pool for the next call; one that
 * does not end (LESSONS 6) is left to `close`.
 */
export const settle = (exchange: Exchange): Effect.Effect<void> =>
  Effect.callback((resume) => {
    const { message, request } = exchange
    if (message === undefined || request === undefined || message.complete || message.destroyed) {
      message?.resume()
      return resume(Effect.void)
    }
    const finish = () => {
      clearTimeout(timer)
      message.removeListener("close", finish).removeListener("end", finish)
      resume(Effect.void)
    }
    const timer = setTimeout(finish, DRAIN_MS)
    message.once("end", finish).once("close", finish).removeAllListeners("data").resume()
    return Effect.sync(finish)
  })

export interface Agents {
  readonly http: HttpAgent
  readonly https: HttpsAgent
}

/** `proxy`: through whom all calls go; node's agents speak to it, and reuse its tunnels as they do connections. */
export const openAgents = (proxy?: string): Agents => {
  const proxyEnv = proxy === undefined ? {} : { proxyEnv: { HTTP_PROXY: proxy, HTTPS_PROXY: proxy } }
  const options = { keepAlive: true, noDelay: true, maxFreeSockets: 64, scheduling: "lifo", ...proxyEnv } as const
  return { http: new HttpAgent(options), https: new HttpsAgent(options) }
}

export const closeAgents = (agents: Agents): void => {
  agents.http.destroy()
  agents.https.destroy()
}

/** An error body is kept up to here; the rest is not read. */
const ERROR_BODY_BYTES = 64 * 1024

/** What later code asks for. Fewer headers, less work per call. */
const KEPT = ["content-type", "retry-after", "retry-after-ms", "x-request-id", "location"] as const

const headOf = (message: IncomingMessage): Headers => {
  const headers = new Headers()
  for (const name of KEPT) {
    const value = message.headers[name]
    if (typeof value === "string") headers.set(name, value)
  }
  return headers
}

const isSuccess = (status: number): boolean => status >= 200 && status < 300

/**
 * The many ways in which servers refuse become OpenAI's one, `{error: {message, code, type}}`, so that the package's
 * own error carries whatever was said.
 */
export const errorBody = (text: string, html: boolean): string => {
  if (html || /^\s*</.test(text)) return JSON.stringify({ error: { message: "", type: "html" } })
  try {
    const body: unknown = JSON.parse(text)
    if (body !== null && typeof body === "object") {
      const inner = "error" in body && body.error !== null && typeof body.error === "object" ? body.error : undefined
      if (inner !== undefined) return text
      const message =
        "error" in body ? body.error : "message" in body ? body.message : "detail" in body ? body.detail : text
      const said = typeof message === "string" ? message : JSON.stringify(message)
      return JSON.stringify({ error: { ...body, message: said, error: undefined } })
    }
  } catch {
    // Not JSON: the text itself is the message.
  }
  return JSON.stringify({ error: { message: text } })
}

const refused = (message: IncomingMessage, resolve: (response: Response) => void, reject: (error: Error) => void) => {
  const chunks: Array<Buffer> = []
  let bytes = 0
  const finish = () => {
    const status = message.statusCode ?? 0
    const html = /\bhtml\b/i.test(message.headers["content-type"] ?? "")
    const text = Buffer.concat(chunks).toString("utf8")
    // A 304 has no body by its nature, and no place here: nothing was asked for that could be unchanged.
    if (status < 200 || status > 599 || status === 304)
      return reject(new Error(`The server answered with the HTTP status ${status}.`))
    resolve(new Response(errorBody(text, html), { status, headers: headOf(message) }))
  }
  message.on("data", (chunk: Buffer) => {
    chunks.push(chunk)
    bytes += chunk.length
    if (bytes < ERROR_BODY_BYTES) return
    finish()
    message.destroy()
  })
  message.once("end", finish)
  message.once("error", finish)
}

const closedEarly = (): Error =>
  Object.assign(new Error("The connection was closed before there was an answer."), { code: "ECONNRESET" })

/** A success that nobody looks at. Made late: what it is made of is loaded for a call and not before. */
let bare: Response | undefined

type Sent = Readonly<Record<string, string>>

/** What is sent of a head: the package has one for each kind of request, which many requests share. */
const makeSent = () => {
  const known = new WeakMap<Headers, Sent>()
  return (headers: Headers): Sent => {
    const before = known.get(headers)
    if (before !== undefined) return before
    const sent = Object.fromEntries(headers)
    known.set(headers, sent)
    return sent
  }
}

/** Where the last request went, and mostly the next does, as node:http takes it. */
const makePlace = () => {
  let last: { readonly text: string; readonly place: RequestOptions } | undefined
  return (text: string): RequestOptions => {
    if (last?.text !== text) last = { text, place: urlToHttpOptions(new URL(text)) }
    return last.place
  }
}

const watchConnection = (exchange: Exchange, socket: Socket, secure: boolean) => {
  const connected = () => {
    exchange.connected = true
    exchange.onConnected?.()
  }
  if (socket.connecting) socket.once(secure ? "secureConnect" : "connect", connected)
  else connected()
}

/** `init.exchange` names the call; the package hands unknown fetch options through. */
export const makeFetch = (agents: Agents) => {
  const [sent, place] = [makeSent(), makePlace()]
  return (input: string | URL | Request, init?: RequestInit & { readonly exchange?: Exchange }): Promise<Response> =>
    new Promise((resolve, reject) => {
      const exchange = init?.exchange ?? openExchange()
      if (exchange.closed) return reject(new Error("The call was ended before it began."))
      const where = place(input instanceof Request ? input.url : String(input))
      const secure = where.protocol === "https:"
      const given = init?.headers instanceof Headers ? init.headers : new Headers(init?.headers)
      const length = exchange.body.reduce((bytes, chunk) => bytes + chunk.length, 0)
      const headers = length > 0 ? { ...sent(given), "content-length": length } : sent(given)
      const agent = secure ? agents.https : agents.http
      const options = { ...where, method: init?.method ?? "GET", headers, agent }
      const request = secure ? httpsRequest(options) : httpRequest(options)
      exchange.request = request
      request.once("socket", (socket) => watchConnection(exchange, socket, secure))
      // It may be over without an error: node gives up on who changes the protocol unasked.
      const gone = () => reject(closedEarly())
      request.once("response", (message) => {
        request.removeListener("close", gone)
        // A response that dies after its call is over has nobody to tell.
        message.on("error", () => undefined)
        if (!isSuccess(message.statusCode ?? 0)) return refused(message, resolve, reject)
        exchange.message = message
        // Whoever has the message needs nothing of the package any more.
        if (exchange.onMessage !== undefined) {
          exchange.onMessage(message)
          return resolve((bare ??= new Response(null)))
        }
        resolve(new Response(null, { status: message.statusCode === 204 ? 204 : 200, headers: headOf(message) }))
      })
      request.on("error", reject)
      request.once("close", gone)
      // Head and body leave in one write.
      request.cork()
      for (const chunk of exchange.body) request.write(chunk)
      Points.reach("request before")
      request.end(() => Points.reach("request sent"))
    })
}
