/** bash (R082, R131, R159, LESSONS 17–19, case H06): what the model and the approver are told of a command. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import type { CommandPlan } from "../../src/domain/Approval.ts"
import { ProcessRunner, type ProcessResult } from "../../src/sandbox/ProcessRunner.ts"
import { unruled } from "../../src/tools/builtin/readGuard.ts"
import { makeBash } from "../../src/tools/builtin/bash.ts"
import { oddSleep, processesWith, receipt } from "../support/processes.ts"
import { plainAnalysis, plainCommand, toolsIn } from "../support/builtinTools.ts"
import { dir } from "../support/workspaceDir.ts"

/** What the model is told of such an ending. */
const said = (text: string, more: Partial<ProcessResult>, recorded: (what: unknown) => void = () => {}) => {
  const output = { text, truncated: false } as ProcessResult["output"]
  const result: ProcessResult = { output, errors: output, timed_out: false, exit_code: 1, ...more }
  const runner = ProcessRunner.of({ run: () => Effect.succeed(result), endLeftover: () => Effect.succeed(true) })
  const analyse = () => plainAnalysis("x")
  const tool = makeBash({ workspace: { root: "/" } as never, runner, analyse, guard: unruled })
  const at = { task_id: "t", call_id: "c", emit: () => {}, processStarted: () => Effect.void, recorded } as never
  return Effect.map(tool.run({ command: "x" } as never, at), ({ content }) => content)
}

