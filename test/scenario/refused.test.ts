/** What follows a refused hello or resume runs nowhere else, and who may not answer loosens nothing (R176, R215, R273). */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { localPrincipal } from "../../src/domain/Principal.ts"
import { RuntimeManager } from "../../src/runtime/RuntimeManager.ts"
import { type Client, client, channelLayer } from "../support/channelKit.ts"
import { answer, turns } from "../support/engineKit.ts"
import { tellTheSame } from "../support/sameLogs.ts"
import { transports } from "../support/transports.ts"

const plain = { script: () => turns(answer("ok")) }
const code = (one: Client) => Effect.map(one.next("error"), ({ error }) => error.code)
const count = Effect.flatMap(RuntimeManager, (manager) => manager.count)

const wrong = [
  [{ type: "hello", create: { workspace: "/no/such/directory" } }, "workspace_unreadable"],
  [{ type: "hello", create: { mode: "plann" } }, "bad_message"],
  [{ type: "hello", create: { mode: "bypass" } }, "bad_message"],
  [{ type: "hello", session_id: "new", create: { mode: "bypass" } }, "bad_message"],
  [{ type: "hello", session_id: "nosuch", after: { seq: 5 } }, "session_not_found"],
  [{ type: "resume", session_id: "nosuch" }, "session_not_found"],
  [{ type: "hello", v: 2 }, "unsupported_version"],
  [{ type: "resume", session_id: "nosuch", v: 2 }, "unsupported_version"]
] as const

const behind = [
  { type: "prompt", content: "go" },
  { type: "unqueue", prompt_id: "prompt_1" },
  { type: "interrupt" },
  { type: "approval_response", request_id: "req_1", decision: "deny" },
  { type: "command", name: "rename", title: "x" },
  { type: "status" }
]

describe.each(transports)("a refusal over $name", (transport) => {
  for (const [message, refused] of wrong) {
    it.live(`holds for what is sent behind it: ${JSON.stringify(message)}`, () =>
      Effect.gen(function* () {
        const one = yield* client(transport)
        for (const said of [message, ...behind]) yield* one.say(said)
        for (let n = 0; n <= behind.length; n++) assert.strictEqual(yield* code(one), refused)
        yield* one.say({ type: "ping", nonce: "n" })
        yield* one.next("pong")
        assert.strictEqual(yield* count, 0)
        yield* one.say({ type: "hello", session_id: "mine" })
        yield* one.say({ type: "prompt", content: "go" })
        assert.strictEqual((yield* one.next("task_completed")).session_id, "mine")
      }).pipe(Effect.scoped, Effect.provide(channelLayer(plain)))
    )
  }

  it.live("of another session stops prompts for the one it is at, until it says which", () =>
    Effect.gen(function* () {
      const one = yield* client(transport)
      yield* one.say({ type: "hello", session_id: "mine" })
      for (const message of [
        { type: "resume", session_id: "nosuch" },
        { type: "hello", session_id: "other" }
      ]) {
        yield* one.say(message)
        yield* one.say({ type: "prompt", content: "go" })
        assert.strictEqual(yield* code(one), yield* code(one))
        yield* one.say({ type: "resume", session_id: "mine" })
        yield* one.say({ type: "prompt", content: "go" })
        assert.strictEqual((yield* one.next("task_completed")).session_id, "mine")
      }
    }).pipe(Effect.scoped, Effect.provide(channelLayer({ script: () => () => answer("ok") })))
  )

  it.live("meets who may ask but not answer, and would have edits go unasked (R273)", () =>
    Effect.gen(function* () {
      const one = yield* client(transport, { ...localPrincipal, role: "requester", name: "r" })
      yield* one.say({ type: "hello", create: { mode: "accept-edits" } })
      assert.strictEqual(yield* code(one), "forbidden")
      yield* one.say({ type: "hello", session_id: "s", create: { mode: "plan" } })
      yield* one.next("status")
      yield* one.say({ type: "command", name: "set_mode", mode: "accept-edits" })
      assert.strictEqual(yield* code(one), "forbidden")
      yield* one.say({ type: "command", name: "set_mode", mode: "ask" })
      assert.strictEqual((yield* one.next("status")).mode, "ask")
      const member = yield* client(transport, { ...localPrincipal, role: "member", name: "m" })
      yield* member.say({ type: "resume", session_id: "s" })
      yield* member.say({ type: "command", name: "set_mode", mode: "accept-edits" })
      yield* member.next("status", ({ mode }) => mode === "accept-edits")
      yield* one.say({ type: "command", name: "set_mode", mode: "accept-edits" })
      yield* one.next("status", ({ mode }) => mode === "accept-edits")
      yield* member.say({ type: "command", name: "set_mode", mode: "bypass" })
      assert.strictEqual(yield* code(member), "bad_message")
    }).pipe(Effect.scoped, Effect.provide(channelLayer(plain)))
  )
})

tellTheSame()
