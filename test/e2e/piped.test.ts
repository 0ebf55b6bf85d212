/** `claw` where there is no terminal: piped input runs to its end, line by line, and exits with a code (LESSONS 49; R088). */
import { existsSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { claw, KEY, SIDE_BY_SIDE, STACK, start, world } from "../support/e2eProgram.ts"
import { calls, delta, HEAD, stream, text } from "../support/fakeModelScript.ts"

const spoken = (messages: ReadonlyArray<Readonly<Record<string, unknown>>> | undefined) =>
  (messages ?? []).filter(({ role }) => role !== "system").map(({ content }) => String(content))

describe("claw over pipes", SIDE_BY_SIDE, () => {
  it.live("takes each line as a prompt, in one conversation, the last without a line break too", () =>
    Effect.gen(function* () {
      const { env, workspace, model } = yield* world()
      model.script(text("First."), text("Second."))
      const ended = yield* claw([], { env, cwd: workspace, input: "one\n\n/nothing\ntwo" })
      assert.strictEqual(ended.code, 0)
      assert.match(ended.stdout, /^First\.\n.*\/nothing.*\nSecond\.\n$/)
      assert.notInclude(ended.stdout, "\x1b")
      assert.deepStrictEqual(spoken(model.requests()[1]?.messages), ["one", "First.", "two"])
      assert.deepStrictEqual(model.violations(), [])
    })
  )

  it.live("asks nobody: what needs an answer does not run, and the exit code says so", () =>
    Effect.gen(function* () {
      const { env, workspace, model } = yield* world()
      model.script(
        calls([{ id: "w", name: "write_file", arguments: '{"path":"new.txt","content":"x"}' }]),
        text("Next.")
      )
      // The second line is the next prompt, not the answer.
      const ended = yield* claw([], { env, cwd: workspace, input: "write it\ny\n" })
      assert.strictEqual(ended.code, 3)
      assert.include(ended.stderr, "[approval_required]")
      assert.isFalse(existsSync(join(workspace, "new.txt")))
      assert.strictEqual(spoken(model.requests()[1]?.messages).at(-1), "y")
      assert.deepStrictEqual(model.violations(), [])
    })
  )

  it.live("without a model says what to set", () =>
    Effect.gen(function* () {
      const { env, workspace } = yield* world()
      const { OPENAI_API_KEY: _k, OPENAI_BASE_URL: _u, ...bare } = env
      const ended = yield* claw([], { env: bare, cwd: workspace, input: "hello\n" })
      assert.deepStrictEqual([ended.code, ended.stdout], [2, ""])
      assert.match(ended.stderr, /^claw: .*OPENAI_API_KEY.*\n$/)
    })
  )

  it.live("SIGINT ends it with 130 and leaves no connection", () =>
    Effect.gen(function* () {
      const { env, workspace, model } = yield* world()
      model.script(stream(HEAD, delta({ content: "on and on" }), "hang"))
      const running = yield* start([], { env, cwd: workspace, input: "go\n" })
      yield* model.arrived(1)
      running.signal("SIGINT")
      const ended = yield* running.ended
      assert.strictEqual(ended.code, 130)
      yield* model.deserted
      assert.notMatch(ended.stderr, STACK)
    })
  )
})

describe("what claw tells of itself", SIDE_BY_SIDE, () => {
  it.live.each(["doctor", "doctor --json", "config show", "config schema"])("%s: no key in it", (line) =>
    Effect.gen(function* () {
      const { env, workspace, model } = yield* world()
      const words = line.split(" ")
      const ended = yield* claw(words, { env, cwd: workspace })
      assert.strictEqual(ended.code, 0, ended.stdout + ended.stderr)
      assert.notInclude(ended.stdout + ended.stderr, KEY)
      if (words[0] === "doctor") assert.include(ended.stdout, model.base_url)
      if (words[0] === "config" || words[1] === "--json") assert.isObject(JSON.parse(ended.stdout))
    })
  )

  it.live("doctor: which configuration files there are", () =>
    Effect.gen(function* () {
      const { env, workspace } = yield* world()
      const none = yield* claw(["doctor"], { env, cwd: workspace })
      assert.match(none.stdout, /config +\S+ \(no file\), \S+ \(no file\); mode ask/)
      mkdirSync(join(workspace, ".claw"), { recursive: true })
      writeFileSync(join(workspace, ".claw", "config.json"), "{}")
      const one = yield* claw(["doctor"], { env, cwd: workspace })
      assert.match(one.stdout, /config +\S+ \(no file\), [^\s;]+; mode ask/)
    })
  )

  it.live("sessions: what was said, by id", () =>
    Effect.gen(function* () {
      const { env, workspace } = yield* world()
      yield* claw(["run", "remember the heron"], { env, cwd: workspace })
      const listed = yield* claw(["sessions"], { env, cwd: workspace })
      assert.include(listed.stdout, "remember the heron")
      const row = JSON.parse((yield* claw(["sessions", "--json"], { env, cwd: workspace })).stdout) as {
        readonly session_id: string
        readonly workspace: string
      }
      assert.strictEqual(row.workspace, workspace)
      const shown = yield* claw(["sessions", "show", row.session_id], { env, cwd: workspace })
      assert.strictEqual(shown.code, 0)
      assert.include(shown.stdout, "remember the heron")
      assert.include(shown.stdout, "OK")
    })
  )
})
