/** What a connection may do: roles, signing in, rates, slow reading, an ending server (R178–R181, R233–R241). */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Channels } from "../../src/channel/Channels.ts"
import type { SessionId } from "../../src/domain/Ids.ts"
import { localOwner, localPrincipal, type Role } from "../../src/domain/Principal.ts"
import { client, channelLayer } from "../support/channelKit.ts"
import { answer, call, turns } from "../support/engineKit.ts"
import { flowing, held } from "../support/streams.ts"
import { probe } from "../support/tools.ts"
import { tellTheSame } from "../support/sameLogs.ts"
import { signing } from "../support/signing.ts"
import { transports } from "../support/transports.ts"

const someone = (role: Role) => ({ ...localPrincipal, role, name: role })
const plain = { script: () => turns(answer("ok")) }

describe.each(transports)("limits over $name", (transport) => {
  const code = (given: number | undefined, wanted: number) => {
    if (given !== undefined) assert.strictEqual(given, wanted)
  }

  it.live("who has to sign in is heard only with a good token (R176, R241)", () =>
    Effect.gen(function* () {
      const [silent, wrong, good] = [yield* client(transport), yield* client(transport), yield* client(transport)]
      yield* silent.say({ type: "prompt", content: "go" })
      assert.strictEqual((yield* silent.next("error")).error.code, "unauthenticated")
      code((yield* silent.closed).code, 4401)
      yield* wrong.say({ type: "hello", token: "bad" })
      assert.strictEqual((yield* wrong.next("error")).error.code, "unauthenticated")
      code((yield* wrong.closed).code, 4401)
      yield* good.say({ type: "hello", token: "good" })
      yield* good.next("hello")
      yield* good.say({ type: "prompt", content: "go" })
      yield* good.next("task_completed")
    }).pipe(Effect.scoped, Effect.provide(channelLayer({ ...plain, authenticator: signing() })))
  )

  it.live("who does not sign in in time is told so (R178, R234)", () =>
    Effect.gen(function* () {
      const one = yield* client(transport)
      assert.strictEqual((yield* one.next("error")).error.code, "handshake_timeout")
      code((yield* one.closed).code, 4408)
    }).pipe(
      Effect.scoped,
      Effect.provide(channelLayer({ ...plain, authenticator: signing(), limit: { handshake_ms: 20 } }))
    )
  )

  it.live("a viewer watches; a requester asks; an approver answers, by name (R273)", () => {
    const { tool } = probe({ risk: "mutating" })
    const script = () => turns(answer("", [call("c1", "probe")]), answer("ok"))
    return Effect.gen(function* () {
      const requester = yield* client(transport, someone("requester"))
      yield* requester.say({ type: "hello", session_id: "s" })
      yield* requester.next("status")
      const [viewer, approver] = [
        yield* client(transport, someone("viewer")),
        yield* client(transport, someone("approver"))
      ]
      for (const one of [viewer, approver]) {
        yield* one.say({ type: "resume", session_id: "s" })
        yield* one.next("status")
      }
      yield* requester.say({ type: "prompt", content: "go" })
      const { request_id } = yield* viewer.next("approval_request")
      const allow = { type: "approval_response", request_id, decision: "allow_once" }
      for (const [one, message] of [
        [viewer, { type: "prompt", content: "x" }],
        [viewer, { type: "interrupt" }],
        [viewer, { type: "command", name: "clear" }],
        [viewer, allow],
        [requester, allow],
        [approver, { type: "prompt", content: "x" }]
      ] as const) {
        yield* one.say(message)
        assert.strictEqual((yield* one.next("error")).error.code, "forbidden")
      }
      yield* approver.say(allow)
      assert.strictEqual((yield* requester.next("approval_resolved")).by, "approver")
      yield* viewer.next("approval_resolved")
      yield* approver.say(allow)
      const { error } = yield* approver.next("error")
      assert.deepStrictEqual([error.code, error.request_id], ["approval_already_resolved", request_id])
      yield* viewer.next("task_completed")
    }).pipe(Effect.scoped, Effect.provide(channelLayer({ script, tools: [tool] })))
  })

  it.live("too many messages are refused with a time; who goes on is cut off (R233)", () =>
    Effect.gen(function* () {
      const one = yield* client(transport)
      for (let n = 0; n < 30; n++) yield* one.say({ type: "ping", nonce: String(n) })
      const { error } = yield* one.next("error")
      assert.deepStrictEqual([error.code, error.retryable], ["rate_limited", true])
      assert.isAtLeast(error.retry_after_ms ?? 0, 1)
      code((yield* one.closed).code, 4429)
      assert.strictEqual(one.events.filter(({ type }) => type === "pong").length, 5)
    }).pipe(Effect.scoped, Effect.provide(channelLayer({ ...plain, limit: { messages_per_second: 5 } })))
  )

  it.live("prompts of one principal are counted over its connections (R233)", () =>
    Effect.gen(function* () {
      for (const wanted of ["task_completed", "error"] as const) {
        const one = yield* client(transport)
        yield* one.say({ type: "prompt", content: "go" })
        const event = yield* one.next(wanted)
        if (event.type === "error") assert.strictEqual(event.error.code, "rate_limited")
      }
    }).pipe(Effect.scoped, Effect.provide(channelLayer({ ...plain, limit: { prompts_per_minute: 1 } })))
  )

  it.live("a reader that stalls is cut off, its task goes on, and it resumes without a gap (R235)", () => {
    const speech = flowing("y".repeat(65_536))
    return Effect.gen(function* () {
      const present = (yield* Channels).attached(localOwner, "s" as SessionId)
      const [slow, other] = [yield* client(transport), yield* client(transport)]
      yield* slow.say({ type: "hello", session_id: "s" })
      yield* other.say({ type: "hello", session_id: "s" })
      yield* other.next("status")
      yield* slow.say({ type: "prompt", content: "1" })
      yield* slow.next("text_delta")
      yield* slow.stall
      yield* Effect.repeat(Effect.andThen(Effect.sleep(2), present), { until: (left) => left === 1 })
      yield* speech.stop
      yield* other.next("task_completed")
      yield* slow.resume
      assert.strictEqual((yield* slow.next("error")).error.code, "slow_consumer")
      code((yield* slow.closed).code, 4008)
      const { seq } = slow.facts().at(-1)!
      const back = yield* client(transport)
      yield* back.say({ type: "hello", session_id: "s", after: { seq } })
      yield* back.next("status")
      assert.deepStrictEqual([...slow.facts(), ...back.facts()], other.facts())
    }).pipe(
      Effect.scoped,
      Effect.provide(channelLayer({ script: () => () => speech.stream, limit: { write_ms: 3000 } }))
    )
  })

  it.live("a peer that answers no heartbeat is dead; its task is not (R239, SETTLED 1)", () => {
    const stream = held("a", "b")
    return Effect.gen(function* () {
      const one = yield* client(transport)
      yield* one.say({ type: "hello", session_id: "s" })
      yield* one.say({ type: "prompt", content: "1" })
      yield* one.next("ping")
      yield* one.closed
      const two = yield* client(transport)
      yield* two.say({ type: "resume", session_id: "s" })
      yield* stream.go
      yield* two.next("task_completed")
    }).pipe(
      Effect.scoped,
      Effect.provide(channelLayer({ script: () => () => stream.stream, limit: { heartbeat_ms: 20, dead_ms: 60 } }))
    )
  })

  it.live("who is silent while nothing runs is told to come back (R181)", () =>
    Effect.gen(function* () {
      const one = yield* client(transport)
      yield* one.say({ type: "prompt", content: "1" })
      yield* one.next("task_completed")
      assert.strictEqual((yield* one.next("error")).error.code, "idle_timeout")
      code((yield* one.closed).code, 4409)
    }).pipe(Effect.scoped, Effect.provide(channelLayer({ ...plain, limit: { idle_ms: 50 } })))
  )

  it.live("an ending server takes no prompts, tells the deadline, closes with 1001 and cancels nothing", () => {
    const stream = held("a", "b")
    return Effect.gen(function* () {
      const channels = yield* Channels
      const one = yield* client(transport)
      yield* one.say({ type: "prompt", content: "1" })
      yield* one.next("text_delta")
      yield* channels.drain(0)
      assert.strictEqual((yield* one.next("draining")).deadline, "1970-01-01T00:00:00.000Z")
      yield* one.say({ type: "prompt", content: "2" })
      assert.strictEqual((yield* one.next("error")).error.code, "server_draining")
      yield* channels.closeAll
      code((yield* one.closed).code, 1001)
      assert.strictEqual(yield* channels.count, 0)
      assert.deepStrictEqual(one.facts().filter(({ type }) => type.startsWith("task_")).length, 1)
      const late = yield* client(transport)
      assert.strictEqual((yield* late.next("error")).error.code, "server_draining")
    }).pipe(Effect.scoped, Effect.provide(channelLayer({ script: () => () => stream.stream })))
  })
})

tellTheSame([/reader that stalls/])
