/**
 * A session's events over HTTP: a page of facts, or all of them as they happen (SSE). Owns: resuming by Last-Event-ID,
 * the frame of one event. Does not own: merging, limits of a slow reader (channel/Outbox).
 * Invariants: `data` is the wire's text byte for byte; only facts have an `id`, their `seq`; a replay waits for its
 * reader; replay and live join without gap or overlap.
 */
import type { ServerResponse } from "node:http"
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import { Clock, Deferred, Effect, Exit, Metric, Option } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { Authenticator } from "../channel/Authenticator.ts"
import { Channels } from "../channel/Channels.ts"
import * as Outbox from "../channel/Outbox.ts"
import { Places } from "../channel/Places.ts"
import { AppConfig } from "../config/AppConfig.ts"
import { type DurableEvent, isPrivate } from "../domain/Event.ts"
import type { SessionId } from "../domain/Ids.ts"
import { may } from "../domain/Principal.ts"
import type { SessionRuntime } from "../runtime/SessionRuntime.ts"
import { connections, type Counts, counts } from "../observability/ServerMetrics.ts"
import { attributes } from "../observability/Telemetry.ts"
import type { JournalRecord } from "../store/Journal.ts"
import { type CallerShape, permitted } from "./apiCaller.ts"
import { refuse } from "./apiProblem.ts"
import { type Elsewhere, heldStatus, isStillThere, notAhead, orHeld } from "./apiHeld.ts"
import { indexOf, openSession, present, readFacts, readFactsBack, shown } from "./apiScope.ts"

/** Facts that a reader of a replay holds in memory at most. */
const PAGE = 50

const eventsOf = (id: SessionId, records: ReadonlyArray<JournalRecord>): ReadonlyArray<DurableEvent> =>
  records.flatMap(({ seq, event_id, ts, body }) =>
    seq === undefined || isPrivate(body) ? [] : [{ v: 1, session_id: id, seq, event_id, ts, ...body }]
  )

export const page = Effect.fnUntraced(function* (id: SessionId, after = 0, limit = 100) {
  const caller = yield* permitted("read")
  const held = yield* orHeld(caller, id, openSession(caller, id))
  if (held.kind === "here" && after > (yield* held.session.status).position) return yield* refuse("position_ahead")
  if (held.kind === "elsewhere") yield* notAhead(caller, id, after)
  const { records, damaged, more } = yield* readFacts(caller, id, after, limit)
  const next_after = records.at(-1)?.seq ?? after
  // As it is: a schema would put the fields of a fact into an order of its own.
  return HttpServerResponse.jsonUnsafe(
    { events: eventsOf(id, records), next_after, more, damaged: damaged.length },
    { headers: held.kind === "elsewhere" ? { "x-held-by": held.held_by } : {} }
  )
})

/** From the end back; no session is opened for it. */
export const history = Effect.fnUntraced(function* (id: SessionId, before = Number.MAX_SAFE_INTEGER, limit = 100) {
  const caller = yield* permitted("read")
  yield* (yield* indexOf(caller)).get(id)
  const { records, damaged, more } = yield* readFactsBack(caller, id, before, limit)
  const first = records[0]?.seq
  // As it is, like a page.
  return HttpServerResponse.jsonUnsafe({
    events: eventsOf(id, records),
    ...(more && first !== undefined ? { next_before: first } : {}),
    damaged: damaged.length
  })
})

/** The envelope comes first and an id has no quotes, so that a fact's `seq` is found without parsing. */
const SEQ = /^\{"v":1,"session_id":"[^"]*","seq":(\d+),/

export const frame = (text: string): string => {
  const seq = SEQ.exec(text)?.[1]
  return `${seq === undefined ? "" : `id: ${seq}\n`}data: ${text}\n\n`
}

const once = (response: ServerResponse, event: "drain" | "finish") =>
  Effect.callback<void>((resume) => {
    const heard = () => resume(Effect.void)
    response.once(event, heard)
    return Effect.sync(() => response.off(event, heard))
  })

/** Nothing goes behind the end, which a removal may put anywhere. */
const write = (response: ServerResponse, text: string): boolean => response.writableEnded || response.write(text)

