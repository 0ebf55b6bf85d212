/**
 * What is another's is as if it were not there, whatever the verb (PROTOCOL §4, SETTLED 23, R273, SECURITY T12).
 * A matrix of owners and verbs over one id; a function of a layer.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { localOwner, type Owner, sessionKey } from "../../src/domain/Principal.ts"
import { Journal } from "../../src/store/Journal.ts"
import { SessionIndex } from "../../src/store/SessionIndex.ts"
import type { StoreError } from "../../src/store/StoreError.ts"
import { TaskId } from "../../src/domain/Ids.ts"
import { meta, record, run, sessionId } from "../support/storeRecords.ts"

type Store = Layer.Layer<Journal | SessionIndex, StoreError>

const ada: Owner = { tenant: "acme", project: "web", user: "ada" }
const id = sessionId("shared-name")
const owners: ReadonlyArray<readonly [string, Owner]> = [
  ["another user", { ...ada, user: "bob" }],
  ["another project", { ...ada, project: "app" }],
  ["another tenant", { ...ada, tenant: "umbrella" }],
  ["whoever sits at the machine", localOwner],
  ["an owner whose names are the same in another order", { tenant: "ada", project: "web", user: "acme" }],
  ["an owner whose joined names are the same", { tenant: "acme", project: "we", user: "b.ada" }]
]

/** Ada's session with four records, what it spent, and two numbers. */
const adas = Effect.gen(function* () {
  const [index, journal] = [yield* SessionIndex, yield* Journal]
  const own = index.for(ada)
  yield* own.create(meta("shared-name", { title: "Ada's" }))
  const key = sessionKey(ada, id)
  const { epoch } = yield* journal.claim(key, "ada's process")
  yield* journal.append(key, epoch, run(0, 3))
  const usage = { input_tokens: 7, output_tokens: 1 }
  const used = { type: "usage", task_id: TaskId.make("task_1"), turn: 1, usage, session_usage: usage } as const
  yield* journal.append(key, epoch, [record(4, 4, used)])
  yield* own.nextNumber("tcp")
  yield* own.nextNumber("tcp")
  return { own, key, epoch }
})

/** Nothing of Ada's has changed. */
const intact = Effect.fnUntraced(function* ({ own, key, epoch }: Effect.Success<typeof adas>) {
  const journal = yield* Journal
  assert.deepStrictEqual(yield* own.get(id), meta("shared-name", { title: "Ada's", owner: ada }))
  assert.deepStrictEqual(
    (yield* own.list()).map((found) => found.title),
    ["Ada's"]
  )
  assert.deepStrictEqual((yield* journal.read(key, 0, 3)).records, run(0, 3))
  assert.strictEqual((yield* own.spentBy([id])).get(id)?.input_tokens, 7)
  assert.strictEqual((yield* own.spentDays)[0]?.usage.input_tokens, 7)
  const day = (yield* own.spentDays)[0]?.day ?? ""
  const index = yield* SessionIndex
  assert.strictEqual((yield* index.spentOn(ada.tenant, day)).input_tokens, 7)
  yield* journal.append(key, epoch, [])
  assert.strictEqual(yield* own.nextNumber("tcp"), 3)
})

const untouched = (store: Store, [who, owner]: (typeof owners)[number]) =>
  it.effect(`${who} neither sees nor touches a session`, () =>
    Effect.gen(function* () {
      const hers = yield* adas
      const [index, journal] = [yield* SessionIndex, yield* Journal]
      const theirs = index.for(owner)
      const unknown = (name: string) => Effect.flip(theirs.get(sessionId(name)))
      const [foreign, none] = [yield* unknown("shared-name"), yield* unknown("no-such-name")]
      assert.strictEqual(foreign.detail.replaceAll("shared-name", "ID"), none.detail.replaceAll("no-such-name", "ID"))
      assert.deepStrictEqual([foreign.code, none.code], ["session_not_found", "session_not_found"])
      assert.deepStrictEqual(yield* theirs.list(), [])
      assert.deepStrictEqual(yield* theirs.list({ workspace: meta("s").workspace }), [])
      assert.deepStrictEqual([yield* theirs.spentBy([id]), yield* theirs.spentDays], [new Map(), []])
      assert.strictEqual((yield* Effect.flip(theirs.update(id, { title: "taken" }))).code, "session_not_found")
      assert.strictEqual((yield* Effect.flip(theirs.remove(id))).code, "session_not_found")
      const key = sessionKey(owner, id)
      assert.deepStrictEqual(yield* journal.read(key, 0), { records: [], damaged: [], more: false })
      assert.deepStrictEqual(yield* journal.readPublic(key, 0), { records: [], damaged: [], more: false })
      assert.deepStrictEqual(yield* journal.readPublicBack(key, 9), { records: [], damaged: [], more: false })
      assert.deepStrictEqual(yield* journal.firstPrompts([key]), new Map())
      assert.strictEqual((yield* Effect.flip(journal.append(key, hers.epoch, run(3, 1)))).code, "fenced")
      assert.strictEqual(yield* theirs.nextNumber("tcp"), 1)
      yield* intact(hers)
    }).pipe(Effect.provide(store))
  )

const apart = (store: Store, [who, owner]: (typeof owners)[number]) =>
  it.effect(`${who} may use the same id for a session of their own, and remove that one`, () =>
    Effect.gen(function* () {
      const hers = yield* adas
      const [index, journal] = [yield* SessionIndex, yield* Journal]
      const theirs = index.for(owner)
      yield* theirs.create(meta("shared-name", { title: "theirs" }))
      assert.deepStrictEqual(yield* theirs.list(), [meta("shared-name", { title: "theirs", owner })])
      const key = sessionKey(owner, id)
      const tail = yield* journal.claim(key, "another process", () => false)
      assert.deepStrictEqual([tail.pos, tail.seq], [0, 0])
      yield* journal.append(key, tail.epoch, run(0, 1))
      yield* theirs.update(id, { title: "renamed" })
      assert.deepStrictEqual(
        new Set((yield* index.owners).map((each) => JSON.stringify(each))),
        new Set([ada, owner].map((each) => JSON.stringify(each)))
      )
      yield* theirs.remove(id, () => true)
      yield* intact(hers)
    }).pipe(Effect.provide(store))
  )

export const tenantContract = (name: string, store: Store) =>
  describe(`Sessions of many owners, ${name}`, () => {
    for (const owner of owners) {
      untouched(store, owner)
      apart(store, owner)
    }

    it.effect("a session is its scope's, whatever the caller says it is", () =>
      Effect.gen(function* () {
        const index = yield* SessionIndex
        const forged = { ...meta("s"), owner: localOwner }
        yield* index.for(ada).create(forged)
        assert.deepStrictEqual((yield* index.for(ada).get(sessionId("s"))).owner, ada)
        assert.deepStrictEqual(yield* index.list(), [])
        const principal = { ...ada, role: "admin", name: "Ada" }
        yield* index.for(principal).create(meta("t"))
        assert.deepStrictEqual((yield* index.for(ada).get(sessionId("t"))).owner, ada)
      }).pipe(Effect.provide(store))
    )
  })
