/** The six checks of many sessions at once, and the server's end (R327–R332, R295, R307, R308). */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Channels } from "../../src/channel/Channels.ts"
import { RuntimeManager } from "../../src/runtime/RuntimeManager.ts"
import type { ServerEvent } from "../../src/protocol/ServerEvent.ts"
import { type Client, client, channelLayer } from "../support/channelKit.ts"
import { Doors } from "../support/doors.ts"
import { answer, call, turns } from "../support/engineKit.ts"
import { held } from "../support/streams.ts"
import { probe } from "../support/tools.ts"
import { tellTheSame } from "../support/sameLogs.ts"
import { type Transport, transports } from "../support/transports.ts"

const hello = (session_id: string) => ({ type: "hello", session_id })
const terminals = (one: Client) => one.facts().filter(({ type }) => /^task_(completed|canceled|failed)$/.test(type))
const said = (events: ReadonlyArray<ServerEvent>) =>
  events.flatMap((event) => (event.type === "text_delta" ? [event.content] : [])).join("")

const pair = Effect.fnUntraced(function* (transport: Transport) {
  const both = [yield* client(transport), yield* client(transport)] as const
  for (const [one, id] of [
    [both[0], "a"],
    [both[1], "b"]
  ] as const) {
    yield* one.say(hello(id))
    yield* one.say({ type: "prompt", content: id })
  }
  return both
})
const twoStreams = () => {
  const streams = { a: held("a1", "a2"), b: held("b1", "b2") }
  return { ...streams, script: (id: string) => () => streams[id as "a" | "b"].stream }
}

describe.each(transports)("two clients over $name", (transport) => {
  it.live("run tasks at once (R327)", () => {
    const { a, b, script } = twoStreams()
    return Effect.gen(function* () {
      const [one, two] = yield* pair(transport)
      yield* one.next("text_delta")
      yield* two.next("text_delta")
      yield* b.go
      yield* two.next("task_completed")
      yield* a.go
      yield* one.next("task_completed")
    }).pipe(Effect.scoped, Effect.provide(channelLayer({ script })))
  })

  it.live("never see the other's stream (R328)", () => {
    const { a, b, script } = twoStreams()
    return Effect.gen(function* () {
      const both = yield* pair(transport)
      yield* b.go
      yield* a.go
      for (const one of both) yield* one.next("task_completed")
      assert.deepStrictEqual(
        both.map(({ events }) => said(events)),
        ["a1a2", "b1b2"]
      )
      assert.deepStrictEqual(
        both.map((one) => Array.from(new Set(one.events.map((event): string | undefined => event.session_id)))),
        [["a"], ["b"]]
      )
    }).pipe(Effect.scoped, Effect.provide(channelLayer({ script })))
  })

  it.live("interrupt each their own task: A's ends, B's goes on (R329)", () => {
    const { b, script } = twoStreams()
    return Effect.gen(function* () {
      const [one, two] = yield* pair(transport)
      yield* one.next("text_delta")
      yield* two.next("text_delta")
      yield* one.say({ type: "interrupt" })
      yield* one.next("task_canceled")
      yield* one.say({ type: "interrupt" })
      const { error } = yield* one.next("error")
      assert.deepStrictEqual([error.code, error.retryable], ["no_task", false])
      yield* b.go
      yield* two.next("task_completed")
    }).pipe(Effect.scoped, Effect.provide(channelLayer({ script })))
  })

  it.live("talk on while the other waits for approval (R330)", () => {
    const { tool } = probe({ risk: "mutating" })
    const script = (id: string) =>
      id === "b" ? turns(answer("b")) : turns(answer("", [call("c1", "probe", { n: 1 })]))
    return Effect.gen(function* () {
      const [one, two] = yield* pair(transport)
      yield* one.next("approval_request")
      yield* two.next("task_completed")
      yield* two.say({ type: "prompt", content: "more" })
      yield* two.next("task_completed")
      yield* one.say({ type: "ping", nonce: "alive" })
      yield* one.next("pong")
      assert.strictEqual(terminals(one).length, 0)
    }).pipe(Effect.scoped, Effect.provide(channelLayer({ script, tools: [tool] })))
  })

  it.live("wake with an answer the question of its request_id alone (R331)", () => {
    const { tool, log } = probe({ risk: "mutating" })
    const script = (id: string) => turns(answer("", [call("c1", "probe", { n: id === "a" ? 1 : 2 })]), answer("ok"))
    return Effect.gen(function* () {
      const [one, two] = yield* pair(transport)
      const { request_id } = yield* one.next("approval_request")
      const other = yield* two.next("approval_request")
      const allow = { type: "approval_response", request_id, decision: "allow_once" }
      yield* two.say(allow)
      const { error } = yield* two.next("error")
      assert.deepStrictEqual([error.code, error.request_id], ["approval_not_found", request_id])
      yield* one.say(allow)
      yield* one.next("task_completed")
      assert.deepStrictEqual([log, terminals(two).length], [["+1", "-1"], 0])
      yield* two.say({ ...allow, request_id: other.request_id })
      yield* two.next("task_completed")
      assert.deepStrictEqual(log, ["+1", "-1", "+2", "-2"])
    }).pipe(Effect.scoped, Effect.provide(channelLayer({ script, tools: [tool] })))
  })

  it.live("are told one end of each task, however it ends (R332)", () => {
    const { b, script } = twoStreams()
    return Effect.gen(function* () {
      const [one, two] = yield* pair(transport)
      yield* one.next("text_delta")
      for (let n = 0; n < 3; n++) yield* one.say({ type: "interrupt" })
      yield* one.next("task_canceled")
      yield* b.go
      yield* two.next("task_completed")
      yield* two.say({ type: "interrupt" })
      yield* two.next("error")
      yield* one.say({ type: "ping" })
      yield* one.next("pong")
      assert.deepStrictEqual(
        [one, two].map((each) => terminals(each).map(({ type }) => type)),
        [["task_canceled"], ["task_completed"]]
      )
    }).pipe(Effect.scoped, Effect.provide(channelLayer({ script })))
  })

  it.live("end apart; the server's end closes all connections and leaves no runtime (R295)", () => {
    const { a, b, script } = twoStreams()
    return Effect.gen(function* () {
      const [manager, channels, doors] = [yield* RuntimeManager, yield* Channels, yield* Doors]
      const [one, two] = yield* pair(transport)
      yield* one.next("text_delta")
      yield* one.say({ type: "close" })
      yield* one.closed
      yield* two.next("text_delta")
      yield* b.go
      yield* two.next("task_completed")
      const [three, four] = yield* pair(transport)
      yield* a.go
      yield* three.next("text_delta")
      yield* four.next("status")
      yield* doors.drain(0)
      for (const each of [two, three, four]) {
        yield* each.next("draining")
        const { code } = yield* each.closed
        if (code !== undefined) assert.strictEqual(code, 1001)
      }
      assert.deepStrictEqual([yield* channels.count, yield* manager.count], [0, 0])
    }).pipe(Effect.scoped, Effect.provide(channelLayer({ script })))
  })
})

tellTheSame()
