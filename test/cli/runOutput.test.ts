/** What `claw run` puts on standard output: text for people, or events for programs, and nothing else. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { Output } from "../../src/cli/Output.ts"
import { run, type RunOptions } from "../../src/cli/Run.ts"
import { errorBody } from "../../src/domain/ErrorCode.ts"
import type { DurableBody, LiveBody, SessionEvent } from "../../src/domain/Event.ts"
import type { CallId, StreamId } from "../../src/domain/Ids.ts"
import { captured } from "../support/capturedOutput.ts"
import { fakeSession, task_id, usage } from "../support/fakeSession.ts"

const stream_id = "s1" as StreamId
const turn = { task_id, turn: 1 }
const call_id = "c1" as CallId

const delta = (offset: number, content: string): LiveBody => ({
  type: "text_delta",
  task_id,
  stream_id,
  offset,
  content
})
const whole = (content: string): DurableBody => ({
  type: "text_completed",
  ...turn,
  stream_id,
  content,
  finish_reason: "stop"
})
const done: DurableBody = { type: "task_completed", task_id, usage }
const toolCall = (content: string): DurableBody => ({
  type: "tool_call",
  ...turn,
  call_id,
  tool_name: "bash",
  content,
  risk: "mutating"
})
const toolResult: DurableBody = {
  type: "tool_result",
  ...turn,
  call_id,
  tool_name: "bash",
  result: "boom\n",
  status: "error",
  is_error: true,
  exit_code: 2,
  duration_ms: 12
}

/** What reaches the two outputs when a session tells these events. */
const said = (
  bodies: ReadonlyArray<DurableBody | LiveBody>,
  { screen = false, ...options }: Partial<RunOptions> & { readonly screen?: boolean } = {}
) =>
  Effect.gen(function* () {
    const session = fakeSession()
    const output = captured({ screen })
    const running = run(session.runtime, { content: "hi", json: false, locale: "en", ...options })
    const fiber = yield* Effect.forkChild(Effect.provideService(running, Output, output.service), {
      startImmediately: true
    })
    for (const body of bodies) session.tell(body)
    session.end()
    const code = yield* Fiber.join(fiber)
    return { code, out: output.out(), err: output.err(), session }
  })

const again: ReadonlyArray<DurableBody | LiveBody> = [
  { type: "retrying", task_id, attempt: 1, delay_ms: 500, code: "provider_bad_stream" },
  {
    type: "stream_reset",
    ...turn,
    stream_id,
    next_stream_id: "s2" as StreamId,
    next_reasoning_stream_id: "r2" as StreamId,
    reason: "provider_bad_stream"
  }
]
const standsIn = [again[0], { ...again[1], model: "other" }] as ReadonlyArray<DurableBody | LiveBody>
const second = (content: string, more: object = {}): DurableBody =>
  ({ ...whole(content), stream_id: "s2", ...more }) as DurableBody
const secondDelta = (content: string) => ({ ...delta(0, content), stream_id: "s2" }) as LiveBody
const WAITS = "claw: The model's answer was cut off or malformed. Trying again in 0.5 s.\n"
const OVERLONG = "claw: The answer is cut off here: it reached the output limit.\n"

/** What came, and what of it a file gets, a screen, and standard error of a file. */
const CUTS: ReadonlyArray<readonly [string, ReadonlyArray<DurableBody | LiveBody>, string, string, string]> = [
  [
    "an attempt is cut",
    [delta(0, "{one"), ...again, secondDelta("{two}"), second("{two}")],
    "{two}\n",
    "{one\n{two}\n",
    WAITS
  ],
  ["two attempts are cut", [delta(0, "a"), ...again, ...again, second("b")], "b\n", "a\nb\n", WAITS + WAITS],
  [
    "another model goes on",
    [delta(0, "a"), ...standsIn, second("b")],
    "b\n",
    "a\nb\n",
    `${WAITS}claw: The model's answer was cut off or malformed. other goes on in its place for the rest of this task.\n`
  ],
  [
    "none becomes whole",
    [delta(0, "a"), ...again, secondDelta("b"), second("b", { partial: true, finish_reason: "other" })],
    "",
    "a\nb\n",
    `${WAITS}claw: the answer was cut off and is not on standard output. This much of it came:\nb\n`
  ],
  ["nothing came of it", [second("", { partial: true, finish_reason: "other" })], "", "", ""],
  ["it reaches the output limit", [delta(0, "a"), second("a", { finish_reason: "length" })], "a\n", "a\n", OVERLONG]
]

