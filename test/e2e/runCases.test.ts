/** Failures of the model server as a script meets them: truncated calls, overflow, statuses (R320; LESSONS 5, 10, 12, 14). */
import { existsSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { claw, type FakeWorld, SIDE_BY_SIDE, world } from "../support/e2eProgram.ts"
import { callChunks, delta, html, refusal, stream, text } from "../support/fakeModelScript.ts"

const sessionOf = ({ env, workspace }: FakeWorld) =>
  Effect.map(
    claw(["sessions", "list", "--json"], { env, cwd: workspace }),
    ({ stdout }) => (JSON.parse(stdout) as { readonly session_id: string }).session_id
  )

const OVERFLOW = {
  message: "This model's maximum context length is 8000 tokens, your messages resulted in 9000 tokens",
  code: "context_length_exceeded"
}

describe("claw run against a server that fails", SIDE_BY_SIDE, () => {
  it.live("a clean close in the middle of arguments: an error, nothing ran, and the session goes on (H04)", () =>
    Effect.gen(function* () {
      const scene = yield* world()
      const { model, env, workspace } = scene
      const opening = { index: 0, id: "call_t1", type: "function", function: { name: "write_file", arguments: "" } }
      const rest = { index: 0, function: { arguments: '{"path":"plan.md","content":"line one' } }
      model.rule(() =>
        stream(
          delta({ role: "assistant", content: "Writing the file now." }),
          { gap_ms: 20 },
          delta({ tool_calls: [opening] }),
          { gap_ms: 20 },
          delta({ tool_calls: [rest] })
        )
      )
      const first = yield* claw(["run", "--mode", "accept-edits", "make a plan"], { env, cwd: workspace })
      assert.strictEqual(first.code, 1)
      assert.match(first.stderr, /\[provider_bad_stream\]\n$/)
      assert.isFalse(existsSync(join(workspace, "plan.md")))
      assert.isAtMost(model.requests().length, 6)
      model.rule(() => text("Going on."))
      const args = ["run", "--session", yield* sessionOf(scene), "continue"]
      const second = yield* claw(args, { env, cwd: workspace })
      assert.deepStrictEqual([second.code, second.stdout], [0, "Going on.\n"])
      assert.deepStrictEqual(model.violations(), [])
      assert.deepStrictEqual(model.requests().at(-1)?.messages.at(-1), { role: "user", content: "continue" })
    })
  )

  it.live("a context that is too small ends, says so, and loses no word of the user (H13)", () =>
    Effect.gen(function* () {
      const scene = yield* world()
      const { model, workspace } = scene
      const env = { ...scene.env, CLAW_CONTEXT_WINDOW: "8000" }
      const withTools = (body: string) => (JSON.parse(body) as { readonly tools?: unknown }).tools !== undefined
      model.rule(({ body }) => (withTools(body) ? refusal(400, OVERFLOW) : text("summary")))
      const first = yield* claw(["run", "hello"], { env, cwd: workspace })
      assert.strictEqual(first.code, 1)
      assert.match(first.stderr, /context.*\[provider_context_overflow\]\n$/)
      assert.isAtMost(model.requests().length, 5)
      assert.isAtMost(model.requests().filter(({ body }) => !withTools(body)).length, 2)
      const before = model.requests().length
      model.rule(() => text("Better."))
      const second = yield* claw(["run", "--session", yield* sessionOf(scene), "again"], { env, cwd: workspace })
      assert.deepStrictEqual([second.code, second.stdout], [0, "Better.\n"])
      assert.strictEqual(model.requests().length, before + 1)
      const users = model
        .requests()
        .at(-1)
        ?.messages.filter(({ role }) => role === "user")
      assert.deepStrictEqual(
        users?.map(({ content }) => content),
        ["hello", "again"]
      )
      assert.deepStrictEqual(model.violations(), [])
    })
  )

  it.live("a wait that the server asks for is kept, and told (H14)", () =>
    Effect.gen(function* () {
      const { model, env, workspace } = yield* world()
      const at: Array<number> = []
      model.rule((_request, nth) => {
        at.push(performance.now())
        return nth === 1
          ? refusal(429, { message: "slow down" }, { "retry-after-ms": "1500", "retry-after": "9" })
          : undefined
      })
      const ended = yield* claw(["run", "hello"], { env, cwd: workspace })
      assert.deepStrictEqual([ended.code, ended.stdout, at.length], [0, "OK\n", 2])
      assert.isAtLeast((at[1] ?? 0) - (at[0] ?? 0), 1_490)
      assert.match(ended.stderr, /Trying again in (1\.[5-9]|2\.[0-5]) s\.\n$/)
    })
  )

  it.live.each([429, 500, 502, 503, 504, 529])("%i is tried again", (status) =>
    Effect.gen(function* () {
      const { model, env, workspace } = yield* world()
      model.script(status === 502 ? html(502) : refusal(status, { message: "no" }))
      const ended = yield* claw(["run", "hello"], { env, cwd: workspace })
      assert.deepStrictEqual([ended.code, ended.stdout, model.requests().length], [0, "OK\n", 2])
    })
  )

  it.live.each([400, 401, 403, 404, 422])("%i is not", (status) =>
    Effect.gen(function* () {
      const { model, env, workspace } = yield* world()
      model.script(refusal(status, { message: "no" }))
      const ended = yield* claw(["run", "hello"], { env, cwd: workspace })
      assert.deepStrictEqual([ended.code, ended.stdout, model.requests().length], [1, "", 1])
      assert.match(ended.stderr, /^claw: .*\[provider_\w+\]\n$/)
    })
  )

  it.live("a call whose arguments never become JSON is told to the model, three times at most (LESSONS 12)", () =>
    Effect.gen(function* () {
      const { model, env, workspace } = yield* world()
      let made = 0
      model.rule(() =>
        stream(
          ...callChunks([{ id: `bad${made++}`, name: "read_file", arguments: '{"path": README}' }]),
          delta({}, "tool_calls"),
          "data: [DONE]\n\n"
        )
      )
      const ended = yield* claw(["run", "hello"], { env, cwd: workspace })
      assert.strictEqual(ended.code, 1)
      assert.match(ended.stderr, /\[provider_bad_tool_call\]\n$/)
      assert.strictEqual(model.requests().length, 3)
      assert.deepStrictEqual(model.violations(), [])
    })
  )
})
