/** Sessions over HTTP: each route's ordinary way, as a client sees it. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { answer, call, turns } from "../support/engineKit.ts"
import { type Json, layer, serve } from "../support/httpKit.ts"
import { probe } from "../support/tools.ts"

const quick = () => layer({ script: () => turns(answer("hello")) })
const at = { as: "member" }

describe("sessions over HTTP", () => {
  it.live("are made, listed, shown and removed", () =>
    Effect.gen(function* () {
      const http = yield* serve()
      const made = yield* http.ask("POST", "/api/sessions", { ...at, body: { title: "One", mode: "plan" } })
      assert.strictEqual(made.status, 201)
      const { ts, ...status } = made.json
      assert.match(ts, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
      assert.deepStrictEqual(status, {
        type: "status",
        v: 1,
        session_id: "http-channel-session-1",
        title: "One",
        workspace: "/",
        mode: "plan",
        model: "scripted",
        state: "idle",
        pending_approvals: [],
        queue: [],
        queue_paused: false,
        position: 0,
        counters: { tasks: 0, usage: { input_tokens: 0, output_tokens: 0 }, attached: 0, damaged: 0 }
      })
      const chosen = yield* http.ask("POST", "/api/sessions", { ...at, body: { session_id: "mine", title: "Two" } })
      assert.strictEqual(chosen.json.session_id, "mine")
      const again = yield* http.ask("POST", "/api/sessions", { ...at, body: { session_id: "mine" } })
      assert.deepStrictEqual([again.status, again.json.code], [409, "session_exists"])
      const found = yield* http.ask("GET", "/api/sessions?q=TWO", at)
      assert.deepStrictEqual(
        found.json.sessions.map((one: Json) => one.session_id),
        ["mine"]
      )
      assert.strictEqual((yield* http.ask("GET", "/api/sessions/mine", at)).json.title, "Two")
      assert.strictEqual((yield* http.ask("DELETE", "/api/sessions/mine", at)).status, 204)
      assert.strictEqual((yield* http.ask("GET", "/api/sessions/mine", at)).json.code, "session_not_found")
    }).pipe(Effect.scoped, Effect.provide(quick()))
  )

  it.live("are made where the caller may make one: a refusal says neither a path nor whether there is one", () =>
    Effect.gen(function* () {
      const http = yield* serve()
      const make = (as: string, workspace: string) => http.ask("POST", "/api/sessions", { as, body: { workspace } })
      const told = [yield* make("member", "/nowhere"), yield* make("requester", "/etc/passwd")]
      for (const { status, json } of told) {
        assert.deepStrictEqual([status, json.code, json.detail], [403, "forbidden", "This is not allowed for you."])
      }
      assert.strictEqual((yield* make("admin", "/nowhere")).json.code, "workspace_unreadable")
      assert.strictEqual((yield* make("member", "/usr/../usr/./lib/..")).json.workspace, "/usr")
    }).pipe(Effect.scoped, Effect.provide(quick()))
  )

  it.live("are listed page by page, each once", () =>
    Effect.gen(function* () {
      const http = yield* serve()
      const ids = ["a", "b", "c", "d", "e"]
      for (const session_id of ids) yield* http.ask("POST", "/api/sessions", { ...at, body: { session_id } })
      const seen: Array<string> = []
      for (let cursor = ""; ;) {
        const page = yield* http.ask("GET", `/api/sessions?limit=2${cursor}`, at)
        seen.push(...page.json.sessions.map((one: Json) => one.session_id))
        if (page.json.next_cursor === undefined) break
        cursor = `&cursor=${page.json.next_cursor}`
      }
      assert.deepStrictEqual(seen.toSorted(), ids)
      const bad = yield* http.ask("GET", "/api/sessions?cursor=x", at)
      assert.deepStrictEqual([bad.status, bad.json.code], [400, "bad_message"])
    }).pipe(Effect.scoped, Effect.provide(quick()))
  )

  it.live("that move to the front between two pages are not left out, however often, and the list has an end", () =>
    Effect.gen(function* () {
      const http = yield* serve()
      const ids = ["a", "b", "c", "d", "e", "f", "g"]
      // Times are of a millisecond.
      const said = (method: string, path: string, body: object) =>
        Effect.andThen(http.ask(method, `/api/sessions${path}`, { ...at, body }), Effect.sleep(2))
      for (const session_id of ids) yield* said("POST", "", { session_id })
      const list = Effect.fnUntraced(function* (moving: ReadonlyArray<ReadonlyArray<string>>) {
        const seen: Array<string> = []
        let pages = 0
        for (let cursor = ""; ; pages++) {
          const page = yield* http.ask("GET", `/api/sessions?limit=2${cursor}`, at)
          seen.push(...page.json.sessions.map((one: Json) => one.session_id))
          for (const id of moving[pages % moving.length] ?? []) yield* said("PATCH", `/${id}`, { title: `${pages}` })
          if (page.json.next_cursor === undefined) return { seen, pages }
          cursor = `&cursor=${page.json.next_cursor}`
        }
      })
      const moved = yield* list([["a"], ["b", "c"], [], [], [], [], [], [], [], [], []])
      assert.deepStrictEqual(Array.from(new Set(moved.seen)).toSorted(), ids)
      assert.deepStrictEqual(moved.seen.toSorted(), ids)
      const restless = yield* list([["a", "d"]])
      assert.deepStrictEqual(Array.from(new Set(restless.seen)).toSorted(), ids)
      assert.isBelow(restless.pages, 20)
    }).pipe(Effect.scoped, Effect.provide(quick()))
  )

  it.live("take a prompt, and the same key starts nothing twice", () =>
    Effect.gen(function* () {
      const http = yield* serve()
      yield* http.ask("POST", "/api/sessions", { ...at, body: { session_id: "s" } })
      const events = yield* http.events("/api/sessions/s/events", at)
      const sent = { ...at, body: { content: "hi" }, headers: { "idempotency-key": "k" } }
      const first = yield* http.ask("POST", "/api/sessions/s/prompt", sent)
      assert.strictEqual(first.status, 202)
      const { prompt_id, task_id } = first.json
      assert.deepStrictEqual(first.json, { session_id: "s", prompt_id, task_id, duplicate: false })
      yield* events.until((event) => event.type === "task_completed" && event.task_id === task_id)
      const second = yield* http.ask("POST", "/api/sessions/s/prompt", sent)
      assert.deepStrictEqual(second.json, { session_id: "s", prompt_id, task_id, duplicate: true })
      const other = yield* http.ask("POST", "/api/sessions/s/prompt", { ...sent, body: { content: "bye" } })
      assert.deepStrictEqual([other.status, other.json.code], [409, "idempotency_conflict"])
    }).pipe(Effect.scoped, Effect.provide(quick()))
  )

  it.live("of twenty prompts at once start one", () =>
    Effect.gen(function* () {
      const http = yield* serve()
      yield* http.ask("POST", "/api/sessions", { ...at, body: { session_id: "s" } })
      const answers = yield* Effect.forEach(
        Array.from({ length: 20 }),
        () => http.ask("POST", "/api/sessions/s/prompt", { ...at, body: { content: "hi" } }),
        { concurrency: "unbounded" }
      )
      const statuses = answers.map(({ status, json }) => `${status} ${json.code ?? ""}`)
      assert.strictEqual(statuses.filter((one) => one === "202 ").length, 1)
      assert.strictEqual(statuses.filter((one) => one === "409 session_busy").length, 19)
    }).pipe(Effect.scoped, Effect.provide(layer({ script: asks, tools: [probe({ risk: "mutating" }).tool] })))
  )

  it.live("ask, and take the answer of a later request (SETTLED 5)", () => {
    const { tool, log } = probe({ risk: "mutating" })
    return Effect.gen(function* () {
      const http = yield* serve()
      yield* http.ask("POST", "/api/sessions", { ...at, body: { session_id: "s" } })
      yield* http.ask("POST", "/api/sessions/s/prompt", { ...at, body: { content: "go" } })
      const events = yield* http.events("/api/sessions/s/events", at)
      const { request_id } = yield* events.until((event) => event.type === "approval_request")
      const open = yield* http.ask("GET", "/api/sessions/s/approvals", at)
      assert.deepStrictEqual(
        open.json.approvals.map((one: Json) => one.request_id),
        [request_id]
      )
      const path = `/api/sessions/s/approvals/${request_id}`
      const allowed = yield* http.ask("POST", path, { as: "approver", body: { decision: "allow_once" } })
      assert.strictEqual(allowed.status, 204)
      yield* events.until((event) => event.type === "task_completed")
      assert.deepStrictEqual(log, ["+1", "-1"])
      const late = yield* http.ask("POST", path, { ...at, body: { decision: "deny" } })
      assert.deepStrictEqual([late.status, late.json.code], [409, "approval_already_resolved"])
      const unknown = yield* http.ask("POST", "/api/sessions/s/approvals/req_0", { ...at, body: { decision: "deny" } })
      assert.deepStrictEqual([unknown.status, unknown.json.code], [404, "approval_not_found"])
    }).pipe(Effect.scoped, Effect.provide(layer({ script: asks, tools: [tool] })))
  })

  it.live("queue, unqueue, interrupt and obey commands", () =>
    Effect.gen(function* () {
      const http = yield* serve()
      const post = (path: string, body?: unknown) =>
        http.ask("POST", `/api/sessions/s/${path}`, { ...at, ...(body === undefined ? {} : { body }) })
      yield* http.ask("POST", "/api/sessions", { ...at, body: { session_id: "s" } })
      assert.strictEqual((yield* post("interrupt")).json.code, "no_task")
      const events = yield* http.events("/api/sessions/s/events", at)
      yield* post("prompt", { content: "go" })
      yield* events.until((event) => event.type === "approval_request")
      const kept = yield* post("prompt", { content: "next", when_busy: "queue" })
      assert.deepStrictEqual([kept.status, kept.json.task_id], [202, undefined])
      const gone = yield* http.ask("DELETE", `/api/sessions/s/queue/${kept.json.prompt_id}`, at)
      assert.strictEqual(gone.status, 204)
      const twice = yield* http.ask("DELETE", `/api/sessions/s/queue/${kept.json.prompt_id}`, at)
      assert.deepStrictEqual([twice.status, twice.json.code], [404, "prompt_not_found"])
      assert.strictEqual((yield* post("interrupt")).status, 204)
      yield* events.until((event) => event.type === "task_canceled")
      assert.strictEqual((yield* post("command", { name: "rename", title: "New" })).status, 204)
      assert.strictEqual((yield* post("command", { name: "set_mode", mode: "bypass" })).status, 400)
      assert.strictEqual((yield* post("command", { name: "set_mode", mode: "plan" })).status, 204)
      assert.strictEqual((yield* post("command", { name: "clear" })).status, 204)
      const shown = (yield* http.ask("GET", "/api/sessions/s", at)).json
      assert.deepStrictEqual([shown.title, shown.mode, shown.state], ["New", "plan", "idle"])
      assert.deepStrictEqual((yield* http.ask("GET", "/api/sessions/s/grants", at)).json, { grants: [] })
      const none = yield* http.ask("DELETE", "/api/sessions/s/grants/g", at)
      assert.deepStrictEqual([none.status, none.json.code], [404, "grant_not_found"])
    }).pipe(Effect.scoped, Effect.provide(layer({ script: asks, tools: [probe({ risk: "mutating" }).tool] })))
  )
})

const asks = () => turns(answer("", [call("c1", "probe", { n: 1 })]), answer("ok"))
