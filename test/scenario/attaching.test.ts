/** Coming to a session: hello, replay at any position, switching; and what is refused (PROTOCOL, Resume). */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { type Client, client, channelLayer } from "../support/channelKit.ts"
import { answer, turns } from "../support/engineKit.ts"
import { held } from "../support/streams.ts"
import { tellTheSame } from "../support/sameLogs.ts"
import { transports } from "../support/transports.ts"
import { localPrincipal } from "../../src/domain/Principal.ts"

const types = (one: Client) => one.events.map(({ type }) => type)
const told = (one: Client) =>
  one.events.flatMap((event) => (event.type === "text_delta" ? [event.content] : [])).join("")

describe.each(transports)("attaching over $name", (transport) => {
  it.live("hello tells who, where and how far; a status follows (R176, R207)", () =>
    Effect.gen(function* () {
      const one = yield* client(transport)
      yield* one.say({ type: "hello", v: 1, session_id: "mine", create: { title: "t", mode: "plan" } })
      const hello = yield* one.next("hello")
      assert.deepStrictEqual(
        [hello.session_id, hello.server.name, hello.principal?.name, hello.position, hello.limits.message_bytes],
        ["mine", "claw", "local", 0, 65_536]
      )
      const status = yield* one.next("status")
      assert.deepStrictEqual(
        [status.title, status.mode, status.state, status.workspace, status.queue, status.counters.attached],
        ["t", "plan", "idle", "/", [], 1]
      )
      yield* one.say({ type: "hello" })
      assert.strictEqual((yield* one.next("error")).error.code, "bad_message")
    }).pipe(Effect.scoped, Effect.provide(channelLayer({ script: () => turns(answer("ok")) })))
  )

  it.live("resume at every seq, in an open stream, misses and repeats nothing (R215)", () => {
    const stream = held("Hello ", "world")
    const script = () => turns(answer("one"), stream.stream)
    return Effect.gen(function* () {
      const one = yield* client(transport)
      yield* one.say({ type: "hello", session_id: "s" })
      yield* one.say({ type: "prompt", content: "1" })
      yield* one.next("task_completed")
      yield* one.say({ type: "prompt", content: "2" })
      const { stream_id } = yield* one.next("text_delta")
      const { seq } = one.facts().at(-1)!
      const late: Array<readonly [Client, number]> = []
      for (let after = 0; after <= seq; after++) {
        const other = yield* client(transport)
        yield* other.say({ type: "resume", session_id: "s", after: { seq: after, stream_id, offset: after % 7 } })
        yield* other.next("status")
        late.push([other, after])
      }
      yield* stream.go
      yield* one.next("task_completed")
      const all = one.facts()
      for (const [other, after] of late) {
        yield* other.next("task_completed", (event) => event.seq === all.at(-1)!.seq)
        assert.deepStrictEqual(other.facts(), all.slice(after), `after ${after}`)
        assert.strictEqual(told(other), "Hello world".slice(after % 7))
        assert.strictEqual(types(other).filter((type) => type === "status").length, 1)
      }
    }).pipe(Effect.scoped, Effect.provide(channelLayer({ script })))
  })

  it.live("a position beyond the end, another's session and an unknown one are refused (R215, SETTLED 23)", () =>
    Effect.gen(function* () {
      const [one, other] = [yield* client(transport), yield* client(transport, { ...localPrincipal, user: "eve" })]
      yield* one.say({ type: "hello", session_id: "s" })
      yield* one.next("status")
      yield* one.say({ type: "resume", session_id: "s", after: { seq: 9 } })
      assert.strictEqual((yield* one.next("error")).error.code, "position_ahead")
      yield* other.say({ type: "resume", session_id: "s" })
      const foreign = yield* other.next("error")
      yield* other.say({ type: "resume", session_id: "unknown" })
      const unknown = yield* other.next("error")
      assert.strictEqual(foreign.error.code, "session_not_found")
      assert.deepStrictEqual(foreign.error, unknown.error)
      yield* one.say({ type: "prompt", content: "go" })
      assert.strictEqual((yield* one.next("task_completed")).session_id, "s")
    }).pipe(Effect.scoped, Effect.provide(channelLayer({ script: () => turns(answer("ok")) })))
  )

  it.live("switching leaves the old session: its task is cancelled, unless detach was said (SETTLED 2)", () => {
    const [a, b] = [held("a", "."), held("b", ".")]
    const script = (id: string) => () => (id === "a" ? a.stream : b.stream)
    return Effect.gen(function* () {
      const one = yield* client(transport)
      yield* one.say({ type: "hello", session_id: "a" })
      yield* one.say({ type: "prompt", content: "a" })
      yield* one.next("text_delta")
      const watcher = yield* client(transport)
      yield* watcher.say({ type: "hello", session_id: "b", detach: true })
      yield* watcher.say({ type: "prompt", content: "b" })
      yield* watcher.next("text_delta")
      yield* one.say({ type: "resume", session_id: "b", after: { seq: 0 } })
      yield* one.next("status")
      yield* watcher.say({ type: "resume", session_id: "a", after: { seq: 0 } })
      yield* watcher.next("task_canceled", (event) => event.session_id === "a")
      yield* b.go
      yield* one.next("task_completed", (event) => event.session_id === "b")
      const ids = one.events.map((event): string | undefined => event.session_id)
      assert.strictEqual(ids.lastIndexOf("a") + 1, ids.indexOf("b"))
    }).pipe(Effect.scoped, Effect.provide(channelLayer({ script })))
  })
})

tellTheSame()
