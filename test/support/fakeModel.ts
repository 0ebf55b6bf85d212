/**
 * A model server on loopback that does what it is told, also badly (STYLE: fake the wire, not the service). Owns: real
 * HTTP and real sockets for the turns of fakeModelScript.ts, a record of every request, latches, and the check that
 * every history it is sent is one that a strict server takes.
 *
 *   const model = yield* FakeModel.make()
 *   model.script(calls([{ name: "read_file", arguments: '{"path":"a"}' }]), text("done"))
 *   … run the program against model.base_url …
 *   assert.deepStrictEqual(model.violations(), [])
 *
 * Turns are taken in the order in which requests arrive; when none is left, the answer is the text "OK".
 * Requests and connections count from 1. Everything ends with the scope.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import { createServer as createTlsServer } from "node:https"
import type { AddressInfo, Socket } from "node:net"
import { Deferred, Effect, FiberSet, type Scope } from "effect"
import { historyViolations } from "./fakeModelHistory.ts"
import { type Answer, type Asked, type Step, type Turn, text } from "./fakeModelScript.ts"

export interface Recorded {
  readonly path: string
  readonly headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
  /** The body as it came, byte for byte. */
  readonly body: string
  readonly messages: ReadonlyArray<Readonly<Record<string, unknown>>>
  /** Which connection it came on: equal numbers mean that it was reused. */
  readonly connection: number
  readonly violations: ReadonlyArray<string>
}

/** How a request's connection or response ended. */
export interface Gone {
  /** False: the client went before the answer was written to its end. */
  readonly writableFinished: boolean
}

export interface FakeModel {
  /** What goes into OPENAI_BASE_URL. */
  readonly base_url: string
  readonly script: (...answers: ReadonlyArray<Answer>) => void
  /** Asked before the script; `undefined` leaves the request to it. */
  readonly rule: (rule: (request: Recorded, nth: number) => Answer | undefined) => void
  /** The models that GET /models lists; `undefined`: there is no such path. */
  readonly models: (ids: ReadonlyArray<string> | undefined) => void
  readonly requests: () => ReadonlyArray<Recorded>
  /** Complaints about all histories so far. Assert that it is empty. */
  readonly violations: () => ReadonlyArray<string>
  /** Waits for the nth request, whole. */
  readonly arrived: (nth: number) => Effect.Effect<Recorded>
  /** Waits until the nth request's response is over, by either side. */
  readonly gone: (nth: number) => Effect.Effect<Gone>
  readonly openSockets: () => number
  /** Waits until no client is connected. */
  readonly deserted: Effect.Effect<void>
}

/** One latch for each number, made by whoever asks first. */
type Latches<A> = Map<number, Deferred.Deferred<A>>

const latchAt = <A>(latches: Latches<A>, nth: number): Deferred.Deferred<A> => {
  const latch = latches.get(nth) ?? Deferred.makeUnsafe<A>()
  latches.set(nth, latch)
  return latch
}

const open = <A>(latches: Latches<A>, nth: number, value: A) =>
  void Deferred.doneUnsafe(latchAt(latches, nth), Effect.succeed(value))

/** In real time, whatever clock the test has. */
const pause = (ms: number): Effect.Effect<void> =>
  Effect.callback((resume) => {
    const timer = setTimeout(() => resume(Effect.void), ms)
    return Effect.sync(() => clearTimeout(timer))
  })

const onWrite = (response: ServerResponse, bytes: string | Uint8Array): Effect.Effect<void> =>
  Effect.callback((resume) => {
    response.write(bytes, () => resume(Effect.void))
  })

const play = (step: Step, response: ServerResponse): Effect.Effect<void> => {
  if (step === "end") return Effect.sync(() => void response.end())
  if (step === "reset") return Effect.sync(() => void response.socket?.resetAndDestroy())
  if (step === "hang") return Effect.never
  if (typeof step === "string" || step instanceof Uint8Array) return onWrite(response, step)
  return "gap_ms" in step ? pause(step.gap_ms) : Effect.asVoid(step.until)
}

const perform = Effect.fnUntraced(function* (turn: Turn, response: ServerResponse) {
  if (turn.before === "reset") return void response.socket?.resetAndDestroy()
  if (turn.before === "hang") return yield* Effect.never
  response.writeHead(turn.status ?? 200, { ...turn.headers })
  response.flushHeaders()
  yield* Effect.forEach(turn.steps ?? [], (step) => play(step, response), { discard: true })
  if (!response.writableEnded && !response.destroyed) response.end()
})

const bodyOf = (request: IncomingMessage): Effect.Effect<string> =>
  Effect.callback((resume) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => void chunks.push(chunk))
    request.once("end", () => resume(Effect.succeed(Buffer.concat(chunks).toString("utf8"))))
  })

const parsed = (body: string): Readonly<Record<string, unknown>> => {
  try {
    return JSON.parse(body) as Readonly<Record<string, unknown>>
  } catch {
    return {}
  }
}

