/** What a request may not be, whatever it asks for: position, encoding, text of its body; and what a stream is said to be (R208). */
import { gzipSync } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { answer, turns } from "../support/engineKit.ts"
import { layer, serve } from "../support/httpKit.ts"

const quick = () => layer({ script: () => turns(answer("hello")) })
const at = { as: "member" }
const json = { "content-type": "application/json" }

const made = Effect.gen(function* () {
  const http = yield* serve()
  yield* http.ask("POST", "/api/sessions", { ...at, body: { session_id: "s" } })
  return http
})

describe("the edge of HTTP", () => {
  it.live("a Last-Event-ID that is no position is told, and nothing is replayed", () =>
    Effect.gen(function* () {
      const http = yield* made
      for (const given of ["abc", "-1", "1.5", "1e3", "0x1", "", "1, 2", "9".repeat(16), "9".repeat(400)]) {
        const headers = { accept: "text/event-stream", "last-event-id": given }
        const got = yield* http.ask("GET", "/api/sessions/s/events", { ...at, headers })
        assert.deepStrictEqual([got.status, got.json.code], [400, "bad_message"], given)
        assert.include(got.json.detail, "Last-Event-ID")
      }
      const ahead = { accept: "text/event-stream", "last-event-id": "9".repeat(15) }
      const got = yield* http.ask("GET", "/api/sessions/s/events", { ...at, headers: ahead })
      assert.deepStrictEqual([got.status, got.json.code], [416, "position_ahead"])
    }).pipe(Effect.scoped, Effect.provide(quick()))
  )

  it.live("a body is plain JSON in UTF-8, and holds what could be on the wire", () =>
    Effect.gen(function* () {
      const http = yield* made
      const body = '{"name":"rename","title":"t"}'
      const table: ReadonlyArray<readonly [raw: string | Uint8Array, Readonly<Record<string, string>>, string]> = [
        [gzipSync(body), { ...json, "content-encoding": "gzip" }, "415 unsupported_media_type"],
        [body, { ...json, "content-encoding": "br" }, "415 unsupported_media_type"],
        [body, { ...json, "content-encoding": "identity, gzip" }, "415 unsupported_media_type"],
        [body, { ...json, "content-encoding": "identity" }, "204"],
        [body, { "content-type": "application/json; charset=utf-16" }, "415 unsupported_media_type"],
        [body, { "content-type": 'application/json; x=y; charset="latin1"' }, "415 unsupported_media_type"],
        [body, { "content-type": 'application/json; charset="UTF-8"' }, "204"],
        ['{"name":"rename","title":"t","__proto__":{"a":1}}', json, "400 bad_message"],
        ['{"name":"rename","title":"t","x":[{"__proto__":1}]}', json, "400 bad_message"],
        ['{"name":"rename","title":"\\ud800"}', json, "400 bad_message"],
        ['{"name":"rename","title":"t","x":"\\udc00\\ud800"}', json, "400 bad_message"],
        ['{"name":"rename","title":"t","x":1e999}', json, "400 bad_message"],
        [`\uFEFF${body}`, json, "400 bad_json"],
        ['{"name":"rename","title":"\\ud83d\\udc4d"}', json, "204"]
      ]
      for (const [raw, headers, expected] of table) {
        const got = yield* http.ask("POST", "/api/sessions/s/command", { ...at, raw, headers })
        const told = got.text === "" ? `${got.status}` : `${got.status} ${got.json.code}`
        assert.strictEqual(told, expected, `${JSON.stringify(headers)} ${String(raw)}`)
      }
    }).pipe(Effect.scoped, Effect.provide(quick()))
  )

  it.live("the description tells where the types of a stream come (onmessage)", () =>
    Effect.gen(function* () {
      const http = yield* serve()
      const { paths } = (yield* http.ask("GET", "/openapi.json")).json
      const { description } = paths["/api/sessions/{session_id}/events"].get
      assert.include(description, "no `event:` field")
      assert.include(description, "`onmessage`")
    }).pipe(Effect.scoped, Effect.provide(quick()))
  )
})
