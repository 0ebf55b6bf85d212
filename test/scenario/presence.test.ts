/** Who is present, and what ends a presence: removal, the end of work, a revoked token, a full house (R175, R237, R241). */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect } from "effect"
import { Attachments } from "../../src/channel/Attachments.ts"
import type { SessionId } from "../../src/domain/Ids.ts"
import { localOwner, localPrincipal } from "../../src/domain/Principal.ts"
import { RuntimeManager } from "../../src/runtime/RuntimeManager.ts"
import { SessionIndex } from "../../src/store/SessionIndex.ts"
import { client, channelLayer } from "../support/channelKit.ts"
import { answer, call, turns } from "../support/engineKit.ts"
import { tellTheSame } from "../support/sameLogs.ts"
import { signing } from "../support/signing.ts"
import { endless, held } from "../support/streams.ts"
import { probe } from "../support/tools.ts"
import { transports } from "../support/transports.ts"

const s = "s" as SessionId
const emptied = Effect.flatMap(RuntimeManager, (manager) =>
  Effect.repeat(Effect.andThen(Effect.yieldNow, manager.count), { until: (left) => left === 0 })
)
const stored = Effect.flatMap(RuntimeManager, (manager) =>
  Effect.flatMap(manager.open(s), ({ state }) => Effect.map(state, ({ last }) => last?.status))
)
const plain = { script: () => turns(answer("ok")) }

