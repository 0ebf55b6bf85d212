/** Lists over all sessions, for the console (issue 6; R245, R246, R250, R252): named, put aside, found, waiting, read backwards. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { CallId, RequestId, StreamId, TaskId } from "../../src/domain/Ids.ts"
import type { SessionKey } from "../../src/domain/Principal.ts"
import { Journal, type JournalRecord } from "../../src/store/Journal.ts"
import { SessionIndex } from "../../src/store/SessionIndex.ts"
import { answer, call, turns } from "../support/engineKit.ts"
import { type Http, type Json, layer, serve } from "../support/httpKit.ts"
import { meta, publicRecord, record, run } from "../support/storeRecords.ts"
import { probe } from "../support/tools.ts"

const at = { as: "member" }
const asks = () => turns(answer("", [call("c1", "probe", { n: 1 })]), answer("ok"))
const kit = () => layer({ script: asks, tools: [probe({ risk: "mutating" }).tool] }, { mode: "ask" })

const made = Effect.fnUntraced(function* (http: Http, session_id: string, title?: string) {
  const body = { session_id, ...(title === undefined ? {} : { title }) }
  yield* http.ask("POST", "/api/sessions", { ...at, body })
})

/** A session whose task waits for an answer. */
const asking = Effect.fnUntraced(function* (http: Http, id: string, content: string) {
  yield* made(http, id)
  const events = yield* http.events(`/api/sessions/${id}/events`, at)
  yield* http.ask("POST", `/api/sessions/${id}/prompt`, { ...at, body: { content } })
  return yield* events.until((event) => event.type === "approval_request")
})

const listed = (http: Http, query: string, as = "member") =>
  Effect.map(http.ask("GET", `/api/sessions${query}`, { as }), ({ json }): ReadonlyArray<Json> => json.sessions)
/** As long as an id may be. */
const LONG = "L".repeat(128)
const ids = (sessions: ReadonlyArray<Json>) => new Set(sessions.map(({ session_id }) => session_id))

/** Ann's, as another process left it or has it. */
const elsewhere = Effect.fnUntraced(function* (id: string, records: ReadonlyArray<JournalRecord>) {
  const [index, journal] = [yield* SessionIndex, yield* Journal]
  const owner = { tenant: "acme", project: "p", user: "ann" }
  yield* index.for(owner).create(meta(id, { owner }))
  const key = `acme/p/ann/${id}` as SessionKey
  const { epoch } = yield* journal.claim(key, "another")
  yield* journal.append(key, epoch, records)
})

const turn = { task_id: TaskId.make("task_1"), turn: 1 }
const called = { ...turn, call_id: CallId.make("c"), tool_name: "bash", content: "{}", risk: "mutating" } as const
const request = { request_id: RequestId.make("req_there"), kind: "tool", reason: "runs it", grant_options: [] } as const

/** A task that waits for an answer. */
const asked = [
  publicRecord(1, 1),
  record(2, 2, {
    type: "text_completed",
    ...turn,
    stream_id: StreamId.make("str_1"),
    content: "",
    finish_reason: "tool_calls"
  }),
  record(3, 3, { type: "tool_call", ...called }),
  record(4, 4, { type: "approval_request", ...called, ...request })
]

