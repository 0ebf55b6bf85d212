/**
 * Two clients, two sessions, any order of work and faults: whatever is cut or stalled, a client that comes back has
 * each session's facts without a gap, each task ends once, and streams are whole (R215, R308, R332).
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema, type Scope, Stream } from "effect"
import type { Channels } from "../../src/channel/Channels.ts"
import { isTerminal, type DurableEvent } from "../../src/domain/Event.ts"
import type { ModelPart } from "../../src/provider/ModelPart.ts"
import type { ServerEvent } from "../../src/protocol/ServerEvent.ts"
import { type Client, client, channelLayer } from "../support/channelKit.ts"
import { completed, text } from "../support/engineKit.ts"
import type { Doors } from "../support/doors.ts"
import { type Transport, transports } from "../support/transports.ts"

const Step = Schema.Struct({
  who: Schema.Literals([0, 1]),
  do: Schema.Literals(["go", "go", "queue", "stop", "switch", "cut", "hangUp", "stall", "resume", "ping"])
})

/** Slow enough that faults fall into the middle of it. */
const pieces = ["one ", "two ", "three ", "four"]
const speaking = Stream.fromArray<ModelPart>([...text(...pieces), completed(pieces.join(""))]).pipe(
  Stream.rechunk(1),
  Stream.tap(() => Effect.sleep(1))
)

interface Side {
  client: Client
  session: string
  /** Events of this connection already looked at. */
  seen: number
  /** Of each session: the facts so far, and the newest text of each stream. */
  readonly facts: Map<string, Array<DurableEvent>>
  readonly streams: Map<string, string>
  /** Streams of which this connection told something: it tells all that follows. */
  readonly live: Map<string, string>
  closed: boolean
}

const note = (side: Side, event: ServerEvent) => {
  if (event.type === "text_delta") {
    const known = side.streams.get(event.stream_id) ?? ""
    assert.isAtMost(event.offset, known.length, "a hole in a stream")
    side.live.set(event.stream_id, event.session_id)
    side.streams.set(event.stream_id, known.slice(0, event.offset) + event.content)
  }
  if (!("seq" in event)) return
  const facts = side.facts.get(event.session_id) ?? []
  assert.strictEqual(event.seq, facts.length + 1, "a gap, or an event twice")
  side.facts.set(event.session_id, [...facts, event])
  if (event.type !== "text_completed") return
  const shown = side.streams.get(event.stream_id) ?? ""
  assert.isTrue(event.content.startsWith(shown), "a stream that is not its text's beginning")
  if (side.live.has(event.stream_id)) assert.strictEqual(shown, event.content)
}

const look = (side: Side) => {
  for (const event of side.client.events.slice(side.seen)) note(side, event)
  side.seen = side.client.events.length
}

const position = (side: Side) => {
  const facts = side.facts.get(side.session) ?? []
  const open = facts.findLast((event) => event.type === "thinking")
  const offset = open === undefined ? undefined : side.streams.get(open.stream_id)?.length
  return { seq: facts.length, ...(offset === undefined ? {} : { stream_id: open?.stream_id, offset }) }
}

const connect = Effect.fnUntraced(function* (transport: Transport, side: Side) {
  look(side)
  side.client = yield* client(transport)
  side.seen = 0
  side.live.clear()
  side.closed = false
  yield* side.client.say({ type: "hello", session_id: side.session, after: position(side), detach: true })
  yield* side.client.next("status")
})

const act = (transport: Transport, side: Side, what: (typeof Step.Type)["do"]) =>
  Effect.gen(function* () {
    if (side.closed && what !== "cut" && what !== "hangUp") yield* connect(transport, side)
    look(side)
    const { client: one } = side
    if (what === "go") return yield* one.say({ type: "prompt", content: "go" })
    if (what === "queue") return yield* one.say({ type: "prompt", content: "next", when_busy: "queue" })
    if (what === "stop") return yield* one.say({ type: "interrupt" })
    if (what === "stall" || what === "resume") return yield* one[what]
    if (what === "ping") {
      yield* one.resume
      yield* one.say({ type: "ping", nonce: "n" })
      return yield* one.next("pong")
    }
    if (what === "switch") {
      yield* one.resume
      side.session = side.session === "s0" ? "s1" : "s0"
      yield* one.say({ type: "resume", session_id: side.session, after: position(side), detach: true })
      yield* one.next("status", ({ session_id }) => session_id === side.session)
      look(side)
      // Of what it has left it may be told the rest later, or the end alone.
      for (const [stream, session] of side.live) if (session !== side.session) side.live.delete(stream)
      return
    }
    yield* one[what]
    side.closed = true
    yield* one.closed
    look(side)
  })

/** Everybody returns, the work comes to its end, and everything is compared with the whole story. */
const settle = Effect.fnUntraced(function* (transport: Transport, side: Side) {
  if (!side.closed) {
    yield* side.client.resume
    yield* side.client.hangUp
    yield* side.client.closed
  }
  yield* connect(transport, side)
  for (;;) {
    yield* side.client.say({ type: "command", name: "resume_queue" })
    yield* side.client.say({ type: "status" })
    const status = yield* side.client.next("status")
    if (status.task === undefined && status.queue.length === 0) break
    yield* Effect.sleep(2)
  }
  look(side)
  const reader = yield* client(transport)
  yield* reader.say({ type: "resume", session_id: side.session })
  yield* reader.next("status")
  const story = reader.facts()
  assert.deepStrictEqual(side.facts.get(side.session) ?? [], story)
  const started = story.filter(({ type }) => type === "task_started").length
  assert.strictEqual(story.filter(isTerminal).length, started)
})

const play = (
  transport: Transport,
  steps: ReadonlyArray<typeof Step.Type>
): Effect.Effect<void, never, Scope.Scope | Channels | Doors> =>
  Effect.gen(function* () {
    const sides: Array<Side> = []
    for (const session of ["s0", "s1"]) {
      const side = {
        session,
        seen: 0,
        facts: new Map(),
        streams: new Map(),
        live: new Map<string, string>(),
        closed: false
      }
      const one = yield* client(transport)
      sides.push({ ...side, client: one })
      yield* one.say({ type: "hello", session_id: session, after: { seq: 0 }, detach: true })
      yield* one.next("status")
    }
    for (const { who, do: what } of steps) yield* act(transport, sides[who]!, what)
    for (const side of sides) yield* settle(transport, side)
  })

describe.each(transports)("two clients and two sessions over $name", (transport) => {
  it.live.prop(
    "have every fact once, every end once and every stream whole",
    [Schema.Array(Step).pipe(Schema.check(Schema.isMaxLength(25)))],
    ([steps]) =>
      play(transport, steps).pipe(
        Effect.scoped,
        Effect.provide(channelLayer({ script: () => () => speaking, limit: { prompts_per_minute: 100_000 } }))
      ),
    { arbitrary: { runs: 30, size: 25 } }
  )
})