describe.each(transports)("presence over $name", (transport) => {
  it.live("ends when the session is removed under everybody; what is sent behind it begins no other unasked", () => {
    const script = (id: string) => (id === "s" ? () => endless("a") : turns(answer("ok")))
    return Effect.gen(function* () {
      const attachments = yield* Attachments
      const [one, two] = [yield* client(transport), yield* client(transport)]
      yield* one.say({ type: "hello", session_id: s })
      yield* two.say({ type: "hello", session_id: s })
      yield* two.next("status")
      yield* one.say({ type: "prompt", content: "go" })
      yield* two.next("text_delta")
      yield* attachments.remove(localOwner, s)
      for (const each of [one, two]) {
        yield* each.next("task_canceled")
        assert.strictEqual((yield* each.next("error")).error.code, "session_not_found")
      }
      const manager = yield* RuntimeManager
      assert.deepStrictEqual([attachments.count(localOwner, s), yield* manager.count], [0, 0])
      const behind = [
        { type: "prompt", content: "go" },
        { type: "prompt", content: "and on", idempotency_key: "k", when_busy: "queue" },
        { type: "command", name: "rename", title: "x" },
        { type: "interrupt" },
        { type: "status" }
      ]
      for (const message of behind) {
        yield* two.say(message)
        assert.strictEqual((yield* two.next("error")).error.code, "session_not_found")
      }
      assert.strictEqual(yield* manager.count, 0)
      yield* two.say({ type: "hello" })
      yield* two.say({ type: "prompt", content: "go" })
      assert.strictEqual((yield* two.next("task_completed")).session_id, `${transport.name}-channel-session-1`)
      yield* one.say({ type: "hello", session_id: "other" })
      yield* one.say({ type: "prompt", content: "go" })
      assert.strictEqual((yield* one.next("task_completed")).session_id, "other")
      yield* attachments.remove(localOwner, "never" as SessionId)
    }).pipe(Effect.scoped, Effect.provide(channelLayer({ script })))
  })

  it.live("of one request lasts until its task has ended, whoever else goes (when_idle)", () => {
    const a = held("a", "!")
    return Effect.gen(function* () {
      const attachments = yield* Attachments
      const watcher = yield* client(transport)
      yield* watcher.say({ type: "hello", session_id: s })
      yield* watcher.next("status")
      const hold = yield* attachments.hold({ owner: localOwner, session_id: s, answers: false, counts: false })
      yield* hold.runtime.prompt({ content: "go" })
      yield* hold.leave("when_idle")
      yield* hold.leave("cancel")
      yield* watcher.next("text_delta")
      yield* watcher.say({ type: "close" })
      yield* watcher.closed
      assert.strictEqual(attachments.count(localOwner, s), 0)
      yield* a.go
      yield* emptied
      assert.strictEqual(yield* stored, "completed")
    }).pipe(Effect.scoped, Effect.provide(channelLayer({ script: () => () => a.stream })))
  })

  it.live("of who only looks changes nothing of what happens when the last one goes (SETTLED 2)", () =>
    Effect.gen(function* () {
      const attachments = yield* Attachments
      const look = attachments.hold({ owner: localOwner, session_id: s, answers: false, counts: false })
      const one = yield* client(transport)
      yield* one.say({ type: "hello", session_id: s })
      yield* one.say({ type: "prompt", content: "go" })
      yield* one.next("text_delta")
      const [before, during] = [yield* look, yield* look]
      yield* before.leave("unchanged")
      yield* one.say({ type: "close" })
      yield* one.closed
      assert.strictEqual((yield* during.runtime.status).tasks, 1)
      yield* during.leave("unchanged")
      yield* emptied
      assert.strictEqual(yield* stored, "canceled")
    }).pipe(Effect.scoped, Effect.provide(channelLayer({ script: () => () => endless("a") })))
  )

  it.live("of who only looks, or is refused, stops no detach time", () =>
    Effect.gen(function* () {
      const attachments = yield* Attachments
      const look = { owner: localOwner, session_id: s, answers: false, counts: false }
      const one = yield* client(transport)
      yield* one.say({ type: "hello", session_id: s, detach: true })
      yield* one.say({ type: "prompt", content: "go" })
      yield* one.next("text_delta")
      yield* one.say({ type: "close" })
      yield* one.closed
      yield* Effect.flatMap(attachments.hold(look), ({ leave }) => leave("unchanged"))
      const refused = yield* Effect.flip(attachments.hold({ ...look, counts: true, seen: 99 }))
      assert.strictEqual(refused.code, "position_ahead")
      yield* emptied
      assert.strictEqual(yield* stored, "canceled")
    }).pipe(
      Effect.scoped,
      Effect.provide(channelLayer({ script: () => () => endless("a"), limit: { detach_ms: 100 } }))
    )
  )

  it.live("that ends with its token leaves no question open, where nobody else can answer (R241, W013)", () => {
    const over = Deferred.makeUnsafe<void>()
    const { tool, log } = probe({ risk: "mutating" })
    const script = () => turns(answer("x", [call("c1", "probe", { n: 1 })]), answer("ok"))
    const authenticator = signing({
      who: () => ({ ...localPrincipal, name: "lost" }),
      revoked: ({ name }) => (name === "lost" ? Deferred.await(over) : Effect.never)
    })
    return Effect.gen(function* () {
      const attachments = yield* Attachments
      const [shared, alone] = [yield* client(transport), yield* client(transport)]
      for (const [one, session_id] of [
        [shared, "shared"],
        [alone, s]
      ] as const) {
        yield* one.say({ type: "hello", token: "t", session_id })
        yield* one.say({ type: "prompt", content: "go" })
        yield* one.next("approval_request")
      }
      const other = yield* client(transport, { ...localPrincipal, name: "me" })
      yield* other.say({ type: "resume", session_id: "shared" })
      const { request_id } = yield* other.next("approval_request")
      yield* other.next("status")
      const watcher = yield* client(transport, { ...localPrincipal, role: "viewer" })
      yield* watcher.say({ type: "resume", session_id: s })
      yield* watcher.next("status")
      yield* Deferred.succeed(over, undefined)
      yield* shared.closed
      yield* alone.closed
      const { by, decision, via } = yield* watcher.next("approval_resolved")
      assert.deepStrictEqual({ by, decision, via }, { by: undefined, decision: "deny", via: "cancel" })
      yield* watcher.next("task_completed")
      assert.strictEqual(attachments.count(localOwner, "shared" as SessionId), 1)
      yield* other.say({ type: "approval_response", request_id, decision: "allow_once" })
      const answered = yield* other.next("approval_resolved")
      assert.deepStrictEqual([answered.decision, answered.via, answered.by], ["allow_once", "user", "me"])
      yield* other.next("task_completed")
      assert.deepStrictEqual(log, ["+1", "-1"])
    }).pipe(Effect.scoped, Effect.provide(channelLayer({ script, tools: [tool], authenticator })))
  })

  it.live(
    "that means to come back is over when its token is: the task does not wait for the detach time (W013)",
    () => {
      const over = Deferred.makeUnsafe<void>()
      const authenticator = signing({ revoked: () => Deferred.await(over) })
      return Effect.gen(function* () {
        const one = yield* client(transport)
        yield* one.say({ type: "hello", token: "good", session_id: s, detach: true })
        yield* one.say({ type: "prompt", content: "go" })
        yield* one.next("text_delta")
        yield* one.cut
        const { count } = yield* Attachments
        yield* Effect.repeat(
          Effect.andThen(
            Effect.yieldNow,
            Effect.sync(() => count(localOwner, s))
          ),
          { until: (here) => here === 0 }
        )
        yield* Deferred.succeed(over, undefined)
        yield* emptied
        assert.strictEqual(yield* stored, "canceled")
      }).pipe(
        Effect.scoped,
        Effect.provide(
          channelLayer({ script: () => () => endless("a"), authenticator, limit: { detach_ms: 3_600_000 } })
        )
      )
    }
  )

  it.live("of a session that was deleted is not taken up again under its id", () =>
    Effect.gen(function* () {
      const [attachments, index] = [yield* Attachments, yield* SessionIndex]
      const one = yield* client(transport)
      yield* one.say({ type: "hello", session_id: s })
      yield* one.next("status")
      yield* attachments.remove(localOwner, s)
      yield* index.remove(s)
      yield* one.next("error")
      yield* one.say({ type: "prompt", content: "go" })
      yield* one.next("error")
      yield* one.say({ type: "resume", session_id: s })
      assert.strictEqual((yield* one.next("error")).error.code, "session_not_found")
      yield* one.say({ type: "hello" })
      yield* one.say({ type: "prompt", content: "go" })
      const { session_id } = yield* one.next("task_completed")
      assert.strictEqual(session_id, `${transport.name}-channel-session-1`)
      assert.strictEqual((yield* Effect.flip(index.get(s))).code, "session_not_found")
    }).pipe(Effect.scoped, Effect.provide(channelLayer(plain)))
  )

  it.live("ends with the token that made it, of hello and of the transport; the task runs on (R241)", () => {
    const [a, over] = [held("a", "!"), Deferred.makeUnsafe<void>()]
    const authenticator = signing({ revoked: () => Deferred.await(over) })
    return Effect.gen(function* () {
      const [said, known] = [yield* client(transport), yield* client(transport, localPrincipal)]
      yield* said.say({ type: "hello", token: "good", session_id: s })
      yield* said.say({ type: "prompt", content: "go" })
      yield* said.next("text_delta")
      yield* known.say({ type: "resume", session_id: s })
      yield* known.next("status")
      yield* Deferred.succeed(over, undefined)
      for (const each of [said, known]) {
        assert.strictEqual((yield* each.next("error")).error.code, "unauthenticated")
        const { code } = yield* each.closed
        if (code !== undefined) assert.strictEqual(code, 4401)
      }
      yield* a.go
      yield* emptied
      assert.strictEqual(yield* stored, "completed")
    }).pipe(Effect.scoped, Effect.provide(channelLayer({ script: () => () => a.stream, authenticator })))
  })

  it.live("is limited by sessions of one principal, not of the others (R237)", () =>
    Effect.gen(function* () {
      const [one, two] = [yield* client(transport), yield* client(transport)]
      yield* one.say({ type: "hello", session_id: s })
      yield* one.next("status")
      yield* two.say({ type: "hello", session_id: "t" })
      assert.strictEqual((yield* two.next("error")).error.code, "too_many_sessions")
      const eve = yield* client(transport, { ...localPrincipal, user: "eve" })
      yield* eve.say({ type: "hello", session_id: "t" })
      yield* eve.next("status")
      yield* two.say({ type: "resume", session_id: s })
      yield* two.next("status")
      yield* one.say({ type: "close" })
      yield* one.closed
      yield* two.say({ type: "prompt", content: "go" })
      yield* two.next("task_completed")
    }).pipe(Effect.scoped, Effect.provide(channelLayer({ ...plain, limit: { sessions_per_principal: 1 } })))
  )
})

tellTheSame()
