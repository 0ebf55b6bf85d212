/** TCP by programs that know lines and nothing else: nc and socat (R185, R199–R202, LESSONS 38, 40, SETTLED 2, 5). */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { demo, eventsOf, ofType, outside, OUTSIDE, outsideRun, texts, typesOf } from "../support/servedProgram.ts"

const at = ({ host, port }: { readonly host: string; readonly port: number }) => [host, String(port)] as const
const socatTo = ({ host, port }: { readonly host: string; readonly port: number }) => `TCP:${host}:${port}`
const line = (message: object): string => `${JSON.stringify(message)}\n`

describe("nc", OUTSIDE, () => {
  it.live("a half-close ends the input only: the whole answer comes, then the end (SETTLED 2)", () =>
    Effect.gen(function* () {
      const server = yield* demo()
      const ended = yield* outsideRun("nc", ["-N", ...at(server.tcp)], line({ type: "prompt", content: "hello" }))
      const events = eventsOf(ended.stdout)
      assert.strictEqual(ended.code, 0)
      const whole = texts(events)
      assert.include(whole.completed, "demo model")
      assert.strictEqual(whole.deltas, whole.completed)
      assert.deepStrictEqual(
        ofType(events, "task_started", "text_completed", "task_completed", "task_canceled", "task_failed").map(
          ({ type }) => type
        ),
        ["task_started", "text_completed", "task_completed"]
      )
    })
  )

  it.live("who half-closed cannot be asked: the task fails and says why (SETTLED 5)", () =>
    Effect.gen(function* () {
      const server = yield* demo()
      const ended = yield* outsideRun("nc", ["-q5", ...at(server.tcp)], line({ type: "prompt", content: "fix" }))
      const failed = ofType(eventsOf(ended.stdout), "task_completed", "task_canceled", "task_failed")
      assert.deepStrictEqual(
        failed.map(({ type, error }) => ({ type, code: error?.code })),
        [{ type: "task_failed", code: "approval_required" }]
      )
    })
  )

  it.live("lines that arrive in one packet are answered one by one and in order, bad ones too", () =>
    Effect.gen(function* () {
      const server = yield* demo()
      const input =
        line({ type: "ping", nonce: "1" }) +
        "not json\n" +
        "\n" +
        line({ type: "what" }) +
        line({ type: "prompt", content: " " }) +
        line({ type: "interrupt" }) +
        `${JSON.stringify({ type: "ping", nonce: "2" })}\r\n` +
        line({ type: "close" })
      const ended = yield* outsideRun("nc", ["-N", ...at(server.tcp)], input)
      const answers = ofType(eventsOf(ended.stdout), "pong", "error").map(({ error, nonce }) => error?.code ?? nonce)
      assert.deepStrictEqual(answers, ["1", "bad_json", "unknown_type", "bad_message", "no_task", "2"])
    })
  )

  it.live("a line over the limit is answered and ends the connection", () =>
    Effect.gen(function* () {
      const server = yield* demo()
      const input = line({ type: "ping", nonce: "x".repeat(70_000) }) + line({ type: "ping", nonce: "after" })
      const ended = yield* outsideRun("nc", ["-N", ...at(server.tcp)], input)
      const answers = ofType(eventsOf(ended.stdout), "pong", "error").map(({ error, type }) => error?.code ?? type)
      assert.deepStrictEqual(answers, ["too_large"])
    })
  )

  it.live("half a line at the end of the input is no message and starts nothing; what runs is shown to its end", () =>
    Effect.gen(function* () {
      const server = yield* demo()
      const half = '{"type":"prompt","content":"hello"}'
      const told = Effect.fnUntraced(function* (input: string) {
        const ended = yield* outsideRun("nc", ["-N", ...at(server.tcp)], input)
        const events = ofType(eventsOf(ended.stdout), "error", "task_started", "task_completed")
        return events.map(({ error, type }) => error?.code ?? type)
      })
      assert.deepStrictEqual(yield* told(half), ["bad_json"])
      const both = yield* told(`${half}\n${half}`)
      assert.deepStrictEqual(
        [both.toSorted(), both.at(-1)],
        [["bad_json", "task_completed", "task_started"], "task_completed"]
      )
    })
  )
})

describe("socat", OUTSIDE, () => {
  it.live("a message may arrive byte by byte, cut inside its characters", () =>
    Effect.gen(function* () {
      const server = yield* demo()
      const client = yield* outside("socat", "-t0.5", "-", socatTo(server.tcp))
      const bytes = Buffer.from(line({ type: "ping", nonce: "你好 🚀" }))
      for (const byte of bytes) {
        yield* client.write(Uint8Array.of(byte))
        yield* Effect.promise(() => new Promise((next) => setImmediate(next)))
      }
      yield* client.said("pong")
      const pongs = ofType(eventsOf(client.stdout()), "pong", "error")
      assert.deepStrictEqual(
        pongs.map(({ nonce }) => nonce),
        ["你好 🚀"]
      )
    })
  )

  it.live("a conversation: prompt, interrupt while it streams, prompt again", () =>
    Effect.gen(function* () {
      const server = yield* demo()
      const client = yield* outside("socat", "-t0.5", "-", socatTo(server.tcp))
      yield* client.write(line({ type: "prompt", content: "count" }))
      yield* client.said('"text_delta"')
      yield* client.write(line({ type: "interrupt" }))
      yield* client.said('"task_canceled"')
      yield* client.write(line({ type: "prompt", content: "hello" }))
      yield* client.said('"task_completed"')
      yield* client.write(line({ type: "close" }))
      const { stdout } = yield* client.ended
      const facts = eventsOf(stdout).flatMap(({ seq }) => seq ?? [])
      assert.deepStrictEqual(
        facts,
        facts.map((_, i) => i + 1)
      )
      const ends = ofType(eventsOf(stdout), "task_started", "task_canceled", "task_completed", "task_failed")
      assert.deepStrictEqual(typesOf(ends), ["task_started", "task_canceled", "task_started", "task_completed"])
    })
  )

  it.live("a peer that never reads holds nobody up", () =>
    Effect.gen(function* () {
      const server = yield* demo()
      const deaf = yield* outside("socat", "-u", "-", socatTo(server.tcp))
      yield* deaf.write(line({ type: "prompt", content: "count" }))
      // Each is answered into a connection that nobody empties.
      const pings = line({ type: "ping", nonce: "n".repeat(1000) }).repeat(400)
      yield* deaf.write(pings)
      const ended = yield* outsideRun("nc", ["-N", ...at(server.tcp)], line({ type: "prompt", content: "hello" }))
      assert.lengthOf(ofType(eventsOf(ended.stdout), "task_completed"), 1)
      assert.isUndefined(server.ended())
    })
  )
})
