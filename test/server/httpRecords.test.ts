/** Copies, audit and usage over HTTP. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as fc from "fast-check"
import { fold } from "../../src/domain/Fold.ts"
import { initial } from "../../src/domain/Session.ts"
import { copyOf } from "../../src/runtime/SessionCopy.ts"
import { answer, call, turns } from "../support/engineKit.ts"
import { event } from "../support/events.ts"
import { type Http, type Json, layer, serve } from "../support/httpKit.ts"
import { probe } from "../support/tools.ts"

const at = { as: "member" }
const asks = () => turns(answer("", [call("c1", "probe", { n: 1 })]), answer("ok"))
const kit = () => layer({ script: asks, tools: [probe({ risk: "mutating" }).tool] })

const facts = (http: Http, id: string) =>
  Effect.map(
    http.ask("GET", `/api/sessions/${id}/events`, { ...at, headers: { accept: "application/json" } }),
    ({ json }): ReadonlyArray<Json> => json.events
  )

/** A session whose one task asked, was allowed and completed. */
const allowed = Effect.fnUntraced(function* (http: Http, id: string) {
  yield* http.ask("POST", "/api/sessions", { ...at, body: { session_id: id, title: id } })
  const events = yield* http.events(`/api/sessions/${id}/events`, at)
  yield* http.ask("POST", `/api/sessions/${id}/prompt`, { ...at, body: { content: "go" } })
  const { request_id } = yield* events.until((one) => one.type === "approval_request")
  const path = `/api/sessions/${id}/approvals/${request_id}`
  yield* http.ask("POST", path, { ...at, body: { decision: "allow_once", reason: "fine" } })
  yield* events.until((one) => one.type === "task_completed")
})

