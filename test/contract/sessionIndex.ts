/** What every driver of the session index must do (R044, R048, R052; PROTOCOL §4). A function of a layer. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { Journal, type JournalRecord } from "../../src/store/Journal.ts"
import { SessionIndex } from "../../src/store/SessionIndex.ts"
import type { StoreError } from "../../src/store/StoreError.ts"
import { TaskId } from "../../src/domain/Ids.ts"
import type { Usage } from "../../src/domain/Usage.ts"
import { filled, meta, readAll, record, run, sessionId } from "../support/storeRecords.ts"

type Store = Layer.Layer<Journal | SessionIndex, StoreError>

const at = (minute: number) => `2026-03-01T10:${String(minute).padStart(2, "0")}:00.000Z`

const entries = (store: Store) => {
  it.effect("gives back what was created, and refuses an id that is taken", () =>
    Effect.gen(function* () {
      const index = yield* SessionIndex
      const full = meta("full", { model: "m-1", mode: "ask", title: "Ünïcode 漢字 👍 'quoted' \"twice\"" })
      yield* index.create(full)
      yield* index.create(meta("bare"))
      assert.deepStrictEqual(yield* index.get(full.session_id), full)
      assert.deepStrictEqual(yield* index.get(sessionId("bare")), meta("bare"))
      assert.strictEqual((yield* Effect.flip(index.create(meta("full", { title: "other" })))).code, "session_exists")
      assert.deepStrictEqual(yield* index.get(full.session_id), full)
      assert.strictEqual((yield* Effect.flip(index.get(sessionId("none")))).code, "session_not_found")
    }).pipe(Effect.provide(store))
  )

  it.effect("replaces a lone surrogate before it is stored", () =>
    Effect.gen(function* () {
      const index = yield* SessionIndex
      yield* index.create(meta("s", { title: "a\ud800b" }))
      assert.strictEqual((yield* index.get(sessionId("s"))).title, "a\ufffdb")
    }).pipe(Effect.provide(store))
  )

  it.effect("never keeps the mode bypass; a change to it forgets the mode of before (R273)", () =>
    Effect.gen(function* () {
      const index = yield* SessionIndex
      yield* index.create(meta("s", { mode: "bypass" }))
      assert.deepStrictEqual(yield* index.get(sessionId("s")), meta("s"))
      yield* index.update(sessionId("s"), { mode: "accept-edits" })
      assert.deepStrictEqual(yield* index.update(sessionId("s"), { mode: "bypass" }), meta("s"))
      assert.deepStrictEqual(yield* index.list(), [meta("s")])
    }).pipe(Effect.provide(store))
  )

  it.effect("changes what is given and nothing else", () =>
    Effect.gen(function* () {
      const index = yield* SessionIndex
      yield* index.create(meta("s", { model: "m-1" }))
      const changed = yield* index.update(sessionId("s"), { title: "new", updated_at: at(5) })
      assert.deepStrictEqual(changed, meta("s", { model: "m-1", title: "new", updated_at: at(5) }))
      assert.deepStrictEqual(yield* index.get(sessionId("s")), changed)
      assert.deepStrictEqual(yield* index.update(sessionId("s"), {}), changed)
      assert.deepStrictEqual(yield* index.update(sessionId("s"), { mode: "plan", model: "m-2" }), {
        ...changed,
        mode: "plan",
        model: "m-2"
      })
      assert.strictEqual((yield* Effect.flip(index.update(sessionId("none"), {}))).code, "session_not_found")
    }).pipe(Effect.provide(store))
  )

  it.effect("keeps whether a session was put aside, and lists with, without and only such", () =>
    Effect.gen(function* () {
      const index = yield* SessionIndex
      const [a, b] = [meta("a", { updated_at: at(2) }), meta("b", { updated_at: at(1) })]
      for (const each of [a, b]) yield* index.create(each)
      const put = { ...a, archived: true }
      assert.deepStrictEqual(yield* index.update(a.session_id, { archived: true }), put)
      assert.deepStrictEqual(yield* index.update(a.session_id, { title: a.title }), put)
      assert.deepStrictEqual(yield* index.list(), [put, b])
      assert.deepStrictEqual(yield* index.list({ archived: false }), [b])
      assert.deepStrictEqual(yield* index.list({ archived: true }), [put])
      assert.deepStrictEqual(yield* index.update(a.session_id, { archived: false }), a)
      assert.deepStrictEqual(yield* index.list({ archived: false }), [a, b])
    }).pipe(Effect.provide(store))
  )

  it.effect("lists the newest first, of one workspace where it is given, at most a limit", () =>
    Effect.gen(function* () {
      const index = yield* SessionIndex
      const a = meta("a", { updated_at: at(1) })
      const b = meta("b", { updated_at: at(3), workspace: "/other" })
      const c = meta("c", { updated_at: at(2) })
      const d = meta("d", { updated_at: at(2) })
      for (const each of [a, b, c, d]) yield* index.create(each)
      assert.deepStrictEqual(yield* index.list(), [b, d, c, a])
      assert.deepStrictEqual(yield* index.list({ limit: 2 }), [b, d])
      assert.deepStrictEqual(yield* index.list({ workspace: a.workspace }), [d, c, a])
      assert.deepStrictEqual(yield* index.list({ workspace: "/none" }), [])
      assert.deepStrictEqual(yield* index.list({ after: b, limit: 2 }), [d, c])
      assert.deepStrictEqual(yield* index.list({ after: d }), [c, a])
      assert.deepStrictEqual(yield* index.list({ after: d, workspace: "/other" }), [])
      assert.deepStrictEqual(yield* index.list({ after: a }), [])
    }).pipe(Effect.provide(store))
  )
}

const removal = (store: Store) => {
  it.effect("removes a session with its records, and fences who still writes, also after the id is used again", () =>
    Effect.gen(function* () {
      const index = yield* SessionIndex
      const journal = yield* Journal
      yield* index.create(meta("s"))
      const { session, epoch } = yield* filled("s", run(0, 1200))
      const other = yield* filled("other", run(0, 3))
      yield* index.remove(session, () => true)
      assert.deepStrictEqual(yield* readAll(session), { records: [], damaged: [] })
      assert.deepStrictEqual(yield* journal.readPublic(session, 0), { records: [], damaged: [], more: false })
      assert.deepStrictEqual((yield* readAll(other.session)).records, run(0, 3))
      for (const stale of [epoch, epoch + 1]) {
        assert.strictEqual((yield* Effect.flip(journal.append(session, stale, run(0, 1)))).code, "fenced")
      }
      assert.strictEqual((yield* Effect.flip(index.get(session))).code, "session_not_found")
      assert.strictEqual((yield* Effect.flip(index.remove(session))).code, "session_not_found")

      yield* index.create(meta("s"))
      const tail = yield* journal.claim(session, "again")
      assert.isAbove(tail.epoch, epoch)
      assert.deepStrictEqual({ pos: tail.pos, seq: tail.seq }, { pos: 0, seq: 0 })
      yield* journal.append(session, tail.epoch, run(0, 2))
      assert.strictEqual((yield* Effect.flip(journal.append(session, epoch, run(2, 1)))).code, "fenced")
      assert.deepStrictEqual((yield* readAll(session)).records, run(0, 2))
    }).pipe(Effect.provide(store))
  )
}

const held = (store: Store) => {
  it.effect("removes nothing of a session that somebody has, unless the caller says that it may (SETTLED 16)", () =>
    Effect.gen(function* () {
      const [index, journal] = [yield* SessionIndex, yield* Journal]
      yield* index.create(meta("s"))
      const { session, epoch } = yield* filled("s", run(0, 3))
      const asked: Array<string> = []
      const ask = (holder: string) => asked.push(holder) === 0
      for (const removed of [index.remove(session), index.remove(session, ask)]) {
        assert.strictEqual((yield* Effect.flip(removed)).code, "session_moved")
        assert.deepStrictEqual(yield* index.get(session), meta("s"))
        assert.deepStrictEqual((yield* readAll(session)).records, run(0, 3))
      }
      assert.deepStrictEqual(asked, ["filler"])
      yield* journal.append(session, epoch, run(3, 1))
      yield* journal.release(session, epoch)
      yield* index.remove(session)
      assert.strictEqual((yield* Effect.flip(index.get(session))).code, "session_not_found")
    }).pipe(Effect.provide(store))
  )
}

const numbers = (store: Store) => {
  it.effect("gives each number of a counter once (PROTOCOL §4, R304)", () =>
    Effect.gen(function* () {
      const index = yield* SessionIndex
      const next = index.nextNumber("tcp")
      const given = yield* Effect.all(
        Array.from({ length: 50 }, () => next),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(
        given.toSorted((a, b) => a - b),
        Array.from({ length: 50 }, (_, i) => i + 1)
      )
      assert.strictEqual(yield* index.nextNumber("web"), 1)
      assert.strictEqual(yield* next, 51)
      assert.deepStrictEqual([yield* index.nextNumber("tcp", 10), yield* next], [52, 62])
      assert.deepStrictEqual([yield* index.nextNumber("new", 5), yield* index.nextNumber("new")], [1, 6])
    }).pipe(Effect.provide(store))
  )
}

/** A model call that brings the session's total to this. */
const used = (pos: number, ts: string, session_usage: Usage): JournalRecord => ({
  ...record(pos, pos, { type: "usage", task_id: TaskId.make("t"), turn: 1, usage: session_usage, session_usage }),
  ts
})
const tokens = (input_tokens: number, output_tokens: number) => ({
  input_tokens,
  output_tokens,
  cached_tokens: 0,
  reasoning_tokens: 0,
  cost_usd: null
})

