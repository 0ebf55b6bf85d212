/** Two servers, or a server and a terminal, over one store: a session has one process (SETTLED 16, LESSONS 47). */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { claw, SIDE_BY_SIDE, world } from "../support/e2eProgram.ts"
import { nodeSocket, served } from "../support/e2eServer.ts"
import { calls, text } from "../support/fakeModelScript.ts"

const ask = Effect.fnUntraced(function* (url: string, method: string, path: string, body?: object) {
  const sent = body === undefined ? {} : { body: JSON.stringify(body), headers: { "content-type": "application/json" } }
  const response = yield* Effect.promise(() => fetch(`${url}${path}`, { method, ...sent }))
  const told = yield* Effect.promise(() => response.text())
  return { status: response.status, json: told === "" ? undefined : JSON.parse(told) }
})

describe("two servers over one store", SIDE_BY_SIDE, () => {
  it.live("the other one removes nothing of a session, and reads it; a dead one's session is anybody's", () =>
    Effect.gen(function* () {
      const here = yield* world()
      here.model.script(calls([{ id: "c", name: "bash", arguments: JSON.stringify({ command: "true" }) }]))
      const mine = yield* served(here)
      const theirs = yield* served(here)
      const other = theirs.ready.http.url
      const socket = yield* nodeSocket(mine.ready.http.url)
      socket.send({ type: "hello", session_id: "s" })
      socket.send({ type: "prompt", content: "first" })
      yield* socket.event("approval_request")

      const refused = yield* ask(other, "DELETE", "/api/sessions/s")
      assert.deepStrictEqual([refused.status, refused.json.code], [409, "session_moved"])
      const used = yield* ask(other, "GET", "/api/usage")
      assert.deepStrictEqual(
        used.json.sessions.map((one: { readonly session_id: string }) => one.session_id),
        ["s"]
      )
      assert.strictEqual((yield* ask(other, "GET", "/api/audit?session=s")).status, 200)
      const fork = yield* ask(other, "POST", "/api/sessions/s/fork", { session_id: "copy" })
      assert.deepStrictEqual([fork.status, fork.json.state, fork.json.queue_paused], [201, "idle", false])

      const request = socket.events.find(({ type }) => type === "approval_request")
      here.model.script(text("still here"))
      socket.send({ type: "approval_response", request_id: request?.["request_id"], decision: "allow_once" })
      yield* socket.event("task_completed")

      const terminal = yield* claw(["run", "--session", "s", "me too"], { env: here.env, cwd: here.workspace })
      assert.match(terminal.stderr, /session_moved/)
      mine.running.signal("SIGKILL")
      yield* mine.running.ended
      assert.strictEqual((yield* ask(other, "DELETE", "/api/sessions/s")).status, 204)
      assert.strictEqual((yield* ask(other, "GET", "/api/sessions/s")).status, 404)
      assert.deepStrictEqual(here.model.violations(), [])
    }).pipe(Effect.scoped)
  )

  it.live("the other one shows what is stored, who has the session, and what comes; it writes nothing", () =>
    Effect.gen(function* () {
      const here = yield* world()
      here.model.script(calls([{ id: "c", name: "bash", arguments: JSON.stringify({ command: "true" }) }]))
      const mine = yield* served(here)
      const other = (yield* served(here)).ready.http.url
      const socket = yield* nodeSocket(mine.ready.http.url)
      socket.send({ type: "hello", session_id: "s" })
      socket.send({ type: "prompt", content: "first" })
      const asked = yield* socket.event("approval_request")
      const holder = `process ${mine.running.child.pid}`

      const shown = yield* ask(other, "GET", "/api/sessions/s")
      assert.deepStrictEqual(
        [shown.status, shown.json.held_by, shown.json.state, shown.json.position],
        [200, holder, "waiting_approval", asked["seq"]]
      )
      assert.strictEqual(shown.json.pending_approvals[0].request_id, asked["request_id"])
      const page = yield* Effect.promise(() =>
        fetch(`${other}/api/sessions/s/events?after=1`, { headers: { accept: "application/json" } })
      )
      assert.deepStrictEqual([page.status, page.headers.get("x-held-by")], [200, holder])
      const events = (yield* Effect.promise(() => page.json())) as { events: ReadonlyArray<{ seq: number }> }
      assert.deepStrictEqual([events.events[0]?.seq, events.events.at(-1)?.seq], [2, asked["seq"]])
      assert.strictEqual((yield* ask(other, "GET", "/api/sessions/s/events?after=99")).json.code, "position_ahead")
      const refused = yield* ask(other, "POST", "/api/sessions/s/prompt", { content: "mine" })
      assert.deepStrictEqual([refused.status, refused.json.code], [409, "session_moved"])
      assert.include(refused.json.detail, holder)

      const stream = yield* Effect.promise(() =>
        fetch(`${other}/api/sessions/s/events`, { headers: { accept: "text/event-stream", "last-event-id": "2" } })
      )
      here.model.script(text("still here"))
      socket.send({ type: "approval_response", request_id: asked["request_id"], decision: "allow_once" })
      const end = yield* socket.event("task_completed")
      const told = yield* Effect.promise(async () => {
        let all = ""
        for await (const part of stream.body!.pipeThrough(new TextDecoderStream())) {
          all += part
          if (all.includes('"type":"task_completed"')) return all
        }
        return all
      })
      const seqs = Array.from(told.matchAll(/^id: (\d+)$/gm), ([, seq]) => Number(seq))
      assert.deepStrictEqual(
        seqs,
        Array.from({ length: Number(end["seq"]) - 2 }, (_, n) => n + 3)
      )
      assert.include(told, `"held_by":"${holder}"`)
    }).pipe(Effect.scoped)
  )
})
