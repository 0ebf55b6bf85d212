/** `claw run`: where the prompt comes from and what is written (R090, R296, R317; LESSONS 49). */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { claw, SIDE_BY_SIDE, world } from "../support/e2eProgram.ts"
import { judged, typesOf } from "../support/e2eJson.ts"
import { calls, text } from "../support/fakeModelScript.ts"

const PROMPTS = [
  ["words", ["fix", "it"], undefined, "fix it"],
  ["one argument", ["fix it"], undefined, "fix it"],
  ["standard input", [], "fix it\n", "fix it\n"],
  ["standard input by -", ["-"], "line one\nline two\n", "line one\nline two\n"],
  ["both", ["explain this"], "a log\n", "explain this\n\n<stdin>\na log\n</stdin>"],
  ["an argument that is a path", ["/etc is odd"], undefined, "/etc is odd"],
  ["other scripts and emoji", ["修复测试 👍🏽 é"], undefined, "修复测试 👍🏽 é"]
] as const

describe("claw run", SIDE_BY_SIDE, () => {
  it.live.each(PROMPTS)("takes its prompt from %s", ([_name, words, input, expected]) =>
    Effect.gen(function* () {
      const { env, workspace, model } = yield* world()
      model.script(text("An answer."))
      const ended = yield* claw(["run", ...words], { env, cwd: workspace, ...(input === undefined ? {} : { input }) })
      assert.deepStrictEqual(ended, { code: 0, signal: null, stdout: "An answer.\n", stderr: "" })
      assert.deepStrictEqual(model.requests()[0]?.messages.at(-1), { role: "user", content: expected })
      assert.strictEqual(model.requests().length, 1)
    })
  )

  it.live("does not wait for an input that nobody writes to", () =>
    Effect.gen(function* () {
      const { env, workspace } = yield* world()
      const ended = yield* claw(["run", "hello"], { env, cwd: workspace, input: null })
      assert.deepStrictEqual([ended.code, ended.stdout], [0, "OK\n"])
      assert.match(ended.stderr, /nothing came on standard input/)
    })
  )

  it.live("writes the model's words to standard output, and what tools do to standard error", () =>
    Effect.gen(function* () {
      const { env, workspace, model } = yield* world()
      model.script(
        calls([{ id: "c1", name: "read_file", arguments: '{"path":"README.md"}' }], "Let me look."),
        text("A project\nof **two** lines.", 5)
      )
      const ended = yield* claw(["run", "what is it?"], { env, cwd: workspace })
      assert.strictEqual(ended.code, 0)
      assert.strictEqual(ended.stdout, "Let me look.\nA project\nof **two** lines.\n")
      assert.match(ended.stderr, /^● read_file {2}README\.md\n {2}✓ read_file {2}ok · \d+ ms\n$/)
    })
  )

  it.live("--json: facts and deltas, one a line, and nothing else", () =>
    Effect.gen(function* () {
      const { env, workspace, model } = yield* world()
      model.script(
        calls([{ id: "c1", name: "read_file", arguments: '{"path":"README.md"}' }], "Let me look."),
        text("A project of\u2028 two “lines”\nand 漢字 👍🏽.", 9)
      )
      const ended = yield* claw(["run", "--json", "what is it?"], { env, cwd: workspace })
      assert.deepStrictEqual([ended.code, ended.stderr], [0, ""])
      const lines = judged(ended.stdout)
      assert.deepStrictEqual(
        typesOf(lines).filter((type) => type !== "session_created" && type !== "usage" && type !== "thinking"),
        [
          "task_started",
          "text_completed",
          "tool_call",
          "approval_resolved",
          "tool_started",
          "tool_result",
          "text_completed",
          "task_completed"
        ]
      )
      assert.isAbove(lines.filter(({ type }) => type === "text_delta").length, 1)
    })
  )

  it.live("--json of a second task in a session: the numbers go on", () =>
    Effect.gen(function* () {
      const { env, workspace } = yield* world()
      const first = yield* claw(["run", "--json", "one"], { env, cwd: workspace })
      const lines = judged(first.stdout)
      const { stdout } = yield* claw(["sessions", "list", "--json"], { env, cwd: workspace })
      const { session_id } = JSON.parse(stdout) as { readonly session_id: string }
      const second = yield* claw(["run", "--json", "--session", session_id, "two"], { env, cwd: workspace })
      judged(second.stdout, { first: (lines.at(-1)?.seq ?? 0) + 1 })
    })
  )
})