/** Facts behind `after`, page by page, each when the one before has left; gives the last `seq`, or nothing where the reader is too slow. */
const replay = Effect.fnUntraced(function* (
  caller: CallerShape,
  id: SessionId,
  after: number,
  response: ServerResponse,
  { sent }: Counts
) {
  const { limit } = yield* AppConfig
  for (let from = after; ;) {
    const { records, more } = yield* readFacts(caller, id, from, PAGE)
    const events = eventsOf(id, records)
    const text = events.map((event) => frame(JSON.stringify(event))).join("")
    if (events.length > 0) sent("sse", events.length)
    if (text !== "" && !write(response, text)) {
      const drained = yield* Effect.timeoutOption(once(response, "drain"), limit.write_ms)
      if (Option.isNone(drained)) return undefined
    }
    from = records.at(-1)?.seq ?? from
    if (!more) return from
  }
})

const begin = (response: ServerResponse, headers: Readonly<Record<string, string>>): void => {
  response.writeHead(200, {
    ...headers,
    "content-type": "text/event-stream",
    "cache-control": "no-store",
    "x-accel-buffering": "no"
  })
  response.flushHeaders()
}

/** What a reader is told from outside, whenever it comes: its session is removed, the server ends. */
interface Reader {
  readonly over: Deferred.Deferred<void>
  /** What it was sent so far goes out. */
  flush: () => void
  /** Kept until there is something to tell it by. */
  deadline: number | undefined
  draining: (deadline: number) => void
}

const makeReader = (): Reader => {
  const reader: Reader = {
    over: Deferred.makeUnsafe(),
    flush: () => {},
    deadline: undefined,
    draining: (deadline) => void (reader.deadline = deadline)
  }
  return reader
}

const finish = (reader: Reader): void => {
  reader.flush()
  Deferred.doneUnsafe(reader.over, Effect.void)
}

/** What was written goes out, within the write time. */
const finished = (response: ServerResponse, write_ms: number) =>
  Effect.suspend(() => {
    response.end()
    return Effect.asVoid(Effect.timeoutOption(once(response, "finish"), write_ms))
  })

const drainingEvent = (session_id: SessionId, now: number, deadline: number) => ({
  v: 1 as const,
  session_id,
  ts: new Date(now).toISOString(),
  type: "draining" as const,
  deadline: new Date(deadline).toISOString()
})

/** Live from `after` on, until the reader is too slow or the connection's right ends. */
const live = Effect.fnUntraced(function* (
  caller: CallerShape,
  session: SessionRuntime,
  after: number,
  response: ServerResponse,
  count: Counts,
  reader: Reader
) {
  const { limit } = yield* AppConfig
  const clock = yield* Clock.Clock
  const slow = Deferred.makeUnsafe<void>()
  const outbox = Outbox.make({
    connection: {
      send: (text) => void write(response, frame(text)),
      buffered: () => response.writableLength,
      onDrain: (drained) => void response.on("drain", drained)
    },
    limits: limit,
    now: () => clock.currentTimeMillisUnsafe(),
    onWaiting: () => {},
    onSent: (messages) => count.sent("sse", messages),
    onSlow: () => Deferred.doneUnsafe(slow, Effect.void)
  })
  reader.flush = outbox.finish
  outbox.replaying(true)
  yield* session.subscribe({ after: { seq: after }, sink: outbox.sink })
  outbox.replaying(false)
  outbox.send(yield* shown(caller, session), "paced")
  reader.draining = (deadline) =>
    outbox.send(drainingEvent(session.session_id, clock.currentTimeMillisUnsafe(), deadline))
  if (reader.deadline !== undefined) reader.draining(reader.deadline)
  const beat = Effect.gen(function* () {
    yield* Effect.sleep(Math.min(limit.heartbeat_ms, limit.write_ms))
    outbox.look()
    if (outbox.lateAt() === undefined) write(response, ":\n\n")
  })
  yield* Effect.raceFirst(Deferred.await(slow), Effect.forever(beat))
  count.slow()
})

