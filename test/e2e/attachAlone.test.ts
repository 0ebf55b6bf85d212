/** `claw attach` where nobody can be asked, and where the server ends the conversation (R176, R319; SETTLED 5). */
import { existsSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { claw, SIDE_BY_SIDE, start, world } from "../support/e2eProgram.ts"
import { served } from "../support/e2eServer.ts"
import { calls, text } from "../support/fakeModelScript.ts"
import type { SessionId } from "../../src/domain/Ids.ts"
import { live, outcome, ways } from "../support/liveClient.ts"

const write = { id: "call_1", name: "write_file", arguments: JSON.stringify({ path: "new.txt", content: "new\n" }) }

describe("claw attach alone", SIDE_BY_SIDE, () => {
  it.live("a line of a pipe is no answer: another client gives it, and the line is the next prompt", () =>
    Effect.gen(function* () {
      const at = yield* world()
      at.model.script(calls([write]), text("Not then."), text("Next."))
      const { ready } = yield* served(at)
      const url = `tcp://127.0.0.1:${ready.tcp.port}`
      const piped = yield* start(["attach", "--url", url], { env: at.env, cwd: at.workspace, input: "write it\ny\n" })
      yield* at.model.arrived(1)
      const [tcp] = ways
      if (tcp === undefined) return assert.fail("no way")
      const id = "tcp-channel-session-1" as SessionId
      const other = yield* live(tcp.transport(tcp.portOf(ready)), { session_id: id, after: { seq: 0 } })
      const { request_id } = yield* other.event("approval_request")
      assert.strictEqual(yield* outcome(other.client.answer(request_id, { decision: "deny" })), "done")
      const ended = yield* piped.ended
      assert.deepStrictEqual([ended.code, ended.stdout], [0, "Not then.\nNext.\n"])
      assert.isFalse(existsSync(join(at.workspace, "new.txt")))
      assert.strictEqual(at.model.requests()[2]?.messages.at(-1)?.["content"], "y")
    }).pipe(Effect.scoped)
  )

  it.live("a token that is revoked ends it, with a sentence", () =>
    Effect.gen(function* () {
      const at = yield* world()
      const given = { env: at.env, cwd: at.workspace }
      const made = yield* claw(["token", "create", "--user", "ann", "--role", "member", "--json"], given)
      const { token, token_id } = JSON.parse(made.stdout) as { readonly token: string; readonly token_id: string }
      at.model.script(text("Hello."))
      const { ready } = yield* served(at, [])
      const url = `${ready.http.url.replace(/^http/, "ws")}/ws`
      const env = { ...at.env, CLAW_TOKEN: token }
      const piped = yield* start(["attach", "--url", url], { env, cwd: at.workspace, input: null })
      piped.child.stdin.write("hi\n")
      yield* at.model.gone(1)
      const revoked = yield* claw(["token", "revoke", token_id], given)
      assert.strictEqual(revoked.code, 0, revoked.stderr)
      const ended = yield* piped.ended
      assert.strictEqual(ended.code, 1)
      assert.match(ended.stderr, /^claw: .*does not accept this token.*\[unauthenticated\]\n$/)
    }).pipe(Effect.scoped)
  )
})
