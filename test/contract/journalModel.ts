/**
 * Any sequence of operations on a journal does what a plain list would (R304, RELIABILITY I4, I11).
 * Model: per session an epoch, whether it was removed, and an array of records.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, type Layer, Schema } from "effect"
import { Journal, type JournalRecord, type Page } from "../../src/store/Journal.ts"
import { SessionIndex } from "../../src/store/SessionIndex.ts"
import type { StoreError } from "../../src/store/StoreError.ts"
import { privateRecord, publicRecord, sessionId } from "../support/storeRecords.ts"

const between = (minimum: number, maximum: number) =>
  Schema.Int.pipe(Schema.check(Schema.isBetween({ minimum, maximum })))
const session = between(0, 2)

const Operation = Schema.Union([
  Schema.Struct({ do: Schema.Literal("claim"), session }),
  Schema.Struct({
    do: Schema.Literal("append"),
    session,
    /** Of records: true is private. */
    records: Schema.Array(Schema.Boolean).pipe(Schema.check(Schema.isMaxLength(4))),
    /** 0: right. */
    epochOff: Schema.Literals([0, 0, 0, 0, -1, 1]),
    posOff: Schema.Literals([0, 0, 0, 0, -1, 1])
  }),
  Schema.Struct({
    do: Schema.Literals(["read", "readPublic", "readPublicBack"]),
    session,
    after: between(0, 12),
    limit: between(1, 5)
  }),
  Schema.Struct({ do: Schema.Literal("remove"), session })
])
type Operation = typeof Operation.Type
type Of<Name extends Operation["do"]> = Extract<Operation, { readonly do: Name }>

interface Model {
  epoch: number
  claimed: boolean
  records: ReadonlyArray<JournalRecord>
}

const seqOf = (records: ReadonlyArray<JournalRecord>) => records.findLast((found) => found.seq !== undefined)?.seq ?? 0

const make = (after: ReadonlyArray<JournalRecord>, kinds: ReadonlyArray<boolean>, posOff: number) => {
  let seq = seqOf(after)
  return kinds.map((isPrivate, i) => {
    const pos = after.length + i + 1 + posOff
    return isPrivate ? privateRecord(pos) : publicRecord(pos, ++seq)
  })
}

const pageOf = (all: ReadonlyArray<JournalRecord>, limit: number): Page => ({
  records: all.slice(0, limit),
  damaged: [],
  more: all.length > limit
})

const append = Effect.fnUntraced(function* (model: Model, op: Of<"append">) {
  const journal = yield* Journal
  const records = make(model.records, op.records, op.posOff)
  const outcome = yield* journal
    .append(sessionId(`s${op.session}`), model.epoch + op.epochOff, records)
    .pipe(Effect.match({ onFailure: (error) => error.code as string, onSuccess: () => "stored" }))
  const fenced = !model.claimed || op.epochOff !== 0
  const refused = op.posOff !== 0 && records.length > 0
  assert.strictEqual(outcome, fenced ? "fenced" : refused ? "storage_unavailable" : "stored")
  if (!fenced && !refused) model.records = [...model.records, ...records]
})

const step = Effect.fnUntraced(function* (model: Model, op: Operation) {
  const journal = yield* Journal
  const id = sessionId(`s${op.session}`)
  switch (op.do) {
    case "append":
      return yield* append(model, op)
    case "claim": {
      const tail = yield* journal.claim(id, "model")
      assert.isAbove(tail.epoch, model.epoch)
      assert.deepStrictEqual(tail, { epoch: tail.epoch, pos: model.records.length, seq: seqOf(model.records) })
      model.epoch = tail.epoch
      model.claimed = true
      return
    }
    case "read":
      return assert.deepStrictEqual(
        yield* journal.read(id, op.after, op.limit),
        pageOf(model.records.slice(op.after), op.limit)
      )
    case "readPublic":
      return assert.deepStrictEqual(
        yield* journal.readPublic(id, op.after, op.limit),
        pageOf(
          model.records.filter((found) => (found.seq ?? 0) > op.after),
          op.limit
        )
      )
    case "readPublicBack": {
      const wanted = model.records.filter(({ seq = op.after }) => seq < op.after)
      const page = { records: wanted.slice(-op.limit), damaged: [], more: wanted.length > op.limit }
      return assert.deepStrictEqual(yield* journal.readPublicBack(id, op.after, op.limit), page)
    }
    case "remove": {
      const index = yield* SessionIndex
      const removed = yield* Effect.match(
        index.remove(id, () => true),
        {
          onFailure: (e) => e.code === "session_not_found",
          onSuccess: () => "removed"
        }
      )
      assert.strictEqual(removed, model.claimed ? "removed" : true)
      model.claimed = false
      model.records = []
    }
  }
})

export const journalModelContract = (
  name: string,
  store: Layer.Layer<Journal | SessionIndex, StoreError>,
  runs: number
) =>
  describe(`Journal against a list, ${name}`, () => {
    it.effect.prop(
      "does what a list would",
      [Schema.Array(Operation).pipe(Schema.check(Schema.isMaxLength(40)))],
      ([operations]) =>
        Effect.gen(function* () {
          const models = [0, 1, 2].map((): Model => ({ epoch: 0, claimed: false, records: [] }))
          for (const operation of operations) {
            const model = models[operation.session]
            if (model !== undefined) yield* step(model, operation)
          }
        }).pipe(Effect.provide(store)),
      { arbitrary: { runs, size: 40 } }
    )
  })