const spending = (store: Store) => {
  it.effect(
    "knows what each session and each day spent; a copy spent nothing, a day keeps what was removed (R261)",
    () =>
      Effect.gen(function* () {
        const [index, journal] = [yield* SessionIndex, yield* Journal]
        for (const name of ["a", "b", "copy", "idle"]) yield* index.create(meta(name))
        const [a, b] = [yield* filled("a", []), yield* filled("b", [])]
        const [first, second] = ["2026-03-01T23:59:59.999Z", "2026-03-02T00:00:00.000Z"]
        yield* journal.append(a.session, a.epoch, [
          used(1, first, { input_tokens: 10, output_tokens: 5 }),
          used(2, second, { input_tokens: 30, output_tokens: 6, cached_tokens: 4, cost_usd: 0.5 })
        ])
        yield* journal.append(b.session, b.epoch, [used(1, second, { input_tokens: 1, output_tokens: 1 })])
        yield* journal.append(a.session, a.epoch, [
          used(3, second, { input_tokens: 31, output_tokens: 6, cached_tokens: 4, reasoning_tokens: 2, cost_usd: 0.75 })
        ])
        const copy = yield* filled("copy", [])
        const copied = used(1, first, { input_tokens: 0, output_tokens: 0 })
        yield* journal.append(copy.session, copy.epoch, [copied], "copy")
        const ids = ["a", "b", "copy", "idle", "none"].map(sessionId)
        const total = { input_tokens: 31, output_tokens: 6, cached_tokens: 4, reasoning_tokens: 2, cost_usd: 0.75 }
        const both = { a: total, b: tokens(1, 1) }
        assert.deepStrictEqual<object>(Object.fromEntries(yield* index.spentBy(ids)), both)
        const days = [
          { day: "2026-03-01", usage: tokens(10, 5) },
          { day: "2026-03-02", usage: { ...total, input_tokens: 22, output_tokens: 2 } }
        ]
        assert.deepStrictEqual(yield* index.spentDays, days)
        const models = days.map((day) => ({ ...day, model: "" }))
        assert.deepStrictEqual(yield* index.spentModels, models)
        const tenantDays = [
          ["local", "2026-03-02"],
          ["local", "2026-03-03"],
          ["loca", "2026-03-02"]
        ] as const
        const spentOn = yield* Effect.forEach(tenantDays, ([tenant, day]) => index.spentOn(tenant, day))
        assert.deepStrictEqual(spentOn, [days[1]?.usage, tokens(0, 0), tokens(0, 0)])

        yield* index.remove(b.session, () => true)
        assert.deepStrictEqual(yield* index.spentDays, days)
        yield* index.create(meta("b"))
        const again = yield* journal.claim(b.session, "again")
        assert.deepStrictEqual(yield* index.spentBy([sessionId("b")]), new Map())
        yield* journal.append(b.session, again.epoch, [used(1, second, { input_tokens: 1, output_tokens: 0 })])
        assert.deepStrictEqual(yield* index.spentBy([sessionId("b")]), new Map([[sessionId("b"), tokens(1, 0)]]))
        assert.strictEqual((yield* index.spentDays)[1]?.usage.input_tokens, 23)
      }).pipe(Effect.provide(store))
  )

  it.effect("is told nothing of an append that was refused", () =>
    Effect.gen(function* () {
      const [index, journal] = [yield* SessionIndex, yield* Journal]
      const { session, epoch } = yield* filled("s", [])
      const late = used(7, at(1), { input_tokens: 10, output_tokens: 5 })
      yield* Effect.flip(journal.append(session, epoch, [late]))
      yield* Effect.flip(journal.append(session, epoch + 1, [used(1, at(1), { input_tokens: 10, output_tokens: 5 })]))
      assert.deepStrictEqual([yield* index.spentBy([session]), yield* index.spentDays], [new Map(), []])
    }).pipe(Effect.provide(store))
  )
}

export const sessionIndexContract = (name: string, store: Store) =>
  describe(`SessionIndex, ${name}`, () => {
    entries(store)
    removal(store)
    held(store)
    numbers(store)
    spending(store)
  })
