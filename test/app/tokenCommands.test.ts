/** `claw token create` says what it takes from a server that runs: the token of its start (R251). */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { commandKit } from "../support/commandKit.ts"

describe("claw token create", () => {
  it.live("the first of another user says that the printed token ends, and how to one of one's own", () =>
    Effect.gen(function* () {
      const { claw } = yield* commandKit()
      const made = (user: string, ...flags: ReadonlyArray<string>) =>
        Effect.map(claw("token", "create", "--user", user, ...flags), ({ err }) => err)
      assert.match(yield* made("ann"), /printed counts no longer\. .*claw token create --user local\n$/)
      assert.notInclude(yield* made("ben"), "no longer")
    }).pipe(Effect.scoped)
  )

  it.live("one of one's own is that already; JSON is JSON alone", () =>
    Effect.gen(function* () {
      const [own, json] = [yield* commandKit(), yield* commandKit()]
      assert.notInclude((yield* own.claw("token", "create", "--user", "local")).err, "no longer")
      assert.strictEqual((yield* json.claw("token", "create", "--user", "ann", "--json")).err, "")
    }).pipe(Effect.scoped)
  )
})
