/**
 * Appends of many sessions in few commits. Owns: the queue of submitted appends, and the one fiber that commits them.
 * No window is waited for (SETTLED 17): the fiber takes what is there, and what is submitted by one piece of work, or
 * while a commit waits for its turn, is there together. Invariants: submitted means committed or refused, whatever
 * becomes of the submitter; an append that is refused takes no other one with it; appends commit in order of arrival.
 */
import { Array, Cause, Deferred, Effect, Exit, Fiber, Option, Queue, Scheduler } from "effect"
import type { SessionKey } from "../../domain/Principal.ts"
import * as Points from "../../observability/Points.ts"
import { type EncodedRecord, type Head, admit } from "../appendRule.ts"
import type { JournalRecord } from "../Journal.ts"
import { StoreError } from "../StoreError.ts"
import type { Unchained } from "../../approval/Audit.ts"
import type { Access } from "./access.ts"
import * as AuditTable from "./auditTable.ts"
import * as Projection from "./projection.ts"
import type { Statements } from "./sqlClient.ts"
import { type RecordRow, toRow } from "./recordRow.ts"
import { metAll } from "./sqliteError.ts"
import * as SpentTable from "./spentTable.ts"

/** Appends that may wait; behind them the submitter waits. */
const WAITING_APPENDS = 1024
/** One transaction takes at most this much, so that it blocks the loop for a few milliseconds at most. */
const TRANSACTION_ROWS = 200
const TRANSACTION_CHARS = 1_000_000
/** Rows of one INSERT. A text per count stands in the statement cache. */
const ROWS_PER_INSERT = 32

export interface Submission {
  readonly session: SessionKey
  readonly epoch: number
  readonly records: ReadonlyArray<JournalRecord>
  readonly encoded: ReadonlyArray<EncodedRecord>
  readonly as: "copy" | undefined
}

interface Waiting extends Submission {
  readonly done: Deferred.Deferred<void, StoreError>
}

interface HeadRow extends Head {
  readonly session: number
  readonly session_id: SessionKey
}

const charsOf = (waiting: Waiting): number => waiting.encoded.reduce((sum, { text }) => sum + text.length, 0)

const transactions = (batch: ReadonlyArray<Waiting>): ReadonlyArray<ReadonlyArray<Waiting>> => {
  const parts: Waiting[][] = []
  let rows = Number.POSITIVE_INFINITY
  let chars = 0
  for (const waiting of batch) {
    const more = charsOf(waiting)
    if (rows + waiting.records.length > TRANSACTION_ROWS || chars + more > TRANSACTION_CHARS) {
      parts.push([])
      rows = 0
      chars = 0
    }
    rows += waiting.records.length
    chars += more
    parts.at(-1)?.push(waiting)
  }
  return parts
}

const HEADS = `
  SELECT session, session_id, epoch, owner,
    coalesce((SELECT max(pos) FROM journal_records r WHERE r.session = h.session), 0) AS pos,
    coalesce((SELECT max(seq) FROM journal_records r WHERE r.session = h.session AND seq IS NOT NULL), 0) AS seq
  FROM journal_heads h WHERE session_id`

const readHeads = (all: Statements, sessions: ReadonlySet<SessionKey>): Map<SessionKey, HeadRow> => {
  const [first, ...others] = sessions
  // The common case, one session, spares the commit a tenth of its time.
  const rows =
    others.length === 0
      ? all(`${HEADS} = ?`, first)
      : all(`${HEADS} IN (SELECT value FROM json_each(?))`, JSON.stringify([first, ...others]))
  return new Map((rows as ReadonlyArray<HeadRow>).map((row) => [row.session_id, row]))
}

const COLUMNS = ["session", "pos", "seq", "event_id", "ts", "type", "payload", "checksum"] as const
const PLACES = `(${COLUMNS.map(() => "?").join(", ")})`

const insertAll = (all: Statements, rows: ReadonlyArray<RecordRow>): void => {
  for (const some of Array.chunksOf(rows, ROWS_PER_INSERT)) {
    const places = Array.makeBy(some.length, () => PLACES).join(", ")
    all(
      `INSERT INTO journal_records (${COLUMNS.join(", ")}) VALUES ${places}`,
      ...some.flatMap((row) => COLUMNS.map((column) => row[column]))
    )
  }
}

/** What may be lost with the machine's power, though not with this process: it is made again (SETTLED 17). */
const isRelaxed = ({ records }: Waiting): boolean => records.every(({ body }) => relaxedTypes.has(body.type))
const relaxedTypes: ReadonlySet<string> = new Set(["thinking", "usage", "model_head", "model_request"])

/** The types of its records; a decision with a grant says so. */
const pointOf = (part: ReadonlyArray<Waiting>): string => {
  const names = part.flatMap(({ records }) => records.map(({ body }) => ("grant" in body ? "grant" : body.type)))
  return `commit ${names.filter((name, i) => name !== names[i - 1]).join("+")}`
}