describe("sessions in a list", () => {
  it.live("say what they do and how many questions wait, also one that another process has", () =>
    Effect.gen(function* () {
      const http = yield* serve()
      yield* made(http, "idle", "Idle")
      const { request_id } = yield* asking(http, "here", "go on with the heron")
      yield* elsewhere("there", asked)
      yield* elsewhere("stopped", [publicRecord(1, 1)])
      const sessions = yield* listed(http, "")
      const told = new Map(
        sessions.map(({ session_id, state, pending_approvals }) => [session_id, [state, pending_approvals]])
      )
      assert.deepStrictEqual(
        told,
        new Map([
          ["here", ["waiting_approval", 1]],
          ["idle", ["idle", 0]],
          ["stopped", ["waiting_response", 0]],
          ["there", ["waiting_approval", 1]]
        ])
      )
      const idle = sessions.find(({ session_id }) => session_id === "idle")
      const { created_at, updated_at, ...rest } = idle
      assert.isTrue(created_at <= updated_at)
      assert.deepStrictEqual(rest, {
        session_id: "idle",
        workspace: "/",
        title: "Idle",
        mode: "ask",
        archived: false,
        state: "idle",
        pending_approvals: 0
      })
      const all = (yield* http.ask("GET", "/api/approvals", { as: "viewer" })).json.approvals
      assert.deepStrictEqual(
        all.map((one: Json) => [one.session_id, one.title, one.workspace, one.request_id]),
        [
          ["here", "go on with the heron", "/", request_id],
          ["there", "title of there", "/home/ada/project", "req_there"]
        ]
      )
      assert.deepStrictEqual((yield* http.ask("GET", "/api/approvals", { as: "eve" })).json, { approvals: [] })
      assert.strictEqual((yield* http.ask("GET", "/api/approvals")).json.code, "unauthenticated")
    }).pipe(Effect.scoped, Effect.provide(kit()))
  )

  it.live("move up as a task begins, and again as it ends: what ended unseen is news (R245)", () =>
    Effect.gen(function* () {
      const http = yield* serve()
      const { request_id } = yield* asking(http, "here", "go on with the heron")
      const moved = Effect.map(listed(http, ""), ([one]) => one.updated_at as string)
      yield* Effect.sleep(50)
      const begun = yield* moved
      const body = { decision: "deny" }
      const { status } = yield* http.ask("POST", `/api/sessions/here/approvals/${request_id}`, { as: "approver", body })
      assert.isBelow(status, 300)
      while ((yield* moved) === begun) yield* Effect.sleep(5)
      assert.isTrue((yield* moved) > begun)
    }).pipe(Effect.scoped, Effect.provide(kit()))
  )

  it.live("are named and put aside, for whoever may prompt, and found by name and first prompt", () =>
    Effect.gen(function* () {
      const http = yield* serve()
      const change = (id: string, body: object, as = "member") => http.ask("PATCH", `/api/sessions/${id}`, { as, body })
      yield* asking(http, "a", "look after the Gray HERON\nby the pond")
      yield* made(http, "b", "Bittern")
      yield* made(http, "c", "Crane")
      const named = yield* change("a", { title: "Wading birds" })
      assert.deepStrictEqual(
        [named.status, named.json.title, named.json.archived, named.json.state],
        [200, "Wading birds", false, "waiting_approval"]
      )
      assert.strictEqual((yield* http.ask("GET", "/api/sessions/a", at)).json.title, "Wading birds")
      assert.strictEqual((yield* change("b", { archived: true, title: "Bitterns" })).json.archived, true)
      assert.strictEqual((yield* http.ask("GET", "/api/sessions/b", at)).json.archived, true)
      assert.deepStrictEqual(ids(yield* listed(http, "")), new Set(["a", "c"]))
      assert.deepStrictEqual(ids(yield* listed(http, "?archived=true")), new Set(["a", "b", "c"]))
      assert.deepStrictEqual(ids(yield* listed(http, "?archived=only")), new Set(["b"]))
      assert.deepStrictEqual(ids(yield* listed(http, "?q=by%20the%20POND")), new Set(["a"]))
      assert.deepStrictEqual(ids(yield* listed(http, "?q=wading")), new Set(["a"]))
      assert.deepStrictEqual(ids(yield* listed(http, "?q=bitterns")), new Set([]))
      assert.deepStrictEqual(ids(yield* listed(http, "?q=bitterns&archived=true")), new Set(["b"]))
      yield* change("b", { archived: false })
      assert.deepStrictEqual(ids(yield* listed(http, "?q=bitterns")), new Set(["b"]))
      assert.isUndefined((yield* http.ask("GET", "/api/sessions/b", at)).json.archived)
      const wrong = [
        [yield* change("none", { archived: true }), 404, "session_not_found"],
        [yield* change("a", { archived: true }, "eve"), 404, "session_not_found"],
        [yield* change("a", { archived: true }, "approver"), 403, "forbidden"],
        [yield* change("a", {}), 400, "bad_message"],
        [yield* change("a", { archived: "yes" }), 400, "bad_message"],
        [yield* http.ask("GET", "/api/sessions?archived=maybe", at), 400, "bad_message"]
      ] as const
      for (const [{ status, json }, expected, code] of wrong)
        assert.deepStrictEqual([status, json.code], [expected, code])
      const copy = yield* http.ask("POST", "/api/sessions/b/fork", { ...at, body: { session_id: "d" } })
      assert.strictEqual(copy.status, 201)
    }).pipe(Effect.scoped, Effect.provide(kit()))
  )

  it.live("who may not set a mode does not come by it with a copy; who may keeps it (R273)", () =>
    Effect.gen(function* () {
      const http = yield* serve()
      const body = { session_id: "free", mode: "accept-edits" }
      assert.strictEqual((yield* http.ask("POST", "/api/sessions", { ...at, body })).status, 201)
      const copied = Effect.fnUntraced(function* (as: string, session_id: string) {
        const { json } = yield* http.ask("POST", "/api/sessions/free/fork", { as, body: { session_id } })
        return json.mode
      })
      assert.deepStrictEqual([yield* copied("requester", "r"), yield* copied("member", "m")], ["ask", "accept-edits"])
    }).pipe(Effect.scoped, Effect.provide(kit()))
  )

  it.live("each is there under its address, also with the longest id; one that no address can name is none", () =>
    Effect.gen(function* () {
      const http = yield* serve()
      yield* made(http, LONG)
      const paths = ["", "/approvals", "/history", "/checkpoints", "/grants"].map(
        (path) => `/api/sessions/${LONG}${path}`
      )
      const answers = yield* Effect.forEach(paths, (path) => http.ask("GET", path, at))
      const status = yield* http.ask("DELETE", `/api/sessions/${LONG}`, at)
      const refused = yield* Effect.forEach([`${LONG}L`, ".", ".."], (session_id) =>
        http.ask("POST", "/api/sessions", { ...at, body: { session_id } })
      )
      assert.deepStrictEqual(
        [...answers, status, ...refused].map((answer) => answer.status),
        [200, 200, 200, 200, 200, 204, 400, 400, 400]
      )
    }).pipe(Effect.scoped, Effect.provide(kit()))
  )

  it.live("a copy of one that was put aside is not", () =>
    Effect.gen(function* () {
      const http = yield* serve()
      yield* made(http, "a", "A")
      yield* http.ask("PATCH", "/api/sessions/a", { ...at, body: { archived: true } })
      yield* http.ask("POST", "/api/sessions/a/fork", { ...at, body: { session_id: "copy" } })
      assert.deepStrictEqual(ids(yield* listed(http, "")), new Set(["copy"]))
    }).pipe(Effect.scoped, Effect.provide(kit()))
  )

  it.live("a new one may be made where the caller has some, in the modes that it may choose", () =>
    Effect.gen(function* () {
      const http = yield* serve()
      yield* http.ask("POST", "/api/sessions", { as: "admin", body: { workspace: "/usr" } })
      const options = (as: string) => Effect.map(http.ask("GET", "/api/options", { as }), ({ json }) => json)
      const all = { workspace: "/", workspaces: ["/", "/usr"], any_workspace: true, mode: "ask" }
      assert.deepStrictEqual(yield* options("admin"), { ...all, modes: ["ask", "accept-edits", "plan", "never-ask"] })
      assert.deepStrictEqual(yield* options("requester"), {
        ...all,
        any_workspace: false,
        modes: ["ask", "plan", "never-ask"]
      })
    }).pipe(Effect.scoped, Effect.provide(kit()))
  )
})

