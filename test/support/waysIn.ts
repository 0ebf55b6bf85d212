/** The three ways to be connected to a running `claw serve`, by token. Owns: what each is told first, and its end. */
import { connect } from "node:net"
import { Effect } from "effect"
import { claw, type World } from "./e2eProgram.ts"
import type { Ready } from "./e2eServer.ts"

export interface WayIn {
  /** The type of the first event, `stream`, or the code with which it was not let in. */
  readonly said: Promise<string>
  /** Resolves with the last error that it was told, once it is over. */
  readonly over: Promise<string | undefined>
}

/** What is collected as garbage is closed. */
const kept: Array<object> = []

interface Said {
  readonly type: string
  readonly error?: { readonly code: string }
}

const heard = () => {
  const [said, over] = [Promise.withResolvers<string>(), Promise.withResolvers<string | undefined>()]
  let last: string | undefined
  return {
    way: { said: said.promise, over: over.promise } satisfies WayIn,
    take: ({ type, error }: Said) => {
      last = error?.code ?? last
      said.resolve(error?.code ?? type)
    },
    end: () => over.resolve(last)
  }
}

const tcp = ({ tcp: { port } }: Ready, hello: object): WayIn => {
  const { way, take, end } = heard()
  const socket = connect({ port, host: "127.0.0.1" })
  kept.push(socket)
  let rest = ""
  socket.on("error", () => {}).on("close", end)
  socket.setEncoding("utf8").on("data", (data) => {
    const lines = `${rest}${String(data)}`.split("\n")
    rest = lines.pop() ?? ""
    for (const line of lines) take(JSON.parse(line))
  })
  socket.write(`${JSON.stringify(hello)}\n`)
  return way
}

/** No header can be set on Node's own client; `hello` says who it is. */
const ws = ({ http }: Ready, hello: object): WayIn => {
  const { way, take, end } = heard()
  const socket = new WebSocket(`${http.url.replace(/^http/, "ws")}/ws`)
  kept.push(socket)
  socket.addEventListener("open", () => socket.send(JSON.stringify(hello)))
  socket.addEventListener("message", ({ data }) => take(JSON.parse(String(data))))
  socket.addEventListener("close", end)
  return way
}

/** Of session `s`. */
const sse = ({ http }: Ready, hello: object): WayIn => {
  const { token } = hello as { readonly token: string }
  const headers = { authorization: `Bearer ${token}`, accept: "text/event-stream" }
  const response = fetch(`${http.url}/api/sessions/s/events`, { headers })
  kept.push(response)
  const said = response.then(async (got) =>
    got.ok ? "stream" : ((await got.clone().json()) as { readonly code: string }).code
  )
  const over = response.then(async (got) => {
    kept.push(got)
    await got.text().catch(() => "")
    return undefined
  })
  return { said, over }
}

const ways = { tcp, ws, sse }
export type Way = keyof typeof ways
export const welcome: Readonly<Record<Way, string>> = { tcp: "hello", ws: "hello", sse: "stream" }

export const wayIn = (way: Way, ready: Ready, token: string, more: object = {}): WayIn =>
  ways[way](ready, { type: "hello", token, ...more })

/** A member's token, and what it is revoked by. */
export const newToken = Effect.fnUntraced(function* ({ env, workspace: cwd }: World, user: string) {
  const made = yield* claw(["token", "create", "--user", user, "--role", "member", "--json"], { env, cwd })
  return JSON.parse(made.stdout) as { readonly token: string; readonly token_id: string }
})

/** Session `s` of whoever has this token. */
export const makeSession = ({ http }: Ready, token: string) => {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" }
  const asked = { method: "POST", headers, body: '{"session_id":"s"}' }
  return Effect.promise(() => fetch(`${http.url}/api/sessions`, asked))
}