/** One transaction: what of `part` is admitted is stored; gives each one's outcome. */
const commit = (access: Access, part: ReadonlyArray<Waiting>) =>
  Points.around(() => pointOf(part), transaction(access, part))

const transaction = (access: Access, part: ReadonlyArray<Waiting>) =>
  access.atOnce(
    "append",
    (all) => {
      const heads = readHeads(all, new Set(part.map((waiting) => waiting.session)))
      const rows: RecordRow[] = []
      const audits: Array<() => ReadonlyArray<Unchained>> = []
      const outcomes = part.map((waiting): Exit.Exit<void, StoreError> => {
        const head = heads.get(waiting.session)
        const next = admit(head, waiting.session, waiting.epoch, waiting.records)
        if (next instanceof StoreError) return Exit.fail(next)
        const { session, records, as } = waiting
        const ungranted = as === "copy" ? undefined : Projection.grants(all, session, records)
        if (ungranted !== undefined) return Exit.fail(ungranted)
        if (head !== undefined) {
          heads.set(session, { ...head, ...next })
          audits.push(() =>
            as === "copy"
              ? Projection.copies(session, records)
              : Projection.entries(all, session, head.session, records)
          )
          if (as !== "copy") SpentTable.append(all, session, head.session, records)
          for (const encoded of waiting.encoded) rows.push(toRow(head.session, encoded))
        }
        return Exit.void
      })
      insertAll(all, rows)
      AuditTable.append(
        all,
        audits.flatMap((entries) => entries())
      )
      if (Points.isWatched()) Points.reach(`${pointOf(part)} inside`)
      return outcomes
    },
    part.every(isRelaxed)
  )

const finish = (waiting: Waiting, outcome: Exit.Exit<void, StoreError> | undefined) =>
  Effect.sync(() => Deferred.doneUnsafe(waiting.done, outcome ?? Exit.void))

const finishAll = (
  part: ReadonlyArray<Waiting>,
  outcome: Exit.Exit<ReadonlyArray<Exit.Exit<void, StoreError>>, StoreError>
) =>
  Effect.forEach(part, (waiting, i) => finish(waiting, Exit.isSuccess(outcome) ? outcome.value[i] : outcome), {
    discard: true
  })

const failedForAll = <A>(outcome: Exit.Exit<A, StoreError>): boolean => {
  const error = Exit.isFailure(outcome) ? Cause.findErrorOption(outcome.cause) : Option.none()
  return Option.isSome(error) && metAll(error.value)
}

/**
 * Where a transaction of several failed, each is tried alone: the one that the storage refuses fails alone. What met the
 * file fails all of the batch at once: each would wait for the lock again, and nothing is retried over a broken disk.
 */
const commitAll = Effect.fnUntraced(function* (access: Access, batch: ReadonlyArray<Waiting>) {
  const parts = [...transactions(batch)]
  for (let part = parts.shift(); part !== undefined; part = parts.shift()) {
    const outcome = yield* Effect.exit(commit(access, part))
    if (failedForAll(outcome)) {
      yield* finishAll([...part, ...parts.flat()], outcome)
      return
    }
    if (Exit.isSuccess(outcome) || part.length === 1) yield* finishAll(part, outcome)
    else parts.unshift(...part.map((waiting) => [waiting]))
  }
})

const closed = new StoreError({
  code: "storage_unavailable",
  operation: "append",
  detail: "The session store is closed. Nothing was stored."
})

/**
 * Wakes the writer behind the work that submitted, not in the loop's next turn: beside 500 streams a turn takes tens of
 * milliseconds (append p50 12 → 0.7 ms, p99 94 → 2.8). Still behind it: eight calls that start at once come together.
 * A queue schedules as the fiber that makes it does.
 */
const promptQueue = Queue.bounded<Waiting, Cause.Done>(WAITING_APPENDS).pipe(
  Effect.forkChild,
  Effect.flatMap(Fiber.join),
  Effect.provideService(Scheduler.Scheduler, new Scheduler.MixedScheduler("sync"))
)

/** The way in: an effect that ends when its append is committed or refused. */
export const make = Effect.fnUntraced(function* (access: Access) {
  const queue = yield* promptQueue
  const writer = Effect.gen(function* () {
    while (true) {
      yield* commitAll(access, yield* Queue.takeAll(queue))
    }
  })
  // The spans of a commit would belong to no one: it serves many appends, and each of those has its own.
  const fiber = yield* Effect.forkScoped(Effect.withTracerEnabled(Effect.ignore(writer), false))
  // Runs before the fiber's own finalizer would interrupt it: what was submitted is committed, then the layer goes.
  yield* Effect.addFinalizer(() => Effect.andThen(Queue.end(queue), Fiber.await(fiber)))
  return (submission: Submission): Effect.Effect<void, StoreError> =>
    Effect.uninterruptible(
      Effect.suspend(() => {
        const done = Deferred.makeUnsafe<void, StoreError>()
        return Effect.flatMap(Queue.offer(queue, { ...submission, done }), (accepted) =>
          accepted ? Deferred.await(done) : Effect.fail(closed)
        )
      })
    )
})