describe("bash", () => {
  it.live("the four calls of case H06", () =>
    Effect.gen(function* () {
      const there = yield* dir
      const { call } = yield* toolsIn(there)
      const run = (command: string) => call("bash", { command, timeout_ms: 20_000 })
      const sleep = oddSleep()
      const first = yield* run(`sleep ${sleep} & echo foreground-done`)
      assert.deepStrictEqual(first, {
        content: "foreground-done\n",
        is_error: false,
        truncated: false,
        timed_out: false,
        exit_code: 0
      })
      assert.strictEqual((yield* run("cat; echo after-cat")).content, "after-cat\n")
      const ticks = yield* run("(while :; do echo tick; sleep 0.1; done) & sleep 0.3; echo end-mark")
      assert.match(ticks.content, /tick[^]*end-mark/)
      assert.deepStrictEqual(yield* run("false"), {
        content: "[exit code 1]",
        is_error: true,
        truncated: false,
        timed_out: false,
        exit_code: 1
      })
      assert.deepStrictEqual(processesWith(sleep), [])
    })
  )

  it.live("every ending that is not exit 0 is an error that says which", () =>
    Effect.gen(function* () {
      const { call } = yield* toolsIn(yield* dir)
      const run = (command: string, timeout_ms = 20_000) => call("bash", { command, timeout_ms })
      assert.strictEqual((yield* run("printf no-newline; exit 3")).content, "no-newline\n[exit code 3]")
      const killed = yield* run("echo said; kill -SEGV $$")
      assert.deepStrictEqual(
        [killed.content, killed.is_error, killed.signal],
        ["said\n[ended by signal SIGSEGV]", true, "SIGSEGV"]
      )
      const late = yield* run("echo said; exec sleep 30", 300)
      assert.deepStrictEqual(
        [late.content, late.is_error, late.timed_out],
        ["said\n[stopped after 300 ms, the time limit; the output until then is above]", true, true]
      )
      assert.strictEqual((yield* run("true")).content, "(no output)")
    })
  )

  it.effect("says why a command without a network failed so, and says it of no other", () =>
    Effect.gen(function* () {
      const NOTE = "[claw gives commands no network here: isolation.network, a setting of the user, allows it]"
      for (const text of [
        "npm error code EAI_AGAIN",
        "curl: (6) Could not resolve host: example.org",
        "ssh: connect: Network is unreachable",
        "socket.gaierror: [Errno -3] Temporary failure in name resolution"
      ]) {
        assert.strictEqual(yield* said(text, { offline: true }), `${text}\n[exit code 1]\n${NOTE}`)
        assert.notInclude(yield* said(text, {}), NOTE)
        assert.notInclude(yield* said(text, { offline: true, exit_code: 0 }), NOTE)
      }
      assert.notInclude(yield* said("1 failed", { offline: true }), NOTE)
    })
  )

  it.effect("says which hosts it did not reach, and records all that were asked for (T7)", () =>
    Effect.gen(function* () {
      const visits = [
        { host: "good.example", port: 443, times: 1 },
        { host: "evil.test", port: 443, times: 2, refused: "not_listed" },
        { host: "inner.test", port: 80, times: 1, refused: "private_address" }
      ] as const
      const recorded: Array<unknown> = []
      const text = "curl: (56) CONNECT tunnel failed, response 403"
      const shown = yield* said(text, { offline: true, visits }, (what) => void recorded.push(what))
      assert.strictEqual(
        shown,
        `${text}\n[exit code 1]\n[evil.test:443 was not reached: not in isolation.hosts, a setting of the user]\n` +
          "[inner.test:80 was not reached: its address is not public]"
      )
      assert.deepStrictEqual(recorded, [{ visits }])
      assert.include(yield* said("Network is unreachable", { offline: true, visits: [] }), "reach listed hosts alone")
    })
  )

  it.effect("says by a name that stays that a command took more than its share, whatever it ended with (T14)", () =>
    Effect.gen(function* () {
      const limit = { kind: "memory_limit", detail: "it took more than 5 MiB" } as const
      for (const more of [{ signal: "SIGKILL" }, { exit_code: 0 }])
        assert.strictEqual(
          yield* said("half", { limit, ...more }),
          "half\n[memory_limit: ended, for it took more than 5 MiB]"
        )
    })
  )

  it.live("runs in the workspace's root, afresh each time, and shows output as it comes", () =>
    Effect.gen(function* () {
      const there = yield* dir
      there.file("ws/sub/x", "x")
      const { call } = yield* toolsIn(there)
      const shown: Array<string> = []
      yield* call("bash", { command: "cd sub; VARIABLE=1" })
      const { content } = yield* call("bash", { command: "pwd; echo ${VARIABLE-unset}" }, (text) => shown.push(text))
      assert.strictEqual(content, `${there.ws}\nunset\n`)
      assert.strictEqual(shown.join(""), content)
    })
  )

  it.live("interrupting the call ends the command (R298)", () =>
    Effect.gen(function* () {
      const { call } = yield* toolsIn(yield* dir)
      const sleep = oddSleep()
      const up = receipt("up")
      const fiber = yield* Effect.forkChild(
        call("bash", { command: `setsid sleep ${sleep} & echo up; sleep ${sleep}` }, up.emit)
      )
      yield* up.arrived
      yield* Fiber.interrupt(fiber)
      assert.deepStrictEqual(processesWith(sleep), [])
    })
  )

  it.effect("is never safe, and as dangerous as the analysis says", () =>
    Effect.gen(function* () {
      const there = yield* dir
      const plans: Record<string, Partial<CommandPlan>> = {
        ls: {},
        "eval $x": { doubts: ["a dynamic program name"] },
        "sudo ls": { refused: "runs as another user" },
        a: { commands: [{ ...plainCommand("a"), notPlain: ["runs another program"] }] }
      }
      const { assess, preview } = yield* toolsIn(there, (source) => ({ ...plainAnalysis(source), ...plans[source] }))
      const seen = yield* Effect.forEach(Object.keys(plans), (command) =>
        Effect.map(assess("bash", { command }), ({ command: plan, forbidden, opaque, reason, risk }) => [
          plan?.source,
          risk,
          opaque,
          reason,
          forbidden
        ])
      )
      assert.deepStrictEqual(seen, [
        ["ls", "mutating", true, "runs ls", undefined],
        ["eval $x", "dangerous", true, "a dynamic program name", undefined],
        ["sudo ls", "dangerous", true, "The command runs as another user.", "The command runs as another user."],
        ["a", "dangerous", true, "runs another program", undefined]
      ])
      assert.deepStrictEqual(yield* preview("bash", { command: "ls\npwd" }), {
        kind: "command",
        command: "ls\npwd",
        parts: ["ls", "pwd"]
      })
    })
  )

  it.effect("a redirect follows the rule of writes (P10, P11)", () =>
    Effect.gen(function* () {
      const there = yield* dir
      there.link("ws/out", "../outside")
      const { assess } = yield* toolsIn(there)
      const judge = (command: string) =>
        Effect.map(assess("bash", { command }), ({ alwaysAsk, forbidden }) =>
          forbidden !== undefined ? "forbidden" : alwaysAsk === true ? "always" : "ask"
        )
      const commands = {
        "echo x > file.txt": "ask",
        "make > /dev/null": "ask",
        "echo x > .claw/grants.json": "forbidden",
        "echo x >> ~/.bashrc": "forbidden",
        "echo x > ../x": "forbidden",
        "echo x > /etc/passwd": "forbidden",
        "echo x > out/file": "forbidden",
        "echo x > .git/hooks/pre-commit": "forbidden",
        "echo x > package.json": "always",
        "cd sub\necho x > ../x": "always"
      }
      assert.deepStrictEqual(yield* Effect.forEach(Object.keys(commands), judge), Object.values(commands))
    })
  )
})
