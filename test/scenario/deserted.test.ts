/** A question whose last possible answerer hangs up ends at once; one that somebody else can answer, or comes back for, stays (SETTLED 2, 5; R162, R175). */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Channels } from "../../src/channel/Channels.ts"
import type { SessionId } from "../../src/domain/Ids.ts"
import { localOwner, localPrincipal, type Role } from "../../src/domain/Principal.ts"
import { client, channelLayer } from "../support/channelKit.ts"
import { answer, call, turns } from "../support/engineKit.ts"
import { probe } from "../support/tools.ts"
import { tellTheSame } from "../support/sameLogs.ts"
import { type Transport, transports } from "../support/transports.ts"

const someone = (role: Role) => ({ ...localPrincipal, role, name: role })

/** A member was asked, and somebody else is there. */
const asked = Effect.fnUntraced(function* (transport: Transport, other: Role, more: object = {}) {
  const [member, beside] = [yield* client(transport, someone("member")), yield* client(transport, someone(other))]
  yield* member.say({ type: "hello", session_id: "s", ...more })
  yield* member.next("status")
  yield* beside.say({ type: "resume", session_id: "s" })
  yield* beside.next("status")
  yield* member.say({ type: "prompt", content: "go" })
  const { request_id } = yield* beside.next("approval_request")
  return { beside, member, request_id }
})

/** The server has seen that only one is left. */
const alone = Effect.flatMap(Channels, ({ attached }) =>
  Effect.repeat(Effect.andThen(Effect.yieldNow, attached(localOwner, "s" as SessionId)), {
    until: (here) => here === 1
  })
)

const kit = () => {
  const script = () => turns(answer("", [call("c1", "probe")]), answer("ok"))
  return channelLayer({ script, tools: [probe({ risk: "mutating" }).tool] })
}

describe.each(transports)("a question over $name", (transport) => {
  for (const way of ["close", "hangUp"] as const)
    it.live(`fails where who is left may only look: ${way}`, () =>
      Effect.gen(function* () {
        const { beside, member } = yield* asked(transport, "viewer")
        yield* way === "close" ? member.say({ type: "close" }) : member.cut
        const { error } = yield* beside.next("task_failed")
        assert.strictEqual(error.code, "approval_required")
      }).pipe(Effect.scoped, Effect.provide(kit()))
    )

  it.live("stays where who is left may answer", () =>
    Effect.gen(function* () {
      const { beside, member, request_id } = yield* asked(transport, "approver")
      yield* member.cut
      yield* alone
      yield* beside.say({ type: "approval_response", request_id, decision: "allow_once" })
      yield* beside.next("task_completed")
    }).pipe(Effect.scoped, Effect.provide(kit()))
  )

  it.live("stays where the one who may answer means to come back", () =>
    Effect.gen(function* () {
      const { beside, member, request_id } = yield* asked(transport, "viewer", { detach: true })
      yield* member.cut
      const back = yield* client(transport, someone("member"))
      yield* back.say({ type: "resume", session_id: "s", after: { seq: 0 } })
      yield* back.say({ type: "approval_response", request_id, decision: "allow_once" })
      yield* beside.next("task_completed")
    }).pipe(Effect.scoped, Effect.provide(kit()))
  )
})

describe.each(transports.filter(({ halves }) => halves))("a question over $name", (transport) => {
  it.live("fails where whoever could answer sends no more, and says so to them", () =>
    Effect.gen(function* () {
      const { beside, member } = yield* asked(transport, "viewer")
      yield* member.halfClose
      assert.strictEqual((yield* member.next("task_failed")).error.code, "approval_required")
      yield* beside.next("task_failed")
    }).pipe(Effect.scoped, Effect.provide(kit()))
  )
})

tellTheSame()