describe("what a session leaves, over HTTP", () => {
  it.live("a fork holds the same facts, its open task canceled, and is free", () =>
    Effect.gen(function* () {
      const http = yield* serve()
      yield* allowed(http, "s")
      const past = yield* facts(http, "s")
      const upTo = past.find((one) => one.type === "approval_request").seq
      const made = yield* http.ask("POST", "/api/sessions/s/fork", { ...at, body: { at: upTo, session_id: "f" } })
      const { session_id, state, queue, queue_paused } = made.json
      assert.deepStrictEqual([made.status, session_id, state, queue, queue_paused], [201, "f", "idle", [], false])
      const copy = yield* facts(http, "f")
      assert.deepStrictEqual(
        copy.map(({ seq, type }) => [seq, type]).slice(0, upTo),
        past.map(({ seq, type }) => [seq, type]).slice(0, upTo)
      )
      assert.deepStrictEqual(
        copy.slice(upTo).map(({ type, decision, status }) => [type, decision ?? status]),
        [
          ["approval_resolved", "deny"],
          ["tool_result", "cancelled"],
          ["task_canceled", undefined]
        ]
      )
      assert.strictEqual(
        copy.some((one) => past.some((old) => old.event_id === one.event_id)),
        false
      )
      const events = yield* http.events("/api/sessions/f/events", at)
      const sent = yield* http.ask("POST", "/api/sessions/f/prompt", { ...at, body: { content: "again" } })
      assert.strictEqual(sent.status, 202)
      yield* events.until((one) => one.type === "approval_request" && one.seq > upTo)
      assert.strictEqual((yield* facts(http, "s")).length, past.length)
      const ahead = yield* http.ask("POST", "/api/sessions/s/fork", { ...at, body: { at: 999 } })
      assert.deepStrictEqual([ahead.status, ahead.json.code], [416, "position_ahead"])
    }).pipe(Effect.scoped, Effect.provide(kit()))
  )

  it("a copy of any past is free, numbered without gaps, and has no grant and no key", () => {
    fc.assert(
      fc.property(fc.array(event, { maxLength: 40 }), (bodies) => {
        const records = copyOf(
          bodies.map((body) => ({ ts: "t", body })),
          "now"
        )
        const state = records.reduce((folded, { body }) => fold(folded, body as never), initial)
        assert.deepStrictEqual([state.task, state.queue, state.keys.size], [undefined, [], 0])
        assert.deepStrictEqual(
          records.map(({ pos, seq }) => [pos, seq]),
          records.map((_, i) => [i + 1, i + 1])
        )
        assert.deepStrictEqual(state.usage, { input_tokens: 0, output_tokens: 0 })
      })
    )
  })

  it.live("every decision stands in the audit, filtered, by page and by line (R158, R271)", () =>
    Effect.gen(function* () {
      const http = yield* serve()
      yield* allowed(http, "a")
      yield* allowed(http, "b")
      const audit = (query: string) => http.ask("GET", `/api/audit?${query}`, at)
      const all = yield* audit("")
      assert.deepStrictEqual(
        all.json.records.map(({ session_id, tool_name, decision, via }: Json) => [
          session_id,
          tool_name,
          decision,
          via
        ]),
        ["a", "b"].map((id) => [id, "probe", "allow_once", "user"])
      )
      const first = yield* audit("limit=1")
      const second = yield* audit(`limit=1&cursor=${encodeURIComponent(first.json.next_cursor)}`)
      assert.deepStrictEqual([...first.json.records, ...second.json.records], all.json.records)
      assert.strictEqual(second.json.next_cursor, undefined)
      const last = yield* audit("limit=1&order=newest")
      const before = yield* audit(`limit=1&order=newest&cursor=${encodeURIComponent(last.json.next_cursor)}`)
      assert.deepStrictEqual([...before.json.records, ...last.json.records], all.json.records)
      assert.strictEqual(before.json.next_cursor, undefined)
      assert.deepStrictEqual((yield* audit("session=b")).json.records, all.json.records.slice(1))
      assert.deepStrictEqual((yield* audit("decision=deny")).json, { records: [] })
      assert.deepStrictEqual((yield* audit("since=2100-01-01T00:00:00Z")).json, { records: [] })
      assert.strictEqual((yield* audit("since=yesterday")).json.code, "bad_message")
      const lines = yield* http.ask("GET", "/api/audit", { ...at, headers: { accept: "application/x-ndjson" } })
      assert.strictEqual(lines.headers["content-type"], "application/x-ndjson")
      assert.deepStrictEqual(
        lines.text.trimEnd().split("\n"),
        all.json.records.map((record: Json) => JSON.stringify(record))
      )
      assert.deepStrictEqual((yield* http.ask("GET", "/api/audit", { as: "eve" })).json, { records: [] })
    }).pipe(Effect.scoped, Effect.provide(kit()))
  )

  it.live("what was spent is told by session and day; what a fork copied is not spent twice (R261)", () =>
    Effect.gen(function* () {
      const http = yield* serve()
      yield* allowed(http, "s")
      yield* http.ask("POST", "/api/sessions/s/fork", { ...at, body: { session_id: "f" } })
      const spent = { input_tokens: 20, output_tokens: 10, cached_tokens: 0, reasoning_tokens: 0, cost_usd: null }
      const none = { input_tokens: 0, output_tokens: 0, cached_tokens: 0, reasoning_tokens: 0, cost_usd: null }
      const { json } = yield* http.ask("GET", "/api/usage", at)
      assert.deepStrictEqual(json.total, spent)
      assert.deepStrictEqual(
        json.sessions.toSorted((a: Json, b: Json) => (a.session_id < b.session_id ? -1 : 1)),
        [
          { session_id: "f", title: "s", usage: none },
          { session_id: "s", title: "s", usage: spent }
        ]
      )
      const pages: Array<Json> = []
      for (let next: string | undefined = ""; next !== undefined && pages.length < 9;) {
        const page: Json = (yield* http.ask("GET", `/api/usage?limit=1${next}`, at)).json
        pages.push(page)
        next = page.next_cursor === undefined ? undefined : `&cursor=${page.next_cursor}`
      }
      assert.deepStrictEqual(
        pages.flatMap((page) => page.sessions),
        json.sessions
      )
      assert.deepStrictEqual(
        pages.map(({ total, days }) => ({ total, days })),
        Array.from({ length: 2 }, () => ({ total: json.total, days: json.days }))
      )
      const wrong = yield* http.ask("GET", "/api/usage?cursor=x", at)
      assert.deepStrictEqual([wrong.status, wrong.json.code], [400, "bad_message"])
      assert.strictEqual((yield* http.ask("GET", "/api/usage?limit=0", at)).status, 400)
      yield* http.ask("DELETE", "/api/sessions/s", at)
      const left = (yield* http.ask("GET", "/api/usage", at)).json
      assert.deepStrictEqual([left.total, left.sessions], [spent, [{ session_id: "f", title: "s", usage: none }]])
      const spentDays = json.days.filter(({ usage }: Json) => usage.input_tokens > 0)
      assert.isTrue(json.days.every(({ day }: Json) => /^\d{4}-\d\d-\d\d$/.test(day)))
      assert.strictEqual(
        spentDays.reduce((sum: number, { usage }: Json) => sum + usage.input_tokens, 0),
        20
      )
    }).pipe(Effect.scoped, Effect.provide(kit()))
  )
})
