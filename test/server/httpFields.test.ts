/** A body has the fields that the description names and no others (R208): each route that takes one says which is unknown. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { answer, turns } from "../support/engineKit.ts"
import { type Json, layer, serve } from "../support/httpKit.ts"

const quick = () => layer({ script: () => turns(answer("hello")) })
const at = { as: "member" }

/** Route → a body that it would take. */
const bodies: Readonly<Record<string, object>> = {
  "/api/login": { token: "start" },
  "/api/sessions": { session_id: "made" },
  "/api/sessions/s/prompt": { content: "hi" },
  "/api/sessions/s/interrupt": { task_id: "task_1" },
  "/api/sessions/s/approvals/req_1": { decision: "deny" },
  "/api/sessions/s/command": { name: "rename", title: "t" },
  "/api/sessions/s/fork": { session_id: "made" },
  "/api/sessions/s/undo": { to: "task_1" },
  "/api/sessions/s/prompts/review": {},
  "/api/sessions/s/redo": {}
}
const template = (path: string) =>
  path.replace("/s/", "/{session_id}/").replace("req_1", "{request_id}").replace("review", "{name}")

describe("a field that no description has", () => {
  it.live("is refused by name on every route with a body, and nothing is done", () =>
    Effect.gen(function* () {
      const http = yield* serve()
      const { paths } = (yield* http.ask("GET", "/openapi.json")).json
      const takes = Object.entries<Json>(paths).flatMap(([path, { post }]) => (post?.requestBody ? [path] : []))
      assert.deepStrictEqual(Object.keys(bodies).map(template).toSorted(), takes.toSorted())
      yield* http.ask("POST", "/api/sessions", { ...at, body: { session_id: "s" } })
      for (const [path, fields] of Object.entries(bodies)) {
        for (const name of ["up_to_seq", "type", "Session_id", "x".repeat(300)]) {
          const got = yield* http.ask("POST", path, { ...at, body: { ...fields, [name]: 5 } })
          assert.deepStrictEqual([got.status, got.json.code], [400, "bad_message"], `${path} ${name}`)
          const shown = name.length > 64 ? `"${name.slice(0, 64)}…"` : `"${name}"`
          assert.strictEqual(got.json.detail, `There is no field ${shown} here.`, path)
          assert.isUndefined(got.headers["set-cookie"])
        }
      }
      const all = yield* http.ask("GET", "/api/sessions", at)
      assert.deepStrictEqual(
        all.json.sessions.map((one: Json) => [one.session_id, one.title]),
        [["s", ""]]
      )
    }).pipe(Effect.scoped, Effect.provide(quick()))
  )

  it.live("of a command is judged by what that command has", () =>
    Effect.gen(function* () {
      const http = yield* serve()
      yield* http.ask("POST", "/api/sessions", { ...at, body: { session_id: "s" } })
      const table = [
        [{ name: "clear", title: "t" }, /^There is no field "title" here\.$/],
        [{ name: "rename", title: "t", mode: "ask" }, /^There is no field "mode" here\.$/],
        [{ name: "rename" }, /title/],
        [{ name: "renam", title: "t" }, /"clear".*"rename".*name/],
        [{}, /name/]
      ] as const
      for (const [body, says] of table) {
        const got = yield* http.ask("POST", "/api/sessions/s/command", { ...at, body })
        assert.deepStrictEqual([got.status, got.json.code], [400, "bad_message"], JSON.stringify(body))
        assert.match(got.json.detail, says)
      }
    }).pipe(Effect.scoped, Effect.provide(quick()))
  )
})
