/** Whatever way somebody comes, its connections are counted together: TCP, WebSocket, event stream (R233, R237). */
import { connect } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { claw, SIDE_BY_SIDE, world } from "../support/e2eProgram.ts"
import { type Ready, served } from "../support/e2eServer.ts"

const FULL = "too_many_connections"
/** What is collected as garbage is closed. */
const kept: Array<object> = []

/** The first word of each way in: what it was let in with, or the code with which it was not. It stays open. */
const ways: Readonly<Record<string, (ready: Ready, token: string) => Promise<string>>> = {
  tcp: ({ tcp }, token) =>
    new Promise((resolve) => {
      const socket = connect({ port: tcp.port, host: "127.0.0.1" })
      kept.push(socket)
      socket.on("error", () => {})
      socket.setEncoding("utf8").once("data", (line) => {
        const { type, error } = JSON.parse(String(line).split("\n", 1)[0] ?? "")
        resolve(error?.code ?? type)
      })
      socket.write(`${JSON.stringify({ type: "hello", token })}\n`)
    }),
  // No header can be set on Node's own client; `hello` says who it is.
  ws: ({ http }, token) =>
    new Promise((resolve) => {
      const socket = new WebSocket(`${http.url.replace(/^http/, "ws")}/ws`)
      kept.push(socket)
      socket.addEventListener("open", () => socket.send(JSON.stringify({ type: "hello", token })))
      socket.addEventListener("message", ({ data }) => {
        const { type, error } = JSON.parse(String(data))
        resolve(error?.code ?? type)
      })
    }),
  sse: async ({ http }, token) => {
    const headers = { authorization: `Bearer ${token}`, accept: "text/event-stream" }
    const response = await fetch(`${http.url}/api/sessions/s/events`, { headers })
    kept.push(response)
    return response.ok ? "stream" : ((await response.json()) as { readonly code: string }).code
  }
}
const welcome = { tcp: "hello", ws: "hello", sse: "stream" } as const
type Way = keyof typeof welcome

describe("connections of one principal", SIDE_BY_SIDE, () => {
  const orders: ReadonlyArray<readonly [Way, Way, Way]> = [
    ["tcp", "ws", "sse"],
    ["sse", "tcp", "ws"],
    ["ws", "sse", "tcp"]
  ]
  for (const order of orders) {
    it.live(`have two places, whichever they are: ${order.join(", ")}`, () =>
      Effect.gen(function* () {
        const at = yield* world()
        const token = Effect.fnUntraced(function* (user: string) {
          const made = yield* claw(["token", "create", "--user", user, "--role", "member", "--json"], {
            env: at.env,
            cwd: at.workspace
          })
          return (JSON.parse(made.stdout) as { readonly token: string }).token
        })
        const [ann, bob] = [yield* token("ann"), yield* token("bob")]
        const { ready } = yield* served(at, [], { CLAW_LIMIT_CONNECTIONS_PER_PRINCIPAL: "2" })
        const headers = { authorization: `Bearer ${ann}`, "content-type": "application/json" }
        yield* Effect.promise(() =>
          fetch(`${ready.http.url}/api/sessions`, { method: "POST", headers, body: '{"session_id":"s"}' })
        )
        const said = (way: Way, who: string) => Effect.promise(() => ways[way]?.(ready, who) ?? Promise.reject())
        const [first, second, third] = order
        assert.strictEqual(yield* said(first, ann), welcome[first])
        assert.strictEqual(yield* said(second, ann), welcome[second])
        for (const way of order) assert.strictEqual(yield* said(way, ann), FULL, way)
        if (third !== "sse") assert.strictEqual(yield* said(third, bob), welcome[third])
      }).pipe(Effect.scoped)
    )
  }
})
