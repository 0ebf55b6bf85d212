/**
 * Another process on a store. `append FILE`: claims three sessions, appends three records to each in turn, and prints
 * `session pos` after each acknowledgement, for ever. `claim FILE SESSION`: claims, prints the epoch, waits for its
 * input to end, appends one record and prints what became of it. `lock FILE`: holds the write lock until its input ends.
 * `give FILE`: stores a grant, says so, waits for its input to end.
 */
import { Effect } from "effect"
import { once } from "node:events"
import { DatabaseSync } from "node:sqlite"
import { Journal } from "../../src/store/Journal.ts"
import { layerSqlite } from "../../src/store/sqlite/SqliteStore.ts"
import { ada, grant, granted, writer } from "./decisions.ts"
import { publicRecord, run, sessionId } from "./storeRecords.ts"

const [, , command = "", file = "", name = "s"] = process.argv

const inputEnd = Effect.promise(async () => {
  process.stdin.resume()
  await once(process.stdin, "end")
})
const say = (line: string) => Effect.sync(() => void process.stdout.write(`${line}\n`))

const append = Effect.gen(function* () {
  const journal = yield* Journal
  yield* Effect.forEach(
    ["a", "b", "c"],
    Effect.fnUntraced(function* (each) {
      const session = sessionId(each)
      const { epoch } = yield* journal.claim(session, "child")
      for (let pos = 0; ; pos += 3) {
        yield* journal.append(session, epoch, run(pos, 3))
        yield* say(`${each} ${pos + 3}`)
      }
    }),
    { concurrency: "unbounded", discard: true }
  )
})

const claim = Effect.gen(function* () {
  const journal = yield* Journal
  const tail = yield* journal.claim(sessionId(name), "the child")
  yield* say(`epoch ${tail.epoch} after ${tail.pos}`)
  yield* inputEnd
  const outcome = yield* Effect.match(
    journal.append(sessionId(name), tail.epoch, [publicRecord(tail.pos + 1, tail.seq + 1)]),
    {
      onFailure: (error) => error.code as string,
      onSuccess: () => "stored"
    }
  )
  yield* say(outcome)
})

const lock = Effect.gen(function* () {
  const db = new DatabaseSync(file)
  db.exec("BEGIN IMMEDIATE")
  yield* say("locked")
  yield* inputEnd
  db.exec("ROLLBACK")
  yield* say("free")
})

const give = Effect.gen(function* () {
  yield* (yield* writer(ada))(granted(grant("g1")))
  yield* say("granted")
  yield* inputEnd
})

const programs = { append, claim, lock, give } as Record<string, typeof append>
await Effect.runPromise(Effect.provide(programs[command] ?? Effect.die(command), layerSqlite(file)))
