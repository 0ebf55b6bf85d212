/** A status is the same whoever asks for it, and is what the description says, field for field (PROTOCOL §2, R208). */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { cappedBy } from "../../src/config/SpendingLimits.ts"
import type { Principal } from "../../src/domain/Principal.ts"
import { Status } from "../../src/protocol/ServerEvent.ts"
import { client } from "../support/channelKit.ts"
import { answer, call, turns } from "../support/engineKit.ts"
import { type Json, layer, serve } from "../support/httpKit.ts"
import { probe } from "../support/tools.ts"
import { memory } from "../support/transports.ts"

const at = { as: "member" }
const member: Principal = { tenant: "acme", project: "p", user: "ann", role: "member", name: "member" }
const { tool } = probe({ risk: "mutating" })
const script = () => turns(answer("x", [call("c1", "probe", { n: 1 })]), answer("ok"))

const FREE = { task_tokens: 0, task_cost_usd: 0, session_tokens: 0, session_cost_usd: 0 }
const OWN = { ...FREE, task_tokens: 100 }

/** What may differ between two that ask: when, and how many are there. */
const same = ({ ts: _, counters, ...status }: Json) => ({ ...status, counters: { ...counters, attached: 0 } })

describe("a status", () => {
  it.live("with an open question is one shape: of an event stream, of a connection, of GET", () =>
    Effect.gen(function* () {
      const http = yield* serve()
      yield* http.ask("POST", "/api/sessions", { ...at, body: { session_id: "s" } })
      const early = yield* http.events("/api/sessions/s/events", at)
      yield* http.ask("POST", "/api/sessions/s/prompt", { ...at, body: { content: "go" } })
      const asked = yield* early.until(({ type }) => type === "approval_request")
      yield* http.ask("POST", "/api/sessions/s/prompt", { ...at, body: { content: "then", when_busy: "queue" } })
      yield* early.until(({ type }) => type === "prompt_queued")

      const shown = (yield* http.ask("GET", "/api/sessions/s", at)).json
      const stream = yield* http.events("/api/sessions/s/events", at)
      const streamed = yield* stream.until(({ type }) => type === "status")
      const one = yield* client(memory, member)
      yield* one.say({ type: "resume", session_id: "s" })
      const told = yield* one.next("status")
      const all: ReadonlyArray<Json> = [shown, streamed, told]
      for (const status of all) {
        Schema.decodeUnknownSync(Status, { onExcessProperty: "error" })(status)
        assert.deepStrictEqual(same(status), same(shown))
      }

      const { type: _, v: _v, session_id: _s, seq: _q, event_id: _e, ts: _t, task_id, turn, ...request } = asked
      assert.deepStrictEqual(shown.pending_approvals, [request])
      assert.deepStrictEqual(shown.task, { task_id, turn })
      const open = yield* http.ask("GET", "/api/sessions/s/approvals", at)
      assert.deepStrictEqual(open.json, { approvals: [request] })
    }).pipe(Effect.scoped, Effect.provide(layer({ script, tools: [tool] })))
  )

  it.live("holds the limits of spending that somebody set, by either way; who may not prompt sets none (R117)", () =>
    Effect.gen(function* () {
      const http = yield* serve()
      const ask = (method: string, path: string, body?: object, as = "member") =>
        http.ask(method, `/api/sessions${path}`, { as, ...(body === undefined ? {} : { body }) })
      yield* ask("POST", "", { session_id: "s" })
      const limits = Effect.map(ask("GET", "/s"), ({ json }) => json.budgets)
      const one = yield* client(memory, member)
      yield* one.say({ type: "resume", session_id: "s" })
      yield* one.next("status")
      assert.isUndefined(yield* limits)
      const set = { name: "set_budget", task_tokens: 5, session_cost_usd: 2 }
      assert.strictEqual((yield* ask("POST", "/s/command", set, "viewer")).json.code, "forbidden")
      assert.strictEqual((yield* ask("POST", "/s/command", set)).status, 204)
      const task = { budget: "task", unit: "tokens", used: 0, limit: 5 } as const
      assert.deepStrictEqual(yield* limits, [task, { budget: "session", unit: "usd", used: 0, limit: 2 }])
      yield* one.say({ type: "command", name: "set_budget", session_cost_usd: 0 })
      assert.deepStrictEqual((yield* one.next("status")).budgets, [task])
      const events = yield* http.events("/api/sessions/s/events", at)
      yield* ask("POST", "/s/prompt", { content: "go" })
      const { error } = yield* events.until(({ type }) => type === "task_failed")
      const { needed, ...met }: Json = error.budget
      assert.deepStrictEqual([error.code, met], ["budget_exceeded", task])
      assert.isAbove(needed, 5)
    }).pipe(Effect.scoped, Effect.provide(layer({ script, tools: [tool] })))
  )

  it.live("a member sets limits within the server's own, by either way; who manages the server goes further", () =>
    Effect.gen(function* () {
      const http = yield* serve()
      const setting = (as: string, task_tokens: number) =>
        http.ask("POST", "/api/sessions/s/command", { as, body: { name: "set_budget", task_tokens } })
      yield* http.ask("POST", "/api/sessions", { ...at, body: { session_id: "s" } })
      const limit = Effect.map(http.ask("GET", "/api/sessions/s", at), ({ json }) => json.budgets[0].limit)
      const one = yield* client(memory, member)
      yield* one.say({ type: "resume", session_id: "s" })
      yield* one.next("status")
      const say = (task_tokens: number) => one.say({ type: "command", name: "set_budget", task_tokens })

      yield* setting("member", 500)
      assert.strictEqual(yield* limit, 100)
      yield* setting("admin", 500)
      assert.strictEqual(yield* limit, 500)
      yield* say(400)
      assert.strictEqual((yield* one.next("status")).budgets?.[0]?.limit, 100)
      yield* say(0)
      assert.strictEqual((yield* one.next("status")).budgets?.[0]?.limit, 100)
      yield* say(50)
      assert.strictEqual((yield* one.next("status")).budgets?.[0]?.limit, 50)
    }).pipe(
      Effect.scoped,
      Effect.provide(layer({ script, tools: [tool], capped: (caps, within) => cappedBy(within ? OWN : FREE, caps) }))
    )
  )
})