const listen = (server: Server, scheme: "http" | "https"): Effect.Effect<string> =>
  Effect.callback((resume) => {
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo
      resume(Effect.succeed(`${scheme}://127.0.0.1:${port}/v1`))
    })
  })

const closeServer = (server: Server): Effect.Effect<void> =>
  Effect.callback((resume) => {
    server.close(() => resume(Effect.void))
    server.closeAllConnections()
  })

interface State {
  readonly requests: Array<Recorded>
  readonly arrived: Latches<Recorded>
  readonly gone: Latches<Gone>
  readonly queue: Array<Answer>
  readonly sockets: Map<Socket, number>
  readonly emptied: Set<() => void>
  rule: (request: Recorded, nth: number) => Answer | undefined
  models: ReadonlyArray<string> | undefined
  connections: number
}

const record = (state: State, request: IncomingMessage, body: string): Recorded => {
  const value = parsed(body)
  return {
    path: request.url ?? "",
    headers: request.headers,
    body,
    messages: Array.isArray(value.messages) ? value.messages : [],
    connection: state.sockets.get(request.socket) ?? 0,
    violations: historyViolations(value)
  }
}

const modelList = (state: State, response: ServerResponse): Effect.Effect<void> => {
  const { models } = state
  const found = { object: "list", data: models?.map((id) => ({ id, object: "model" })) }
  const body = JSON.stringify(models === undefined ? { error: { message: "Not found" } } : found)
  return perform(
    { status: models === undefined ? 404 : 200, headers: { "content-type": "application/json" }, steps: [body] },
    response
  )
}

const handle = Effect.fnUntraced(function* (state: State, request: IncomingMessage, response: ServerResponse) {
  if (request.method === "GET") return yield* modelList(state, response)
  const body = yield* bodyOf(request)
  const recorded = record(state, request, body)
  const nth = state.requests.push(recorded)
  const over = Effect.callback<void>((resume) => {
    response.once("close", () => {
      open(state.gone, nth, { writableFinished: response.writableFinished })
      resume(Effect.void)
    })
  })
  const answer = state.rule(recorded, nth) ?? state.queue.shift() ?? text("OK")
  const asked: Asked = { stream: parsed(body).stream === true, messages: recorded.messages }
  open(state.arrived, nth, recorded)
  // A client that went away ends the turn, so that a scripted hang leaves nothing behind.
  yield* Effect.raceFirst(
    over,
    Effect.andThen(perform(typeof answer === "function" ? answer(asked) : answer, response), over)
  )
})

const track = (state: State, socket: Socket) => {
  state.sockets.set(socket, ++state.connections)
  socket.once("close", () => {
    state.sockets.delete(socket)
    if (state.sockets.size > 0) return
    for (const wake of state.emptied) wake()
    state.emptied.clear()
  })
}

const deserted = (state: State): Effect.Effect<void> =>
  Effect.callback((resume) => {
    if (state.sockets.size === 0) return resume(Effect.void)
    const wake = () => resume(Effect.void)
    state.emptied.add(wake)
    return Effect.sync(() => void state.emptied.delete(wake))
  })

export interface Options {
  /** Serves HTTPS with this certificate. */
  readonly tls?: { readonly key: string; readonly cert: string }
}

export const make = (options: Options = {}): Effect.Effect<FakeModel, never, Scope.Scope> =>
  Effect.gen(function* () {
    const state: State = {
      requests: [],
      arrived: new Map(),
      gone: new Map(),
      queue: [],
      sockets: new Map(),
      emptied: new Set(),
      rule: () => undefined,
      models: ["fake-model"],
      connections: 0
    }
    const settings = { noDelay: true, keepAliveTimeout: 60_000 }
    const { tls } = options
    const server: Server = tls === undefined ? createServer(settings) : createTlsServer({ ...settings, ...tls })
    const fork = yield* FiberSet.makeRuntime()
    server.on("request", (request, response) => void fork(handle(state, request, response)))
    // Requests come on the TLS socket, not on the one beneath it.
    server.on(tls === undefined ? "connection" : "secureConnection", (socket: Socket) => track(state, socket))
    const scheme = tls === undefined ? "http" : "https"
    const base_url = yield* Effect.acquireRelease(listen(server, scheme), () => closeServer(server))
    return {
      base_url,
      script: (...answers) => void state.queue.push(...answers),
      rule: (rule) => void (state.rule = rule),
      models: (ids) => void (state.models = ids),
      requests: () => [...state.requests],
      violations: () => state.requests.flatMap(({ violations }, i) => violations.map((v) => `request ${i + 1}: ${v}`)),
      arrived: (nth) => Deferred.await(latchAt(state.arrived, nth)),
      gone: (nth) => Deferred.await(latchAt(state.gone, nth)),
      openSockets: () => state.sockets.size,
      deserted: deserted(state)
    }
  })
