/** WebSocket by two Python libraries: a good client, and frames that break the rules (R225–R227, SETTLED 20). */
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { demo, OUTSIDE, outsideRun } from "../support/servedProgram.ts"

/** Debian's own interpreter, which its packages of Python modules belong to. */
const PYTHON = "/usr/bin/python3"
const file = (name: string): string => fileURLToPath(new URL(name, import.meta.url))

const python = Effect.fnUntraced(function* (module: string, script: string, ...args: ReadonlyArray<string>) {
  const there = yield* outsideRun(PYTHON, ["-c", `import ${module}`])
  assert.strictEqual(there.code, 0, `apt-get install python3-${module}: ${there.stderr}`)
  const ended = yield* outsideRun(PYTHON, [file(script), ...args])
  assert.strictEqual(ended.code, 0, ended.stderr)
  return JSON.parse(ended.stdout) as Readonly<Record<string, unknown>>
})

describe("Python's websockets", OUTSIDE, () => {
  it.live(
    "prompts, reads the stream, pings, sends in fragments and in binary, and is told when it sends too much",
    () =>
      Effect.gen(function* () {
        const { http } = yield* demo()
        const seen = yield* python("websockets", "websocketsClient.py", `ws://${http.host}:${http.port}/ws`)
        const { deltas, completed, ...rest } = seen
        assert.include(String(completed), "demo model")
        assert.strictEqual(deltas, completed)
        assert.deepStrictEqual(rest, {
          last: "task_completed",
          pong: true,
          binary: "one",
          fragmented: "in pieces",
          closed: 1000,
          large: 1009,
          deflate: "deflate"
        })
      })
  )
})

describe("autobahn", OUTSIDE, () => {
  it.live("each broken frame closes with the code of its kind, and the server goes on", () =>
    Effect.gen(function* () {
      const server = yield* demo()
      const codes = yield* python("autobahn", "autobahnFrames.py", server.http.host, String(server.http.port))
      assert.deepStrictEqual(codes, {
        reserved: 1002,
        unmasked: 1002,
        bad_utf8: 1007,
        bad_utf8_in_pieces: 1007,
        bad_utf8_binary: 1007,
        continuation_of_nothing: 1002,
        long_control: 1002,
        control_in_pieces: 1002,
        reserved_bit: 1002,
        bad_close: 1002
      })
      assert.isUndefined(server.ended())
    })
  )
})