describe("a session read backwards", () => {
  it.live("comes page by page to its first fact, each fact once, and opens nothing", () =>
    Effect.gen(function* () {
      const http = yield* serve()
      yield* elsewhere("s", run(0, 25))
      const page = (query: string) => http.ask("GET", `/api/sessions/s/history${query}`, at)
      const pages: Array<ReadonlyArray<Json>> = []
      for (let before: number | undefined; ;) {
        const { json } = yield* page(`?limit=10${before === undefined ? "" : `&before=${before}`}`)
        assert.strictEqual(json.damaged, 0)
        pages.unshift(json.events)
        before = json.next_before
        if (before === undefined) break
      }
      const events = pages.flat()
      const stored = run(0, 25).map(({ seq, event_id, ts, body }) => ({
        v: 1,
        session_id: "s",
        seq,
        event_id,
        ts,
        ...body
      }))
      assert.deepStrictEqual(events, stored)
      assert.deepStrictEqual((yield* page("?before=1")).json, { events: [], damaged: 0 })
      const wrong = [yield* page("?before=0"), yield* page("?before=x"), yield* page("?limit=1001")]
      for (const { status, json } of wrong) assert.deepStrictEqual([status, json.code], [400, "bad_message"])
      const foreign = yield* http.ask("GET", "/api/sessions/s/history", { as: "eve" })
      assert.deepStrictEqual([foreign.status, foreign.json.code], [404, "session_not_found"])
      assert.strictEqual((yield* http.ask("GET", "/api/sessions/s/history", { as: "viewer" })).status, 200)
    }).pipe(Effect.scoped, Effect.provide(kit()))
  )
})
