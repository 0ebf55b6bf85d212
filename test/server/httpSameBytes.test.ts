/** A fact is the same bytes wherever it is read (I3, R211): pages, streams. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { answer, call, turns } from "../support/engineKit.ts"
import { layer, serve } from "../support/httpKit.ts"
import { probe } from "../support/tools.ts"

const at = { as: "member" }

describe("a fact over HTTP", () => {
  it.live("has its fields in one order, in a page as in a stream", () => {
    const { tool } = probe({ risk: "mutating" })
    const script = () => turns(answer("", [call("c1", "probe")]), answer("ok"))
    return Effect.gen(function* () {
      const http = yield* serve()
      yield* http.ask("POST", "/api/sessions", { ...at, body: { session_id: "s" } })
      const stream = yield* http.events("/api/sessions/s/events", at)
      yield* http.ask("POST", "/api/sessions/s/prompt", { ...at, body: { content: "go" } })
      const { request_id } = yield* stream.until((event) => event.type === "approval_request")
      yield* http.ask("POST", `/api/sessions/s/approvals/${request_id}`, { ...at, body: { decision: "allow_once" } })
      yield* stream.until((event) => event.type === "task_completed")
      const page = yield* http.ask("GET", "/api/sessions/s/events", { ...at, headers: { accept: "application/json" } })
      const types = page.json.events.map((event: { readonly type: string }) => event.type)
      for (const type of ["approval_request", "approval_resolved", "tool_result"]) assert.include(types, type)
      assert.deepStrictEqual(
        page.json.events.map((event: unknown) => JSON.stringify(event)),
        stream.messages.filter(({ id }) => id !== undefined).map(({ data }) => data)
      )
    }).pipe(Effect.scoped, Effect.provide(layer({ tools: [tool], script })))
  })
})
