/** Output is bounded while it streams, valid Unicode, and live (R079, LESSONS 18). */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { endOf, makeCapture, makeDecoder, makeLive, startOf } from "../../src/sandbox/outputBuffer.ts"
import { eachDriver, script } from "../support/processes.ts"

eachDriver("output", ({ runnerOf }) => {
  it.live("head and tail are kept, what is between is counted", () =>
    Effect.gen(function* () {
      const runner = yield* runnerOf({ limits: { head_chars: 10, tail_chars: 10 } })
      const { output } = yield* runner.run(script("for i in $(seq 100 200); do echo $i; done"))
      assert.deepStrictEqual(output, {
        text: "100\n101\n10\n[… 384 characters omitted …]\n8\n199\n200\n",
        total_chars: 404,
        truncated: true
      })
    })
  )

  it.live(
    "two hundred megabytes are drained without memory growing",
    () =>
      Effect.gen(function* () {
        const runner = yield* runnerOf()
        const before = process.memoryUsage().rss
        const { output } = yield* runner.run(script("head -c 200000000 /dev/zero | tr '\\0' x"))
        assert.deepStrictEqual(
          [output.total_chars, output.truncated, output.text.length < 61_000],
          [200_000_000, true, true]
        )
        assert.isBelow(process.memoryUsage().rss - before, 120_000_000)
      }),
    60_000
  )

  it.live("one character cut between two writes is one character; invalid bytes and NUL are replaced", () =>
    Effect.gen(function* () {
      const runner = yield* runnerOf()
      const { output } = yield* runner.run(
        script("printf '\\xe6\\x96'; sleep 0.1; printf '\\x87|\\xff|\\0|\\xed\\xa0\\x80|'")
      )
      assert.strictEqual(output.text, "文|\ufffd|\ufffd|\ufffd\ufffd\ufffd|")
      assert.isTrue(output.text.isWellFormed())
    })
  )

  it.live("stdout and stderr come in the order of writing, and both can be opened again by name", () =>
    Effect.gen(function* () {
      const runner = yield* runnerOf()
      const { output } = yield* runner.run(
        script("echo a; echo b >&2; echo c > /dev/stderr; echo d > /dev/stdout; echo e")
      )
      assert.strictEqual(output.text, "a\nb\nc\nd\ne\n")
      const apart = yield* runner.run(script("echo a; echo b >&2", { merge: false }))
      assert.deepStrictEqual([apart.output.text, apart.errors.text], ["a\n", "b\n"])
    })
  )

  it.live("it is shown while the program runs, and a flood is thinned out", () =>
    Effect.gen(function* () {
      const runner = yield* runnerOf({ limits: { live_chars: 1000 } })
      const shown: Array<string> = []
      yield* runner.run(
        script("echo first; head -c 5000000 /dev/zero | tr '\\0' x; echo; echo last", {
          emit: (text) => shown.push(text)
        })
      )
      assert.isTrue(shown[0]?.startsWith("first"))
      assert.isBelow(shown.join("").length, 100_000)
      assert.match(shown.join(""), /characters not shown live/)
    })
  )

  it("a cut never halves a character", () => {
    assert.deepStrictEqual(
      [startOf("a😀b", 2), endOf("a😀b", 2), startOf("a😀b", 3), endOf("a😀b", 3)],
      ["a", "b", "a😀", "😀b"]
    )
    const capture = makeCapture({ head_chars: 2, tail_chars: 2, live_chars: 9 })
    for (const piece of ["a😀", "xyz😀b"]) capture.push(piece)
    assert.isTrue(capture.result().text.isWellFormed())
    assert.strictEqual(capture.result().text, "a\n[… 7 characters omitted …]\nb")
  })

  it("a decoder keeps the start of a character until the rest comes, and gives up at the end", () => {
    const decoder = makeDecoder()
    const bytes = Buffer.from("😀")
    const texts = Array.from(bytes, (byte) => decoder.decode(Uint8Array.of(byte)))
    assert.deepStrictEqual(
      [...texts, decoder.decode(bytes.subarray(0, 2)), decoder.end()],
      ["", "", "", "😀", "", "\ufffd"]
    )
  })

  it("what is not shown live is counted and said", () => {
    let now = 0
    const shown: Array<string> = []
    const live = makeLive(
      (text) => shown.push(text),
      { head_chars: 1, tail_chars: 1, live_chars: 4 },
      () => now
    )
    live.push("abcdef")
    live.push("gh")
    now = 200
    live.push("ij")
    live.push("klmn")
    live.end()
    assert.deepStrictEqual(shown, [
      "abcd",
      "\n[… 4 characters not shown live …]\nij",
      "kl",
      "\n[… 2 characters not shown live …]\n"
    ])
  })
})
