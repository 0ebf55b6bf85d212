/** What `claw serve --json` says of its life: one line each, found again by ids, without tokens and prompts (R263, R272). */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schedule } from "effect"
import { KEY, SIDE_BY_SIDE, world } from "../support/e2eProgram.ts"
import { nodeSocket, served, typesFrom } from "../support/e2eServer.ts"
import { text } from "../support/fakeModelScript.ts"

const PROMPT = "what-is-in-my-diary"
const WRONG = "claw_wrong-token-of-somebody"

type Line = Readonly<Record<string, unknown>>

/** Lines of this message, without what changes from run to run. */
const said = (lines: ReadonlyArray<Line>, message: string) =>
  lines.filter((line) => line["message"] === message).map(({ ts: _, ms: _ms, message: _message, ...rest }) => rest)

const waitFor = (done: () => boolean) =>
  Effect.retry(
    Effect.suspend(() => (done() ? Effect.void : Effect.fail("not yet"))),
    Schedule.spaced(20)
  )

const post = (url: string, body: unknown, token: string | undefined, id: string) =>
  Effect.promise(async () => {
    const response = await fetch(url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        "x-request-id": id,
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` })
      },
      body: JSON.stringify(body)
    })
    return response.status
  })

describe("the log of claw serve", SIDE_BY_SIDE, () => {
  it.live("has a line for connections, tasks, refusals and the end, by session, task, request, transport, code", () =>
    Effect.gen(function* () {
      const at = yield* world()
      at.model.script(text("hello there", 3))
      const { ready, running, logs } = yield* served(at, [])
      const { url } = ready.http
      const token = ready.token ?? ""
      const socket = yield* nodeSocket(url)
      socket.send({ type: "hello", token, session_id: "mine" })
      socket.send({ type: "prompt", content: PROMPT })
      const { task_id } = yield* socket.event("task_started")
      yield* socket.event("task_completed")
      const wrong = yield* nodeSocket(url)
      wrong.send({ type: "hello", token: WRONG })
      yield* wrong.closed
      const silent = yield* nodeSocket(url)
      silent.send({ type: "prompt", content: PROMPT })
      yield* silent.closed
      yield* typesFrom(`printf '{"type":"ping"}\\n' | nc -N 127.0.0.1 ${ready.tcp.port}`, {})
      assert.strictEqual(yield* post(`${url}/api/sessions/none/prompt`, { content: PROMPT }, token, "r-1"), 404)
      assert.strictEqual(yield* post(`${url}/api/sessions/mine/prompt`, { content: PROMPT }, WRONG, "r-2"), 401)
      // What a test waits for is that they are gone, which only their lines tell.
      yield* waitFor(() => said(logs(), "a connection was closed").length === 3)
      running.signal("SIGTERM")
      const { code, stdout, stderr } = yield* running.ended
      assert.strictEqual(code, 0)

      const ws = { level: "info", transport: "ws" }
      const opened = said(logs(), "a connection was opened")
      assert.deepStrictEqual(
        opened.map(({ address: _, ...rest }) => rest),
        [ws, ws, ws, { level: "info", transport: "tcp" }]
      )
      assert.deepStrictEqual(said(logs(), "a connection was closed"), [
        { ...ws, by: "server", close: 4401, code: "unauthenticated" },
        { ...ws, by: "server", close: 4401, code: "unauthenticated" },
        { level: "info", transport: "tcp", by: "server", close: 4401, code: "unauthenticated" },
        { ...ws, by: "server", close: 1001, code: "server_draining", session_id: "mine" }
      ])
      const task = { level: "info", session_id: "mine", task_id }
      const began = said(logs(), "a task began").map(({ transport: _, ...rest }) => rest)
      assert.deepStrictEqual(began, [{ ...task, waits: false }])
      const ended = said(logs(), "a task ended").map(({ transport: _, ...rest }) => rest)
      assert.deepStrictEqual(ended, [{ ...task, outcome: "completed" }])
      const reason = "no such token, or it has ended"
      const refused = { level: "warn", address: "127.0.0.1", code: "unauthenticated" }
      assert.deepStrictEqual(said(logs(), "a token was refused"), [
        { ...refused, transport: "ws", reason },
        { ...refused, request_id: "r-2", session_id: "mine", reason }
      ])
      assert.deepStrictEqual(
        said(logs(), "a connection did not sign in").map(({ transport }) => transport),
        ["ws", "tcp"]
      )
      const route = "/api/sessions/:session_id/prompt"
      assert.deepStrictEqual(
        said(logs(), "http request").map(({ request_id, session_id, status, code: why, route: of }) => ({
          request_id,
          session_id,
          status,
          why,
          of
        })),
        [
          { request_id: "r-1", session_id: "none", status: 404, why: "session_not_found", of: route },
          { request_id: "r-2", session_id: "mine", status: 401, why: "unauthenticated", of: route }
        ]
      )
      assert.deepStrictEqual(said(logs(), "The server drains.").length, 1)
      assert.deepStrictEqual(said(logs(), "The server has drained."), [{ level: "info" }])
      const after = stdout.slice(stdout.indexOf("\n")) + stderr
      for (const secret of [token, KEY, WRONG, PROMPT]) assert.notInclude(after, secret)
    }).pipe(Effect.scoped)
  )

  it.live("says why a prompt was not taken, of its session and connection", () =>
    Effect.gen(function* () {
      const at = yield* world()
      at.model.script(text("hello there", 3))
      const { ready, logs } = yield* served(at, ["--no-auth"], { CLAW_LIMIT_PROMPTS_PER_MINUTE: "1" })
      const socket = yield* nodeSocket(ready.http.url)
      socket.send({ type: "hello", session_id: "mine" })
      socket.send({ type: "prompt", content: PROMPT })
      socket.send({ type: "prompt", content: PROMPT })
      yield* socket.event("error")
      yield* waitFor(() => said(logs(), "prompt was refused").length > 0)
      assert.deepStrictEqual(said(logs(), "prompt was refused"), [
        { level: "info", transport: "ws", session_id: "mine", code: "rate_limited" }
      ])
    }).pipe(Effect.scoped)
  )
})