describe("a cut answer", () => {
  it.effect.each(CUTS)(
    "%s: a file gets whole answers only, once; a screen what came (R106)",
    ([_n, bodies, file, screen, err]) =>
      Effect.gen(function* () {
        const toFile = yield* said([...bodies, done])
        assert.deepStrictEqual([toFile.out, toFile.err], [file, err])
        assert.strictEqual((yield* said([...bodies, done], { screen: true })).out, screen)
      })
  )

  it.effect("on a screen no note is glued to an unfinished line", () =>
    Effect.gen(function* () {
      const { out } = yield* said([delta(0, "one t"), again[0] as LiveBody], { screen: true })
      assert.strictEqual(out, "one t\n")
    })
  )
})

describe("a subagent's unanswered question", () => {
  const ended = (code?: "approval_required" | "max_turns"): DurableBody => ({
    type: "subagent_ended",
    ...turn,
    parent_call_id: call_id,
    status: code === undefined ? "completed" : "failed",
    usage,
    ...(code === undefined ? {} : { error: errorBody(code) })
  })
  it.effect("makes the exit code 3, whatever its caller did without it (SETTLED 5)", () =>
    Effect.gen(function* () {
      const codes = [ended(), ended("max_turns"), ended("approval_required")].map((end) =>
        said([end, whole("ok"), done])
      )
      const all = yield* Effect.all(codes)
      assert.deepStrictEqual(
        all.map(({ code }) => code),
        [0, 0, 3]
      )
      assert.match(all[2]?.err ?? "", /^claw: a subagent needed an approval .*\[approval_required\]\n$/)
    })
  )
})

describe("claw run as text", () => {
  it.effect("writes the text as it came, once, and ends it with a line break (R106, R317)", () =>
    Effect.gen(function* () {
      const { out, err } = yield* said([delta(0, "Hel"), delta(3, "lo 你好"), whole("Hello 你好"), done])
      assert.deepStrictEqual([out, err], ["Hello 你好\n", ""])
    })
  )

  it.effect("adds no second line break, and none where there was no text", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* said([delta(0, "a\n"), whole("a\n"), done])).out, "a\n")
      assert.strictEqual((yield* said([whole(""), done])).out, "")
    })
  )

  it.effect("writes the whole answer where the provider does not stream", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* said([whole("Hello"), done])).out, "Hello\n")
    })
  )

  it.effect("writes the rest where only the beginning was streamed", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* said([delta(0, "Hel"), whole("Hello"), done])).out, "Hello\n")
    })
  )

  it.effect("says on standard error which hook did not do its work", () =>
    Effect.gen(function* () {
      const hook = "hook user hooks.after_task[0] (notify)"
      const failed: DurableBody = { type: "hook_failed", task_id, event: "after_task", hook, reason: "ended with 1" }
      const { out, err } = yield* said([whole("ok"), failed, done])
      assert.deepStrictEqual([out, err], ["ok\n", `claw: ${hook} ended with 1: what it was to do is not done.\n`])
    })
  )

  it.effect("keeps notes about tools on standard error, each on a line of its own (R090)", () =>
    Effect.gen(function* () {
      const bodies = [delta(0, "I look."), whole("I look."), toolCall('{"command":"make"}'), toolResult, done]
      const { out, err } = yield* said(bodies)
      assert.strictEqual(out, "I look.\n")
      assert.strictEqual(err, "● bash  make\n  ✗ bash  error · exit 2 · 12 ms: boom\n")
    })
  )

  it.effect("lets no control sequence of the model or of arguments through, however it is cut (LESSONS 29)", () =>
    Effect.gen(function* () {
      const text = "safe \u001b]52;c;cm0=\u0007 \u202e\u009b2J end"
      const bodies = Array.from(text, (character, i) => delta(i, character))
      const { out, err } = yield* said([...bodies, whole(text), toolCall('{"command":"ls\\u001b[2K\\rpwd"}'), done])
      // eslint-disable-next-line no-control-regex
      assert.notMatch(out + err, /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/)
      assert.strictEqual(out, "safe \\x1b]52;c;cm0=\\x07 \\u{202e}\\x9b2J end\n")
    })
  )
})

describe("claw run --json", () => {
  it.effect("writes every fact and delta as one line, in order, and nothing else", () =>
    Effect.gen(function* () {
      const bodies = [delta(0, "Hel"), delta(3, "lo"), whole("Hello"), toolCall("{}"), toolResult, done]
      const state: LiveBody = { type: "state", state: "preparing" }
      const { out, err, session } = yield* said([state, ...bodies], { json: true })
      const events = out
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line) as SessionEvent)
      const deltas = events.filter((event) => event.type === "text_delta")
      assert.strictEqual(deltas.map((event) => event.content).join(""), "Hello")
      assert.deepStrictEqual(
        events.filter((event) => "seq" in event),
        session.facts
      )
      assert.deepStrictEqual([events.length - deltas.length, err], [session.facts.length, ""])
    })
  )
})
