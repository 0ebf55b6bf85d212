/**
 * What every driver does with the decisions of an append: grants and the audit (R151–R158, R161, R168; SETTLED 8, 18).
 * A function of a layer: run it from the driver's own test file.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { TestClock } from "effect/testing"
import { AuditLog } from "../../src/approval/AuditLog.ts"
import { GrantStore, type OwnedGrants } from "../../src/approval/GrantStore.ts"
import { digestOf } from "../../src/approval/matching.ts"
import type { CallId, GrantId, SessionId } from "../../src/domain/Ids.ts"
import { sessionKey } from "../../src/domain/Principal.ts"
import { Journal } from "../../src/store/Journal.ts"
import { SessionIndex } from "../../src/store/SessionIndex.ts"
import type { StoreError } from "../../src/store/StoreError.ts"
import { ada, audited, called, eve, grant, granted, resolved, s, used, writer } from "../support/decisions.ts"

type Store = Layer.Layer<Journal | SessionIndex | GrantStore | AuditLog, StoreError>

const ids = (grants: OwnedGrants, session: SessionId = s, tool = "bash") =>
  Effect.map(grants.active(session, tool), (found) => found.map(({ grant_id }) => grant_id as string))

const giving = (store: Store) => {
  it.effect("a grant is there with its decision, whole, and for its owner, session and tool alone (R151, R161)", () =>
    Effect.gen(function* () {
      const grants = yield* GrantStore
      const [mine, hers] = [grants.for(ada), grants.for(eve)]
      yield* (yield* writer(ada))(granted(grant("g1")))
      yield* (yield* writer(eve))(granted(grant("g2")))
      assert.deepStrictEqual(yield* mine.list(s), [grant("g1")])
      assert.deepStrictEqual([yield* ids(mine), yield* ids(hers)], [["g1"], ["g2"]])
      assert.deepStrictEqual([yield* ids(mine, "t" as SessionId), yield* ids(mine, s, "write_file")], [[], []])
      assert.deepStrictEqual(yield* grants.list(s), [])
      assert.isFalse(yield* hers.revoke(s, "g1" as GrantId))
      assert.deepStrictEqual(
        (yield* hers.page(s)).grants.map((kept) => [kept.user, kept.grant.grant_id]),
        [["eve", "g2"]]
      )
      yield* mine.save(s, grant("g3"))
      assert.deepStrictEqual(yield* ids(mine), ["g1"])
    }).pipe(Effect.provide(store))
  )

  it.effect(
    "it ends at its expiry and not a moment later, and a clock that was set back lengthens nothing (R155)",
    () =>
      Effect.gen(function* () {
        const mine = (yield* GrantStore).for(ada)
        const write = yield* writer(ada)
        yield* write(granted(grant("g1")), granted(grant("odd", { expires_at: "whenever" })))
        yield* write(
          granted(grant("later", { created_at: "1970-01-01T01:00:00.000Z", expires_at: "1970-01-01T09:00:00.000Z" }))
        )
        assert.deepStrictEqual(yield* ids(mine), ["g1"])
        yield* TestClock.adjust("1 hour")
        assert.deepStrictEqual(yield* ids(mine), ["g1", "later"])
        yield* TestClock.setTime(8 * 3_600_000 - 1)
        assert.deepStrictEqual(yield* ids(mine), ["g1", "later"])
        yield* TestClock.adjust(1)
        assert.deepStrictEqual(yield* ids(mine), ["later"])
        yield* TestClock.setTime(0)
        assert.deepStrictEqual(yield* ids(mine), ["g1"])
      }).pipe(Effect.provide(store))
  )

  it.effect("a revocation is at once, told by whom and when, once, and stands in the audit (R156, R157)", () =>
    Effect.gen(function* () {
      const grants = yield* GrantStore
      const mine = grants.for(ada)
      yield* (yield* writer(ada))(granted(grant("g1")), granted(grant("g2")))
      yield* TestClock.adjust("1 minute")
      assert.isTrue(yield* mine.revoke(s, "g1" as GrantId, "bob"))
      assert.isFalse(yield* mine.revoke(s, "g1" as GrantId, "mallory"))
      assert.isFalse(yield* mine.revoke(s, "none" as GrantId, "bob"))
      assert.isTrue(yield* grants.everyone.revoke("g2" as GrantId, "operator"))
      assert.deepStrictEqual(yield* ids(mine), [])
      const kept = yield* grants.everyone.find("g1" as GrantId)
      const ended = { revoked_at: "1970-01-01T00:01:00.000Z", revoked_by: "bob" }
      assert.deepStrictEqual(kept, { ...ada, session_id: s, grant: grant("g1"), uses: 0, ...ended })
      const { entries } = yield* (yield* AuditLog).page({ after: 2 })
      assert.deepStrictEqual(
        entries.map(({ kind, grant_id, who }) => [kind, grant_id, who]),
        [
          ["grant_revoked", "g1", "bob"],
          ["grant_revoked", "g2", "operator"]
        ]
      )
    }).pipe(Effect.provide(store))
  )

  it.effect("each call that it allowed is counted (R157)", () =>
    Effect.gen(function* () {
      const grants = yield* GrantStore
      const write = yield* writer(ada)
      yield* write(granted(grant("g1")))
      yield* write(used("g1"), used("g1"))
      yield* write(resolved({ decision: "deny", via: "grant", grant_id: "g1" as GrantId }))
      yield* (yield* writer(eve))(used("g1"))
      const kept = yield* grants.everyone.find("g1" as GrantId)
      assert.deepStrictEqual(kept, {
        ...ada,
        session_id: s,
        grant: grant("g1"),
        uses: 2,
        last_used_at: "1970-01-01T00:00:02.000Z"
      })
    }).pipe(Effect.provide(store))
  )

  it.effect("many are read page by page", () =>
    Effect.gen(function* () {
      const grants = yield* GrantStore
      const write = yield* writer(ada)
      yield* write(...["g1", "g2", "g3", "g4", "g5"].map((id) => granted(grant(id))))
      yield* grants.for(ada).revoke(s, "g2" as GrantId)
      const pages: Array<ReadonlyArray<string>> = []
      for (let after: GrantId | undefined, more = true; more;) {
        const page = yield* grants.for(ada).page(s, { limit: 2, ...(after === undefined ? {} : { after }) })
        pages.push(page.grants.map((kept) => kept.grant.grant_id))
        after = page.next
        more = after !== undefined
      }
      assert.deepStrictEqual(pages, [
        ["g1", "g3"],
        ["g4", "g5"]
      ])
      assert.strictEqual((yield* grants.everyone.page()).grants.length, 4)
    }).pipe(Effect.provide(store))
  )

  it.effect("a removed session takes its grants with it, and one made anew under its name has none (SETTLED 18)", () =>
    Effect.gen(function* () {
      const [grants, index] = [yield* GrantStore, yield* SessionIndex]
      yield* (yield* writer(ada))(granted(grant("g1")))
      yield* (yield* writer(eve))(granted(grant("g2")))
      yield* index.for(ada).remove(s, () => true)
      yield* writer(ada)
      assert.deepStrictEqual([yield* ids(grants.for(ada)), yield* ids(grants.for(eve))], [[], ["g2"]])
      assert.deepStrictEqual(yield* audited({ owner: ada }), ["1 decision ada allow_session", "3 session_removed ada"])
      assert.deepStrictEqual((yield* (yield* AuditLog).verify()).faults, [])
    }).pipe(Effect.provide(store))
  )
}

const auditing = (store: Store) => {
  it.effect("every decision is an entry of one chain over all owners, and each owner sees its own (R158, R161)", () =>
    Effect.gen(function* () {
      const audit = yield* AuditLog
      const [mine, hers] = [yield* writer(ada), yield* writer(eve)]
      yield* mine(resolved(), resolved({ decision: "deny", rule: "no-push", reason: "the rule denies it" }))
      yield* hers(resolved({ via: "user", by: "eve\nforged" }))
      yield* mine(resolved({ decision: "deny", via: "timeout" }))
      assert.deepStrictEqual(yield* audited(), [
        "1 decision ada allow_once",
        "2 decision ada deny",
        "3 decision eve allow_once",
        "4 decision ada deny"
      ])
      assert.deepStrictEqual(yield* audited({ owner: eve }), ["3 decision eve allow_once"])
      assert.deepStrictEqual(yield* audited({ owner: { ...eve, tenant: "other" } }), [])
      assert.deepStrictEqual(yield* audited({ owner: ada, decision: "deny", limit: 1 }), ["2 decision ada deny"])
      assert.deepStrictEqual(yield* audited({ since: "1970-01-01T00:00:02.000Z" }), ["4 decision ada deny"])
      assert.deepStrictEqual([yield* audited({ tool: "git" }), yield* audited({ session: "t" as SessionId })], [[], []])
      const first = yield* audit.page({ owner: ada, limit: 2 })
      assert.strictEqual(first.next, 2)
      const second = yield* audit.page({ owner: ada, limit: 2, after: first.next! })
      assert.deepStrictEqual([second.entries.map(({ n }) => n), second.next], [[4], undefined])
      const newest = yield* audit.page({ owner: ada, limit: 2, order: "newest" })
      assert.deepStrictEqual([newest.entries.map(({ n }) => n), newest.next], [[4, 2], 2])
      const oldest = yield* audit.page({ owner: ada, limit: 2, order: "newest", after: newest.next! })
      assert.deepStrictEqual([oldest.entries.map(({ n }) => n), oldest.next], [[1], undefined])
      const proof = yield* audit.verify({ n: 2, hash: first.entries[1]!.hash })
      assert.deepStrictEqual([proof.entries, proof.faults], [4, []])
    }).pipe(Effect.provide(store))
  )

  it.effect("a decision that does not say what it is about is told by its call", () =>
    Effect.gen(function* () {
      const write = yield* writer(ada)
      yield* write(called("call_1", { command: "old" }), called("call_2", { command: "ls" }))
      const {
        digest: _d,
        tool_name: _t,
        ...bare
      } = resolved({ call_id: "call_2" as CallId, decision: "deny", via: "cancel" })
      yield* write(bare)
      yield* write(called("call_2", { command: "same name, same append" }), bare)
      const { entries } = yield* (yield* AuditLog).page({})
      assert.deepStrictEqual(
        entries.map(({ tool_name, digest, via }) => [tool_name, digest, via]),
        ["ls", "same name, same append"].map((command) => ["bash", digestOf("bash", { command }), "cancel"])
      )
    }).pipe(Effect.provide(store))
  )

  it.effect("what a fork copies was decided elsewhere: one entry says so, and nothing is granted", () =>
    Effect.gen(function* () {
      const [journal, grants] = [yield* Journal, yield* GrantStore]
      yield* (yield* writer(ada))(granted(grant("g1")))
      const page = yield* journal.read(sessionKey(ada, s), 0)
      const copy = sessionKey(ada, "copy" as SessionId)
      const { epoch } = yield* journal.claim(copy, "fork")
      yield* journal.append(copy, epoch, page.records, "copy")
      assert.deepStrictEqual(yield* ids(grants.for(ada), "copy" as SessionId), [])
      assert.deepStrictEqual(yield* audited(), ["1 decision ada allow_session", "2 session_copied ada"])
      assert.deepStrictEqual((yield* (yield* AuditLog).verify()).faults, [])
    }).pipe(Effect.provide(store))
  )

  it.effect("an append that is refused leaves neither grant nor entry", () =>
    Effect.gen(function* () {
      const journal = yield* Journal
      const write = yield* writer(ada)
      yield* journal.claim(sessionKey(ada, s), "another")
      assert.strictEqual((yield* Effect.flip(write(granted(grant("g1"))))).code, "fenced")
      assert.deepStrictEqual([yield* ids((yield* GrantStore).for(ada)), yield* audited()], [[], []])
    }).pipe(Effect.provide(store))
  )
}

export const grantContract = (name: string, store: Store) => {
  describe(`GrantStore, ${name}`, () => giving(store))
  describe(`AuditLog, ${name}`, () => auditing(store))
}
