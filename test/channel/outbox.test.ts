/** The one writer of a connection: whatever the reader's pace, what it gets is whole and in order (R186, R204; R205, R223). */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import type { SessionEvent } from "../../src/domain/Event.ts"
import { delta, fact, kit, tick, turn } from "../support/outboxKit.ts"

const Step = Schema.Union([
  Schema.Struct({ do: Schema.Literal("say"), stream: Schema.Literals(["a", "b"]), text: Schema.String }),
  Schema.Struct({ do: Schema.Literals(["fact", "tick"]) }),
  Schema.Struct({
    do: Schema.Literal("take"),
    kilobytes: Schema.Int.pipe(Schema.check(Schema.isBetween({ minimum: 1, maximum: 200 })))
  })
])

describe("an outbox", () => {
  it.effect.prop(
    "whatever the reader's pace: streams concatenate, facts keep their order, nothing moves across one",
    [Schema.Array(Step).pipe(Schema.check(Schema.isMaxLength(60))), Schema.Boolean],
    ([steps, big]) =>
      Effect.gen(function* () {
        const { wire, outbox, read } = kit()
        const offsets = { a: 0, b: 0 }
        let seq = 0
        const given: Array<readonly [string, string]> = []
        for (const one of steps) {
          if (one.do === "take") wire.take(one.kilobytes * 1000)
          if (one.do === "tick") yield* tick
          if (one.do === "fact") {
            outbox.sink([fact(++seq, big ? 30_000 : 0)])
            given.push(["#", String(seq)])
          }
          if (one.do === "say" && one.text !== "") {
            outbox.sink([delta(one.stream, offsets[one.stream], one.text)])
            offsets[one.stream] += one.text.length
            given.push([one.stream, one.text])
          }
        }
        outbox.finish()
        assert.deepStrictEqual(whole(read()), join(given))
      }),
    { arbitrary: { runs: 200, size: 60 } }
  )

  it.effect("deltas of one turn of the loop are one frame", () =>
    Effect.gen(function* () {
      const { outbox, read } = kit()
      for (const [at, letter] of ["H", "e", "y"].entries()) outbox.sink([delta("a", at, letter)])
      yield* tick
      assert.deepStrictEqual(read(), [delta("a", 0, "Hey")])
    })
  )

  it.effect("a reader that takes nothing is cut off by bytes, and hears no more", () =>
    Effect.gen(function* () {
      const { outbox, calls, wire } = kit({ outbox_bytes: 100_000 })
      for (let seq = 1; seq <= 30; seq++) {
        outbox.sink([fact(seq, 10_000)])
        yield* tick
      }
      assert.strictEqual(calls.slow, 1)
      const sent = wire.texts.length
      wire.take(1e9)
      outbox.sink([fact(31)])
      yield* tick
      assert.strictEqual(wire.texts.length, sent)
    })
  )

  it.effect("deltas that merged count with all their bytes", () =>
    Effect.gen(function* () {
      const { outbox, calls } = kit({ outbox_bytes: 100_000 })
      outbox.sink([fact(1, 70_000)])
      yield* tick
      for (let at = 0; at < 12; at++) outbox.sink([delta("a", at * 10_000, "x".repeat(10_000))])
      yield* tick
      assert.strictEqual(calls.slow, 1)
    })
  )

  it.effect("a stream that grows turn by turn behind a reader that takes nothing is cut off by bytes", () =>
    Effect.gen(function* () {
      const { outbox, calls } = kit({ outbox_bytes: 100_000 })
      outbox.sink([delta("a", 0, "x".repeat(80_000))])
      yield* tick
      outbox.sink([delta("b", 0, "y")])
      for (let offset = 1; offset < 200_000; offset += 10_000) {
        outbox.sink([delta("b", offset, "y".repeat(10_000))])
        yield* turn
      }
      yield* tick
      assert.strictEqual(calls.slow, 1)
    })
  )

  it.effect("a reader that takes nothing is cut off by events", () =>
    Effect.gen(function* () {
      const { outbox, calls } = kit({ outbox_events: 20 })
      outbox.sink([fact(1, 70_000)])
      yield* tick
      for (let seq = 2; seq <= 23; seq++) outbox.sink([fact(seq)])
      yield* tick
      assert.strictEqual(calls.slow, 1)
    })
  )

  it.effect("a reader of one byte now and then is cut off by the age of the oldest event", () =>
    Effect.gen(function* () {
      const { outbox, calls, wire } = kit({ write_ms: 1000 })
      outbox.sink([fact(1, 1000)])
      yield* tick
      assert.strictEqual(calls.waiting, 1)
      for (calls.now = 100; calls.now < 1000; calls.now += 100) {
        wire.take(1)
        outbox.look()
      }
      assert.strictEqual(calls.slow, 0)
      outbox.look()
      assert.strictEqual(calls.slow, 1)
    })
  )

  it.effect("one event larger than everything passes, and so do those after it", () =>
    Effect.gen(function* () {
      const { outbox, calls, wire } = kit({ outbox_bytes: 10_000 })
      outbox.sink([fact(1, 100_000)])
      yield* tick
      outbox.sink([fact(2), fact(3)])
      wire.take(1e9)
      yield* tick
      assert.deepStrictEqual([calls.slow, wire.texts.length], [0, 3])
    })
  )

  it.effect("a delta that many send is made into text once", () =>
    Effect.gen(function* () {
      let made = 0
      const event = Object.assign(delta("a", 0, "hello"), { toJSON: () => ({ type: "text_delta", made: ++made }) })
      const boxes = Array.from({ length: 5 }, () => kit())
      for (const { outbox } of boxes) outbox.sink([event])
      yield* tick
      assert.deepStrictEqual(
        boxes.map(({ wire }) => wire.texts),
        boxes.map(() => ['{"type":"text_delta","made":1}'])
      )
    })
  )
  it.effect("megabytes of one stream go out in pieces, as the reader takes them, and no pair is cut", () =>
    Effect.gen(function* () {
      const { outbox, wire, read } = kit()
      const text = `x${"\u{1f600}".repeat(500_000)}`
      outbox.replaying(true)
      outbox.sink([delta("a", 0, text)])
      outbox.replaying(false)
      outbox.sink([delta("a", text.length, "end")])
      yield* tick
      // No more is made into text than a reader may be given at once.
      assert.isBelow(wire.buffered(), 400_000)
      for (let turns = 0; turns < 100; turns++) {
        wire.take(1e9)
        yield* tick
      }
      const deltas = read().flatMap((event) => (event.type === "text_delta" ? [event] : []))
      assert.isTrue(deltas.every(({ content }) => content.isWellFormed() && content.length <= 65_536))
      let at = 0
      for (const { offset, content } of deltas) {
        assert.strictEqual(offset, at)
        at += content.length
      }
      assert.strictEqual(deltas.map(({ content }) => content).join(""), `${text}end`)
    })
  )
  it.effect("what comes while a reader takes what it missed is counted only once it has taken that", () =>
    Effect.gen(function* () {
      const { outbox, calls, wire } = kit({ outbox_bytes: 10_000 })
      outbox.replaying(true)
      outbox.sink([delta("a", 0, "x".repeat(1_000_000))])
      outbox.replaying(false)
      yield* tick
      for (let k = 0; k < 5; k++) {
        outbox.sink([delta("a", 1_000_000 + k * 5000, "y".repeat(5000))])
        yield* tick
        wire.take(100_000)
      }
      assert.strictEqual(calls.slow, 0)
      for (let turns = 0; turns < 50; turns++) {
        wire.take(1e9)
        yield* tick
      }
      // It has taken everything: from now on, what comes behind the first message counts.
      for (const at of [1_025_000, 1_045_000]) {
        outbox.sink([delta("a", at, "z".repeat(20_000))])
        yield* tick
      }
      assert.strictEqual(calls.slow, 1)
    })
  )
  it.effect("a replay is paced by its giver and cut off by age alone", () =>
    Effect.gen(function* () {
      const { outbox, calls, wire } = kit({ outbox_events: 16, outbox_bytes: 10_000 })
      outbox.replaying(true)
      outbox.sink(Array.from({ length: 100 }, (_, at) => fact(at + 1, 1000)))
      let taken = false
      outbox.whenTaken(() => {
        taken = true
      })
      yield* tick
      assert.isFalse(taken)
      wire.take(1e9)
      assert.deepStrictEqual([taken, calls.slow, wire.texts.length], [true, 0, 100])
    })
  )
})

/** Per stretch between facts: each stream's text. */
const join = (parts: ReadonlyArray<readonly [string, string]>): ReadonlyArray<string> => {
  const all: Array<string> = []
  let open = new Map<string, string>()
  const close = () => {
    for (const stream of ["a", "b"]) if (open.has(stream)) all.push(`${stream}:${open.get(stream)}`)
    open = new Map()
  }
  for (const [stream, content] of parts) {
    if (stream === "#") {
      close()
      all.push(`#${content}`)
    } else open.set(stream, (open.get(stream) ?? "") + content)
  }
  close()
  return all
}
const whole = (events: ReadonlyArray<SessionEvent>) =>
  join(
    events.map((event): readonly [string, string] =>
      "seq" in event
        ? ["#", String(event.seq)]
        : event.type === "text_delta"
          ? [event.stream_id, event.content]
          : ["?", ""]
    )
  )
