/** Who asks faster than it reads the answers is held back, and costs no more than its limit (R186, R233, LESSONS 40). */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schedule, Stream } from "effect"
import { Channels } from "../../src/channel/Channels.ts"
import type { Connection } from "../../src/channel/Connection.ts"
import * as MemoryConnection from "../../src/channel/MemoryConnection.ts"
import type { SessionId } from "../../src/domain/Ids.ts"
import { RuntimeManager } from "../../src/runtime/RuntimeManager.ts"
import { channelLayer } from "../support/channelKit.ts"

const LIMIT = 65_536
const BIG = "y".repeat(50_000)

const STATUS = JSON.stringify({ type: "status" })

/** Waits for what no event tells: nothing moves any more. */
const still = (value: () => number) =>
  Effect.gen(function* () {
    const before = value()
    yield* Effect.sleep(30)
    return before > 0 && before === value() ? before : yield* Effect.fail("still moving")
  }).pipe(Effect.retry(Schedule.recurs(500)))

const until = (holds: () => boolean) =>
  Effect.retry(
    Effect.suspend(() => (holds() ? Effect.void : Effect.fail("not yet"))),
    Schedule.spaced(5)
  )

/** As a transport sees it: what `send` took and has not left. */
const stalled = Effect.gen(function* () {
  const channels = yield* Channels
  const { connection, client } = yield* MemoryConnection.make({})
  let [most, sent] = [0, 0]
  const watched: Connection = {
    ...connection,
    send: (text) => {
      sent += 1
      connection.send(text)
      most = Math.max(most, connection.buffered())
    }
  }
  client.stall()
  yield* Effect.forkScoped(channels.serve(watched), { startImmediately: true })
  return { client, most: () => most, sent: () => sent }
})

describe("a client that asks and does not read", () => {
  it.live("is heard again when it has read; its answers never pile up", () =>
    Effect.gen(function* () {
      const manager = yield* RuntimeManager
      const session = yield* manager.create("big" as SessionId, { workspace: "/" })
      yield* session.prompt({ content: "go" })
      yield* session.prompt({ content: BIG, when_busy: "queue" })
      const { client, most, sent } = yield* stalled
      const statuses: Array<unknown> = []
      client.onText((text) => void (JSON.parse(text).type === "status" && statuses.push(text)))
      yield* client.send(JSON.stringify({ type: "hello", session_id: "big" }))
      const asking = Effect.forEach(Array.from({ length: 200 }), () => client.send(STATUS), { discard: true })
      yield* Effect.forkScoped(asking)
      assert.isBelow(yield* still(sent), 6)
      assert.isBelow(most(), LIMIT + 2 * BIG.length)
      client.resume()
      yield* until(() => statuses.length === 201)
    }).pipe(
      Effect.scoped,
      Effect.provide(channelLayer({ script: () => () => Stream.never, limit: { outbox_bytes: LIMIT } }))
    )
  )
})
