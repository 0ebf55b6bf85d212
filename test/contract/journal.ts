/**
 * What every driver of the journal must do (R042, R046–R048, R052; LESSONS 46, 47; RELIABILITY I3, I4, I11).
 * A function of a layer: run it from the driver's own test file.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, type Layer } from "effect"
import { CallId, StreamId, TaskId } from "../../src/domain/Ids.ts"
import { Journal, type JournalRecord } from "../../src/store/Journal.ts"
import { SessionIndex } from "../../src/store/SessionIndex.ts"
import type { StoreError } from "../../src/store/StoreError.ts"
import { filled, mixed, privateRecord, publicRecord, readAll, record, run, sessionId } from "../support/storeRecords.ts"

type Store = Layer.Layer<Journal | SessionIndex, StoreError>

const turn = { task_id: TaskId.make("task_1"), turn: 1 }
const odd = "lone \ud800 and \udfff, NUL \u0000, 漢字 👩‍👩‍👧 e\u0301 \u202e\u2028 \\u0041 \"'`"

const answer = [
  record(1, 1, {
    type: "text_completed",
    ...turn,
    stream_id: StreamId.make("str_1"),
    content: odd,
    reasoning: odd,
    finish_reason: "tool_calls",
    usage: { input_tokens: 10, output_tokens: 20, cost_usd: 0.0001 }
  }),
  record(2, undefined, { type: "raw_arguments", ...turn, call_id: CallId.make(odd), raw: "{not json" }),
  record(3, 2, { type: "tool_call", ...turn, call_id: CallId.make("c"), tool_name: odd, content: "{}", risk: "safe" })
]

const pages = (store: Store) => {
  it.effect("gives back every record as it was appended, odd text included (R046, R048)", () =>
    Effect.gen(function* () {
      const { session } = yield* filled("s", answer)
      assert.deepStrictEqual(yield* readAll(session), { records: answer, damaged: [] })
    }).pipe(Effect.provide(store))
  )

  it.effect("reads behind a position, at most a limit, and says whether there is more (R042)", () =>
    Effect.gen(function* () {
      const journal = yield* Journal
      const records = mixed(7)
      const { session } = yield* filled("s", records)
      const page = (from: number, to: number, more: boolean) => ({
        records: records.slice(from, to),
        damaged: [],
        more
      })
      assert.deepStrictEqual(yield* journal.read(session, 0, 3), page(0, 3, true))
      assert.deepStrictEqual(yield* journal.read(session, 3, 4), page(3, 7, false))
      assert.deepStrictEqual(yield* journal.read(session, 7, 4), page(7, 7, false))
      assert.deepStrictEqual(yield* journal.read(session, 99), page(7, 7, false))
      assert.deepStrictEqual(yield* journal.read(session, 0, 7), page(0, 7, false))
      assert.deepStrictEqual(yield* journal.read(sessionId("unknown"), 0), page(7, 7, false))
    }).pipe(Effect.provide(store))
  )

  it.effect("shows a reader of public records no private one, and seq without gaps (SETTLED 6, I4)", () =>
    Effect.gen(function* () {
      const journal = yield* Journal
      const records = mixed(9)
      const { session } = yield* filled("s", records)
      const open = records.filter((found) => found.seq !== undefined)
      const page = (from: number, to: number, more: boolean) => ({ records: open.slice(from, to), damaged: [], more })
      assert.deepStrictEqual(yield* journal.readPublic(session, 0), page(0, 5, false))
      assert.deepStrictEqual(yield* journal.readPublic(session, 1, 2), page(1, 3, true))
      assert.deepStrictEqual(yield* journal.readPublic(session, 3, 2), page(3, 5, false))
      assert.deepStrictEqual(yield* journal.readPublic(session, 5, 2), page(5, 5, false))
    }).pipe(Effect.provide(store))
  )

  it.effect("reads public records backwards, page by page, and knows what a session began with (R250)", () =>
    Effect.gen(function* () {
      const journal = yield* Journal
      const { session } = yield* filled("s", mixed(9))
      const { session: idle } = yield* filled("idle", [privateRecord(1)])
      const open = mixed(9).filter((found) => found.seq !== undefined)
      const page = (from: number, to: number, more: boolean) => ({ records: open.slice(from, to), damaged: [], more })
      assert.deepStrictEqual(yield* journal.readPublicBack(session, Number.MAX_SAFE_INTEGER), page(0, 5, false))
      assert.deepStrictEqual(yield* journal.readPublicBack(session, 99, 2), page(3, 5, true))
      assert.deepStrictEqual(yield* journal.readPublicBack(session, 4, 3), page(0, 3, false))
      assert.deepStrictEqual(yield* journal.readPublicBack(session, 4, 2), page(1, 3, true))
      assert.deepStrictEqual(yield* journal.readPublicBack(session, 1), page(5, 5, false))
      assert.deepStrictEqual(yield* journal.readPublicBack(sessionId("unknown"), 9), page(5, 5, false))
      const { session: long } = yield* filled("long", [publicRecord(1, 1, "x".repeat(5000)), publicRecord(2, 2)])
      const began = yield* journal.firstPrompts([session, idle, long, sessionId("unknown")])
      assert.deepStrictEqual(
        began,
        new Map([
          [session, "prompt 1"],
          [long, "x".repeat(4096)]
        ])
      )
      assert.deepStrictEqual(yield* journal.firstPrompts([]), new Map())
    }).pipe(Effect.provide(store))
  )

  it.effect("keeps a record of 5 MB", () =>
    Effect.gen(function* () {
      const records = [publicRecord(1, 1, "line of output\n".repeat(350_000)), publicRecord(2, 2), privateRecord(3)]
      const { session } = yield* filled("s", records)
      assert.deepStrictEqual(yield* readAll(session), { records, damaged: [] })
    }).pipe(Effect.provide(store))
  )
}

const refusals = (store: Store) => {
  const twoThere = [publicRecord(1, 1), privateRecord(2)]
  const wrong: Record<string, ReadonlyArray<JournalRecord>> = {
    "a position is skipped": [publicRecord(4, 2)],
    "a position is there already": [publicRecord(2, 2)],
    "a seq is skipped": [publicRecord(3, 3)],
    "a seq is there already": [publicRecord(3, 1)],
    "a public record has no seq": [record(3, undefined, publicRecord(3, 2).body)],
    "a private record has a seq": [record(3, 2, privateRecord(3).body)],
    "only the last of several is wrong": [publicRecord(3, 2), publicRecord(4, 3), publicRecord(6, 4)],
    "a body could not be read back": [record(3, 2, { type: "cleared", up_to_seq: Number.NaN })],
    "an id is not well-formed text": [{ ...publicRecord(3, 2), event_id: "\ud800" as never }]
  }
  for (const [why, records] of Object.entries(wrong)) {
    it.effect(`stores nothing of an append where ${why} (I4)`, () =>
      Effect.gen(function* () {
        const journal = yield* Journal
        const { session, epoch } = yield* filled("s", twoThere)
        const error = yield* Effect.flip(journal.append(session, epoch, records))
        assert.strictEqual(error.code, "storage_unavailable")
        assert.match(error.detail, /^Record \d of session s .*othing was stored/)
        assert.deepStrictEqual(yield* readAll(session), { records: twoThere, damaged: [] })
        yield* journal.append(session, epoch, [publicRecord(3, 2)])
      }).pipe(Effect.provide(store))
    )
  }

  it.effect("leaves a session with a holder who keeps it, and frees it on release (SETTLED 16, LESSONS 47)", () =>
    Effect.gen(function* () {
      const journal = yield* Journal
      const session = "kept" as Parameters<typeof journal.claim>[0]
      const keep = () => false
      const first = yield* journal.claim(session, "process 1@then", keep)
      const refused = yield* Effect.flip(journal.claim(session, "process 2@now", keep))
      assert.strictEqual(refused.code, "session_moved")
      assert.include(refused.detail, "process 1")
      const again = yield* journal.claim(session, "process 1@then", keep)
      yield* journal.release(session, first.epoch)
      assert.strictEqual((yield* Effect.flip(journal.claim(session, "process 2@now", keep))).code, "session_moved")
      yield* journal.release(session, again.epoch)
      const free = yield* journal.claim(session, "process 2@now", keep)
      const taken = yield* journal.claim(session, "process 3@later", (holder) => holder === "process 2@now")
      assert.isTrue(first.epoch < again.epoch && again.epoch < free.epoch && free.epoch < taken.epoch)
    }).pipe(Effect.provide(store))
  )

  it.effect("fences whoever wrote before a claim, and says who has the session (LESSONS 47, I11)", () =>
    Effect.gen(function* () {
      const journal = yield* Journal
      const { session, epoch } = yield* filled("s", twoThere)
      const tail = yield* journal.claim(session, "node-b")
      assert.deepStrictEqual(tail, { epoch: tail.epoch, pos: 2, seq: 1 })
      assert.isAbove(tail.epoch, epoch)
      for (const stale of [epoch, tail.epoch + 1, 0]) {
        const error = yield* Effect.flip(journal.append(session, stale, [publicRecord(3, 2)]))
        assert.strictEqual(error.code, "fenced")
        assert.include(error.detail, "node-b")
      }
      assert.strictEqual((yield* Effect.flip(journal.append(session, epoch, []))).code, "fenced")
      const unclaimed = yield* Effect.flip(journal.append(sessionId("unclaimed"), 1, [publicRecord(1, 1)]))
      assert.strictEqual(unclaimed.code, "fenced")
      yield* journal.append(session, tail.epoch, [publicRecord(3, 2)])
      assert.deepStrictEqual((yield* readAll(session)).records, [...twoThere, publicRecord(3, 2)])
    }).pipe(Effect.provide(store))
  )
}

const concurrency = (store: Store) => {
  it.effect("keeps each session's order under 100 writing fibers (R304)", () =>
    Effect.gen(function* () {
      const journal = yield* Journal
      const sessions = yield* Effect.forEach(
        Array.from({ length: 10 }, (_, i) => `s${i}`),
        (name) => filled(name, [])
      )
      const writers = Array.from({ length: 100 }, (_, i) => i)
      yield* Effect.forEach(
        writers,
        (i) => {
          const { session, epoch } = sessions[i % 10] ?? { session: sessionId("none"), epoch: 0 }
          return journal.append(session, epoch, run(Math.floor(i / 10) * 3, 3))
        },
        { concurrency: "unbounded", discard: true }
      )
      for (const { session } of sessions) {
        assert.deepStrictEqual(yield* readAll(session, 7), { records: run(0, 30), damaged: [] })
      }
    }).pipe(Effect.provide(store))
  )

  it.effect("lets a bad append fail alone among those that arrive with it", () =>
    Effect.gen(function* () {
      const journal = yield* Journal
      const a = yield* filled("a", [])
      const b = yield* filled("b", [])
      const codes = yield* Effect.forEach(
        [
          journal.append(a.session, a.epoch, run(0, 2)),
          journal.append(a.session, a.epoch, run(7, 2)),
          journal.append(b.session, b.epoch + 5, run(0, 1)),
          journal.append(b.session, b.epoch, run(0, 1)),
          journal.append(a.session, a.epoch, run(2, 1))
        ],
        (append) => Effect.match(append, { onFailure: (error) => error.code as string, onSuccess: () => "stored" }),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(codes, ["stored", "storage_unavailable", "fenced", "stored", "stored"])
      assert.deepStrictEqual((yield* readAll(a.session)).records, run(0, 3))
      assert.deepStrictEqual((yield* readAll(b.session)).records, run(0, 1))
    }).pipe(Effect.provide(store))
  )

  it.effect("stores the whole of an append whose fiber is interrupted while it waits (R047)", () =>
    Effect.gen(function* () {
      const journal = yield* Journal
      const { session, epoch } = yield* filled("s", [])
      const waiting = yield* Effect.forkChild(journal.append(session, epoch, run(0, 50)), { startImmediately: true })
      yield* Fiber.interrupt(waiting)
      assert.deepStrictEqual((yield* readAll(session)).records, run(0, 50))
      yield* journal.append(session, epoch, run(50, 1))
    }).pipe(Effect.provide(store))
  )
}

const unfinished = (store: Store) => {
  it.effect("knows the sessions whose newest task has no end, and no removed ones", () =>
    Effect.gen(function* () {
      const [journal, index] = [yield* Journal, yield* SessionIndex]
      const ended = (pos: number, seq: number, type: "task_completed" | "task_canceled") =>
        record(pos, seq, { type, task_id: turn.task_id, usage: { input_tokens: 0, output_tokens: 0 } })
      yield* filled("empty", [])
      yield* filled("running", [
        publicRecord(1, 1),
        privateRecord(2),
        ...answer.map((one) => ({ ...one, pos: one.pos + 2, ...(one.seq === undefined ? {} : { seq: one.seq + 1 }) }))
      ])
      yield* filled("ended", [publicRecord(1, 1), ended(2, 2, "task_completed"), privateRecord(3)])
      yield* filled("again", [publicRecord(1, 1), ended(2, 2, "task_canceled"), publicRecord(3, 3)])
      const given = yield* filled("given_up", [publicRecord(1, 1)])
      yield* journal.release(given.session, given.epoch)
      yield* filled("removed", [publicRecord(1, 1)])
      yield* index.remove(sessionId("removed"), () => true)
      assert.deepStrictEqual((yield* journal.unfinished).toSorted(), ["again", "given_up", "running"])
    }).pipe(Effect.provide(store))
  )
}

export const journalContract = (name: string, store: Store) =>
  describe(`Journal, ${name}`, () => {
    pages(store)
    refusals(store)
    concurrency(store)
    unfinished(store)
  })
