/** The six checks of many sessions at once (R327–R332, R307). */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { ServerEvent } from "../../src/protocol/ServerEvent.ts"
import { type Client, client, channelLayer } from "../support/channelKit.ts"
import { answer, call, turns } from "../support/engineKit.ts"
import { held } from "../support/streams.ts"
import { probe } from "../support/tools.ts"
import { transports } from "../support/transports.ts"

const hello = (session_id: string) => ({ type: "hello", session_id })
const terminals = (one: Client) => one.facts().filter(({ type }) => /^task_(completed|canceled|failed)$/.test(type))
const said = (events: ReadonlyArray<ServerEvent>) =>
  events.flatMap((event) => (event.type === "text_delta" ? [event.content] : [])).join("")

describe.each(transports)("two clients over $name", (transport) => {
  it.live("run tasks at once, and neither sees the other's stream (R327, R328, R332)", () => {
    const streams = { a: held("a1", "a2"), b: held("b1", "b2") }
    const script = (id: string) => () => streams[id as "a" | "b"].stream
    return Effect.gen(function* () {
      const [a, b] = [yield* client(transport), yield* client(transport)]
      for (const [one, id] of [
        [a, "a"],
        [b, "b"]
      ] as const) {
        yield* one.say(hello(id))
        yield* one.say({ type: "prompt", content: id })
      }
      yield* a.next("text_delta")
      yield* b.next("text_delta")
      yield* streams.b.go
      yield* b.next("task_completed")
      yield* streams.a.go
      yield* a.next("task_completed")
      assert.deepStrictEqual([said(a.events), said(b.events)], ["a1a2", "b1b2"])
      assert.deepStrictEqual(
        [a, b].map((one) => Array.from(new Set(one.events.map((event): string | undefined => event.session_id)))),
        [["a"], ["b"]]
      )
      assert.deepStrictEqual([terminals(a).length, terminals(b).length], [1, 1])
    }).pipe(Effect.scoped, Effect.provide(channelLayer({ script })))
  })

  it.live("an interrupt in A cancels only A (R329, R332)", () => {
    const streams = { a: held("a1", "a2"), b: held("b1", "b2") }
    const script = (id: string) => () => streams[id as "a" | "b"].stream
    return Effect.gen(function* () {
      const [a, b] = [yield* client(transport), yield* client(transport)]
      for (const [one, id] of [
        [a, "a"],
        [b, "b"]
      ] as const) {
        yield* one.say(hello(id))
        yield* one.say({ type: "prompt", content: id })
        yield* one.next("text_delta")
      }
      yield* a.say({ type: "interrupt" })
      yield* a.next("task_canceled")
      yield* a.say({ type: "interrupt" })
      const { error } = yield* a.next("error")
      assert.deepStrictEqual([error.code, error.retryable], ["no_task", false])
      yield* streams.b.go
      yield* b.next("task_completed")
      assert.deepStrictEqual([terminals(a).length, terminals(b).length], [1, 1])
    }).pipe(Effect.scoped, Effect.provide(channelLayer({ script })))
  })

  it.live("B talks on while A waits for approval; an answer wakes only its question (R330, R331)", () => {
    const { tool, log } = probe({ risk: "mutating" })
    const script = (id: string) =>
      id === "b"
        ? turns(answer("b"))
        : turns(answer("", [call("c1", "probe", { n: id === "a" ? 1 : 2 })]), answer("ok"))
    return Effect.gen(function* () {
      const [a, b, c] = [yield* client(transport), yield* client(transport), yield* client(transport)]
      for (const [one, id] of [
        [a, "a"],
        [b, "b"],
        [c, "c"]
      ] as const) {
        yield* one.say(hello(id))
        yield* one.say({ type: "prompt", content: id })
      }
      const asked = yield* a.next("approval_request")
      yield* c.next("approval_request")
      yield* b.next("task_completed")
      yield* a.say({ type: "ping", nonce: "alive" })
      yield* a.next("pong")
      yield* a.say({ type: "approval_response", request_id: asked.request_id, decision: "allow_once" })
      yield* a.next("task_completed")
      assert.deepStrictEqual([log, terminals(c).length], [["+1", "-1"], 0])
      yield* b.say({ type: "approval_response", request_id: asked.request_id, decision: "allow_once" })
      const { error } = yield* b.next("error")
      assert.deepStrictEqual([error.code, error.request_id], ["approval_not_found", asked.request_id])
    }).pipe(Effect.scoped, Effect.provide(channelLayer({ script, tools: [tool] })))
  })
})
