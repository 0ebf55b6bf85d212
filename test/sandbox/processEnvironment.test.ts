/** What a child can know of the harness: nothing (LESSONS 17, 19, SECURITY T6). */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { eachDriver, runnerOf as plainRunnerOf, script } from "../support/processes.ts"

const CANARY = "canary-5f1c"
const secrets = Object.fromEntries(
  [
    "OPENAI_API_KEY",
    "CLAW_TOKEN",
    "AWS_SECRET_ACCESS_KEY",
    "DATABASE_URL",
    "SSH_AUTH_SOCK",
    "HTTP_PROXY",
    "BASH_ENV",
    "ENV",
    "LD_PRELOAD",
    "NODE_OPTIONS",
    "PYTHONSTARTUP",
    "GIT_DIR",
    "BASH_FUNC_ls%%",
    "LC_secret",
    "PROMPT_COMMAND"
  ].map((name) => [name, CANARY])
)

const lines = (text: string) => text.trimEnd().split("\n").toSorted()

eachDriver("the environment of a child", ({ isolated, runnerOf }) => {
  it.live("is an allow-list: no key of ours reaches it", () =>
    Effect.gen(function* () {
      const environment = { ...secrets, PATH: process.env["PATH"], HOME: "/tmp", LC_ALL: "C.UTF-8", TZ: "UTC" }
      const runner = yield* runnerOf({ environment })
      const { output } = yield* runner.run(script("env; cat /proc/self/environ; set", { id: "call-7" }))
      assert.notInclude(output.text, CANARY)
      const { output: env } = yield* runner.run(
        script("env | cut -d= -f1 | grep -vE '^(GIT_|SSH_|_$|PWD$|OLDPWD$|SHLVL$)'", { id: "call-7" })
      )
      assert.deepStrictEqual(lines(env.text), [
        "AWS_PAGER",
        "CLAW_CALL_ID",
        "COMPOSER_NO_INTERACTION",
        "DEBIAN_FRONTEND",
        "EDITOR",
        "GCM_INTERACTIVE",
        "HOME",
        "LC_ALL",
        "MANPAGER",
        "NO_COLOR",
        "PAGER",
        "PATH",
        "PIP_NO_INPUT",
        "PYTHONUNBUFFERED",
        "SYSTEMD_PAGER",
        "TERM",
        "TZ",
        "VISUAL"
      ])
    })
  )

  it.live("has no terminal, no input, a session and group of its own, and no descriptor but three", () =>
    Effect.gen(function* () {
      const runner = yield* runnerOf()
      const { output } = yield* runner.run(
        script(
          "[ -t 0 ] || [ -t 1 ] || echo no-tty; (: < /dev/tty) 2>/dev/null || echo no-control; ps -o pid=,pgid=,sid= -p $$ | tr -s ' ' '\\n' | sort -u | grep -c .; echo /proc/$$/fd/*"
        )
      )
      const [tty, control, ids, descriptors = ""] = output.text.split("\n")
      assert.deepStrictEqual([tty, control, ids], ["no-tty", "no-control", "1"])
      const numbers = descriptors
        .split(" ")
        .map((path) => Number(path.split("/").at(-1)))
        .filter((fd) => fd < 255 && fd !== 3)
      assert.deepStrictEqual(numbers, [0, 1, 2])
    })
  )

  it.live("git asks nobody, pages nothing, edits nothing, and runs no monitor that a repository names", () =>
    Effect.gen(function* () {
      const runner = yield* runnerOf()
      const text = [
        "set -e; d=$(mktemp -d); cd $d; git init -q .; git config user.email a@b; git config user.name n",
        "git config core.fsmonitor 'touch '$d'/pwned; false'; git config core.pager 'touch '$d'/pwned; cat'",
        "echo x > f; git add f; git commit -q -m first; git commit -q --amend; git log --oneline | wc -l; git status --short",
        "ls; rm -rf $d"
      ].join("\n")
      const { exit_code, output } = yield* runner.run(script(text))
      assert.deepStrictEqual([output.text, exit_code], ["1\nf\n", 0])
    })
  )

  it.live("names that the operator adds are passed on, and isolation goes around the program", () =>
    Effect.gen(function* () {
      const environment = { ...secrets, PATH: process.env["PATH"] }
      const isolate = (argv: ReadonlyArray<string>, cwd: string) =>
        Effect.succeed({ argv: ["env", `ISOLATED=${cwd}`, ...argv], supervised: false })
      const runner = yield* plainRunnerOf({ environment, passEnvironment: ["HTTP_PROXY"], isolate })
      const text = "echo $HTTP_PROXY $ISOLATED ${DATABASE_URL-none}"
      const shell = yield* runner.run(script(text))
      const program = yield* runner.run(script("", { command: { argv: ["printenv", "HTTP_PROXY"] } }))
      assert.deepStrictEqual(
        [shell.output.text, program.output.text],
        [`${CANARY} ${script("").cwd} none\n`, `${CANARY}\n`]
      )
    })
  )

  it.live("a missing directory, a missing shell, a NUL and a too long command are clear errors", () =>
    Effect.gen(function* () {
      const runner = yield* runnerOf()
      const reason = (spec: ReturnType<typeof script>) =>
        Effect.map(Effect.flip(runner.run(spec)), (error) => error.reason)
      assert.strictEqual(yield* reason(script("true", { cwd: "/nonesuch" })), "bad_directory")
      assert.strictEqual(yield* reason(script("echo \u0000")), "not_started")
      assert.strictEqual(yield* reason(script("#".repeat(3_000_000))), "not_started")
      if (isolated) return
      const empty = yield* runnerOf({ environment: { PATH: "/nonesuch" } })
      assert.strictEqual((yield* Effect.flip(empty.run(script("true")))).reason, "no_shell")
    })
  )
})
