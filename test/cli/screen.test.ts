/** Frames on a real emulator: what is settled stays, what is live is drawn over, the terminal is given back. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as fc from "fast-check"
import { type Frame, Terminal } from "../../src/cli/Terminal.ts"
import { virtualTerminal, type VirtualTerminal } from "../support/virtualTerminal.ts"

const drawing = (on: VirtualTerminal, body: (draw: (frame: Frame) => Effect.Effect<void>) => Effect.Effect<unknown>) =>
  Effect.gen(function* () {
    const terminal = yield* Terminal
    yield* body((frame) =>
      Effect.andThen(
        Effect.sync(() => terminal.draw(frame)),
        on.flushed
      )
    )
  }).pipe(Effect.provide(on.layer))

const line = fc.string({ unit: "grapheme-ascii", maxLength: 30 }).map((text) => text.trimEnd())
const lines = (most: number) => fc.array(line, { maxLength: most })

describe("the screen", () => {
  it.effect("shows every settled line once, in order, above the newest live ones", () =>
    Effect.forEach(fc.sample(fc.array(fc.tuple(lines(6), lines(5)), { minLength: 1, maxLength: 12 }), 40), (frames) => {
      const on = virtualTerminal({ columns: 30, rows: 8 })
      return drawing(on, (draw) =>
        Effect.gen(function* () {
          for (const [settled, live] of frames) yield* draw({ settled, live })
          const expected = [...frames.flatMap(([settled]) => settled), ...(frames.at(-1)?.[1] ?? [])]
          assert.strictEqual(on.screen().trimEnd(), expected.join("\n").trimEnd())
        })
      )
    })
  )

  it.effect("is empty but for what is live after Ctrl-L, and the scrollback has lost nothing (R084)", () =>
    Effect.forEach([0, 3, 8, 30], (above) => {
      const on = virtualTerminal({ columns: 30, rows: 8 })
      const settled = Array.from({ length: above }, (_, i) => `line ${i}`)
      const frame: Frame = { settled: [], live: ["at work", "claw> half"], cursor: { row: 1, column: 10 } }
      return Effect.gen(function* () {
        const terminal = yield* Terminal
        terminal.draw({ ...frame, settled })
        on.type("\f")
        assert.strictEqual((yield* terminal.read).kind, "resize")
        terminal.draw(frame)
        terminal.draw({ ...frame, settled: ["after"] })
        yield* on.flushed
        assert.deepStrictEqual(on.visible(), ["after", ...frame.live])
        assert.deepStrictEqual(
          on.lines().filter((text) => text !== ""),
          [...settled, "after", ...frame.live]
        )
        assert.deepStrictEqual(on.cursor(), { column: 10, line: "claw> half" })
      }).pipe(Effect.provide(on.layer))
    })
  )

  it.effect("writes nothing where nothing changed", () => {
    const on = virtualTerminal()
    const frame: Frame = { settled: [], live: ["claw> "], cursor: { row: 0, column: 6 } }
    return drawing(on, (draw) =>
      Effect.gen(function* () {
        yield* draw(frame)
        const before = on.written().length
        yield* draw({ ...frame })
        assert.strictEqual(on.written().length, before)
      })
    )
  })

  it.effect("leaves no copy of live lines behind when the terminal becomes narrower or wider", () => {
    const on = virtualTerminal({ columns: 60, rows: 10 })
    const live = ["x".repeat(55), "y".repeat(41), "claw> "]
    const frame = (columns: number): Frame => ({
      settled: [],
      live: live.map((text) => text.slice(0, columns)),
      cursor: { row: 2, column: 6 }
    })
    return drawing(on, (draw) =>
      Effect.gen(function* () {
        yield* draw({ ...frame(60), settled: ["settled"] })
        for (const columns of [40, 20, 60]) {
          on.resize(columns, 10)
          yield* draw(frame(columns))
          assert.deepStrictEqual(on.lines(), ["settled", ...frame(columns).live.map((text) => text.trimEnd())])
        }
      })
    )
  })

  it.effect("is given back whatever ended its use: cursor below, no raw mode, no paste mode, no listener", () =>
    Effect.gen(function* () {
      for (const end of [Effect.void, Effect.die("bug"), Effect.interrupt]) {
        const on = virtualTerminal()
        const use = drawing(on, (draw) =>
          Effect.gen(function* () {
            yield* draw({ settled: ["said"], live: ["a", "b", "c"], cursor: { row: 0, column: 1 } })
            assert.deepStrictEqual([on.raw(), on.listeners()], [true, 1])
            yield* end
          })
        )
        yield* Effect.exit(use)
        yield* on.flushed
        assert.deepStrictEqual([on.raw(), on.listeners(), on.cursor().line], [false, 0, ""])
        assert.isTrue(on.written().endsWith("\x1b[?25h\x1b[?2004l"))
        assert.notInclude(on.written(), "\x1b[?1049h")
      }
    })
  )
})