/** Milliseconds between two looks at what another process has stored. */
const LOOK_MS = 1000

interface To {
  readonly response: ServerResponse
  readonly count: Counts
}

/** Facts as another process stores them, as long as the session is there and the reader not too slow. */
const follow = Effect.fnUntraced(function* (
  caller: CallerShape,
  held: Elsewhere,
  after: number,
  reader: Reader,
  { response, count }: To
) {
  const { limit } = yield* AppConfig
  const clock = yield* Clock.Clock
  const { session_id: id } = held.meta
  const say = (event: object) => {
    count.sent("sse", 1)
    write(response, frame(JSON.stringify(event)))
  }
  say(yield* heldStatus(caller, held))
  reader.draining = (deadline) => say(drainingEvent(id, clock.currentTimeMillisUnsafe(), deadline))
  if (reader.deadline !== undefined) reader.draining(reader.deadline)
  const looks = Math.max(1, Math.floor(Math.min(limit.heartbeat_ms, limit.write_ms) / LOOK_MS))
  for (let [from, look] = [after, 1]; yield* isStillThere(caller, held); look++) {
    const next = yield* replay(caller, id, from, response, count)
    if (next === undefined) return count.slow()
    if (look % looks === 0) write(response, ":\n\n")
    from = next
    yield* Effect.sleep(LOOK_MS)
  }
  finish(reader)
})

const counted = <A, E, R>(effect: Effect.Effect<A, E, R>) => {
  const gauge = Metric.withAttributes(connections, { transport: "sse" })
  return Effect.acquireUseRelease(
    Effect.andThen(Metric.modify(gauge, 1), Effect.logInfo("a connection was opened")),
    () => effect,
    () => Effect.andThen(Metric.modify(gauge, -1), Effect.logInfo("a connection was closed"))
  ).pipe(Effect.annotateLogs({ [attributes.transport]: "sse" }))
}

/** A stream is a connection of its principal's, like any other. */
const placed = (caller: CallerShape) =>
  Effect.flatMap(Places, (places) =>
    Effect.acquireRelease(
      Effect.suspend(() => {
        const place = places.take(caller.principal)
        return place === undefined ? refuse("too_many_connections") : Effect.succeed(place)
      }),
      (place) => Effect.sync(place)
    )
  )

/** Answers by writing; what it gives is written already. */
export const stream = Effect.fnUntraced(function* (
  id: SessionId,
  after: number,
  headers: Effect.Effect<Readonly<Record<string, string>>>
) {
  const caller = yield* permitted("read")
  yield* placed(caller)
  const answers = may(caller.principal, "approve")
  const reader = makeReader()
  const close = () => finish(reader)
  const asked = { session_id: id, answers, counts: true, seen: after, onRemoved: close }
  const held = yield* orHeld(caller, id, present(caller, asked, "run_on"))
  if (held.kind === "elsewhere") yield* notAhead(caller, id, after)
  const request = yield* HttpServerRequest.HttpServerRequest
  const response = NodeHttpServerRequest.toServerResponse(request) as ServerResponse
  const [{ revoked }, { limit }, { attend }] = [yield* Authenticator, yield* AppConfig, yield* Channels]
  yield* attend({ draining: (deadline) => reader.draining(deadline), close })
  begin(response, yield* headers)
  const count = yield* counts
  const told = Effect.gen(function* () {
    const from = yield* replay(caller, id, after, response, count)
    if (from === undefined) return count.slow()
    if (held.kind === "here") return yield* live(caller, held.session, from, response, count, reader)
    yield* follow(caller, held, from, reader, { response, count })
  })
  const over = Effect.andThen(Deferred.await(reader.over), finished(response, limit.write_ms))
  yield* counted(Effect.scoped(Effect.raceAllFirst([told, revoked(caller.principal), over]))).pipe(
    Effect.onExit((exit) => Effect.sync(() => void (Exit.isSuccess(exit) ? response.destroy() : response.end()))),
    Effect.catchCause((cause) => Effect.logWarning("an event stream ended early", cause))
  )
  return HttpServerResponse.empty()
})
