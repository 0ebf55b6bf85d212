/** Running sessions of many owners: an id is found within its owner's scope and nowhere else (R273, SETTLED 23). */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { SessionId } from "../../src/domain/Ids.ts"
import { localOwner, type Owner } from "../../src/domain/Principal.ts"
import { RuntimeManager } from "../../src/runtime/RuntimeManager.ts"
import { answer, turns } from "../support/engineKit.ts"
import { layer, watch } from "../support/runtimeKit.ts"

const kit = layer({ script: () => turns(answer("ok")) })
const id = "s1" as SessionId
const ada: Owner = { tenant: "acme", project: "web", user: "ada" }
const others: ReadonlyArray<Owner> = [
  { ...ada, user: "bob" },
  { ...ada, project: "app" },
  { ...ada, tenant: "umbrella" },
  localOwner
]

describe("RuntimeManager of many owners", () => {
  for (const owner of others) {
    it.effect(`${owner.tenant}/${owner.project}/${owner.user} cannot reach a running session of ada's`, () =>
      Effect.gen(function* () {
        const manager = yield* RuntimeManager
        const [hers, theirs] = [manager.for(ada), manager.for(owner)]
        yield* hers.create(id, { workspace: "/" })
        const codes = yield* Effect.forEach([theirs.get(id), theirs.open(id), theirs.destroy(id)], (tried) =>
          Effect.map(Effect.flip(tried), (error) => error.code)
        )
        assert.deepStrictEqual(codes, ["session_not_found", "session_not_found", "session_not_found"])
        assert.deepStrictEqual([yield* theirs.list, yield* theirs.count], [[], 0])
        assert.deepStrictEqual([yield* hers.list, yield* hers.count], [[id], 1])
      }).pipe(Effect.scoped, Effect.provide(kit))
    )

    it.effect(`${owner.tenant}/${owner.project}/${owner.user} may run the same id beside hers, and end it alone`, () =>
      Effect.gen(function* () {
        const manager = yield* RuntimeManager
        const [hers, theirs] = [manager.for(ada), manager.for(owner)]
        const [mine, other] = [
          yield* hers.create(id, { workspace: "/" }),
          yield* theirs.create(id, { workspace: "/tmp" })
        ]
        const [seen, foreign] = [yield* watch(mine), yield* watch(other)]
        yield* (yield* mine.prompt({ content: "hers" })).task!.await
        assert.deepStrictEqual(foreign.events, [])
        assert.deepStrictEqual(new Set(seen.events.map((event) => event.session_id)), new Set([id]))
        assert.deepStrictEqual((yield* mine.status).meta.owner, ada)
        assert.deepStrictEqual((yield* other.status).meta.owner, owner)
        yield* theirs.destroy(id)
        assert.strictEqual((yield* hers.get(id)).session_id, id)
        yield* hers.destroy(id)
        const back = yield* hers.open(id)
        assert.strictEqual((yield* back.state).history.length, 2)
        assert.strictEqual((yield* (yield* theirs.open(id)).state).history.length, 0)
      }).pipe(Effect.scoped, Effect.provide(kit))
    )
  }
})
