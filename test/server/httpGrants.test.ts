/** Grants over HTTP: a page at a time, and nobody's but the caller's (R151, R156, R161). */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Owner } from "../../src/domain/Principal.ts"
import type { SessionId } from "../../src/domain/Ids.ts"
import { grant, granted, resolved, writer } from "../support/decisions.ts"
import { answer, turns } from "../support/engineKit.ts"
import { type Http, type Json, layer, serve } from "../support/httpKit.ts"

const ann: Owner = { tenant: "acme", project: "p", user: "ann" }
const eve: Owner = { ...ann, user: "eve" }
const s = "s" as SessionId
const later = { expires_at: "2999-01-01T00:00:00.000Z" }
const kit = layer({ script: () => turns(answer("ok")) })

const ids = ({ json }: { readonly json: Json }) => json.grants.map((one: Json) => one.grant_id)

/** The same session id, of two users. */
const both = Effect.fnUntraced(function* (http: Http) {
  for (const as of ["member", "eve"]) yield* http.ask("POST", "/api/sessions", { as, body: { session_id: "s" } })
  for (const [owner, names] of [
    [ann, ["a1", "a2", "a3"]],
    [eve, ["e1"]]
  ] as const) {
    const write = yield* writer(owner, s)
    yield* write(...names.map((name) => granted(grant(name, later))), resolved({ decision: "deny" }))
  }
})

it.live("two users with a session of one name never see each other's grants or decisions (R161)", () =>
  Effect.gen(function* () {
    const http = yield* serve()
    yield* both(http)
    const path = "/api/sessions/s/grants"
    assert.deepStrictEqual(ids(yield* http.ask("GET", path, { as: "member" })), ["a1", "a2", "a3"])
    assert.deepStrictEqual(ids(yield* http.ask("GET", path, { as: "eve" })), ["e1"])
    const foreign = yield* http.ask("DELETE", `${path}/a1`, { as: "eve" })
    assert.deepStrictEqual([foreign.status, foreign.json.code], [404, "grant_not_found"])
    assert.strictEqual(
      (yield* http.ask("GET", "/api/sessions/none/grants", { as: "eve" })).json.code,
      "session_not_found"
    )
    const audit = (as: string) =>
      Effect.map(http.ask("GET", "/api/audit?session=s", { as }), ({ json }) =>
        json.records.map(({ decision, grant_id }: Json) => grant_id ?? decision)
      )
    assert.deepStrictEqual(yield* audit("member"), ["a1", "a2", "a3", "deny"])
    assert.deepStrictEqual(yield* audit("eve"), ["e1", "deny"])
  }).pipe(Effect.scoped, Effect.provide(kit))
)

it.live("they come page by page, and a revocation names who made it", () =>
  Effect.gen(function* () {
    const http = yield* serve()
    yield* both(http)
    const path = "/api/sessions/s/grants"
    const first = yield* http.ask("GET", `${path}?limit=2`, { as: "viewer" })
    assert.deepStrictEqual([ids(first), first.json.next_cursor], [["a1", "a2"], "a2"])
    const second = yield* http.ask("GET", `${path}?limit=2&cursor=a2`, { as: "viewer" })
    assert.deepStrictEqual([ids(second), second.json.next_cursor], [["a3"], undefined])
    assert.strictEqual((yield* http.ask("DELETE", `${path}/a1`, { as: "viewer" })).status, 403)
    assert.strictEqual((yield* http.ask("DELETE", `${path}/a1`, { as: "approver" })).status, 204)
    assert.deepStrictEqual(ids(yield* http.ask("GET", path, { as: "viewer" })), ["a2", "a3"])
    const { json } = yield* http.ask("GET", "/api/audit?limit=500", { as: "viewer" })
    const last: Json = json.records.at(-1)
    assert.deepStrictEqual([last.kind, last.grant_id, last.who], ["grant_revoked", "a1", "approver"])
  }).pipe(Effect.scoped, Effect.provide(kit))
)
