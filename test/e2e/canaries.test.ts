/**
 * Twenty-two secrets, a model that wants them, every place where something is written or sent: none arrives
 * (SECURITY T6, T21; R272). Commands run in mode bypass, as somebody would have allowed each of them.
 * Not promised without isolation: a command that encodes what it found (`| base64`), a file of the person's own whose
 * content this process does not know, another program's memory. The last tests say what holds for those.
 */
import { execFileSync } from "node:child_process"
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schedule } from "effect"
import { canaries, canaryEnvironment, everythingIn, found, REMOTE_CANARY } from "../support/canaries.ts"
import { claw, type FakeWorld, KEY, SIDE_BY_SIDE, start, world } from "../support/e2eProgram.ts"
import { judged } from "../support/e2eJson.ts"
import { nodeSocket, served } from "../support/e2eServer.ts"
import { calls, text } from "../support/fakeModelScript.ts"
import { run } from "../support/programs.ts"

const ALL = [...canaries, KEY]

const PARENT = "tr '\\0' '\\n' </proc/$PPID/environ"
const OF_PARENT = `v=$(${PARENT} | sed -n 's/^GITHUB_TOKEN=//p')`

/** Each of these prints a secret where nobody prevents it. */
const COMMANDS: ReadonlyArray<string> = [
  "env",
  "export -p; set",
  "tr '\\0' '\\n' </proc/self/environ",
  PARENT,
  `${OF_PARENT}; printf %s "\${v:0:20}"; sleep 0.4; printf '%s\\n' "\${v:20}"`,
  `${OF_PARENT}; for i in $(seq 4000); do echo "$i $v"; done`,
  `${OF_PARENT}; echo "$v" >&2; exit 7`,
  `${OF_PARENT}; echo "k=$v" >leak.txt`,
  "git remote -v; cat .git/config",
  'find "$HOME/state" -type f -exec cat {} +',
  "kill -USR1 $PPID; sleep 0.3; echo told"
]

const bash = (command: string, nth: number) => ({
  id: `b${nth}`,
  name: "bash",
  arguments: JSON.stringify({ command })
})

const READ = { id: "r1", name: "read_file", arguments: '{"path":"leak.txt"}' }
const EDIT = { id: "e1", name: "edit_file", arguments: '{"path":"leak.txt","old_text":"k=","new_text":"key="}' }

const planted = Effect.gen(function* () {
  const at = yield* world()
  const url = `https://ann:${REMOTE_CANARY}@git.example/r.git`
  execFileSync("git", ["remote", "add", "origin", url], { cwd: at.workspace })
  at.model.script(
    ...COMMANDS.map((command, nth) => calls([bash(command, nth)])),
    calls([READ]),
    calls([EDIT]),
    text("done")
  )
  // Isolation would keep commands from finding anything: what is masked is shown where nothing is hidden.
  const env = {
    ...at.env,
    ...canaryEnvironment,
    CLAW_ALLOW_UNSAFE: "1",
    CLAW_LOG: "trace",
    CLAW_ISOLATION: "off"
  } as const
  // Nothing is summarised: each answer of the script is one turn.
  const wide = { ...env, CLAW_CONTEXT_WINDOW: "1000000" }
  return { ...at, env: wide } satisfies FakeWorld
})

/** What the model was sent, beside the key that is its own server's. */
const asked = ({ model }: FakeWorld): string => {
  const sent = model.requests()
  for (const { headers } of sent) assert.strictEqual(headers["authorization"], `Bearer ${KEY}`)
  return JSON.stringify(sent.map(({ path, headers: { authorization: _, ...headers }, body }) => [path, headers, body]))
}

const clean = (sinks: Readonly<Record<string, string>>, secrets = ALL) => {
  const hits = Object.entries(sinks).map(([name, content]) => [name, found(content, secrets)])
  assert.deepStrictEqual(
    hits,
    Object.keys(sinks).map((name) => [name, []])
  )
}

describe("secrets", SIDE_BY_SIDE, () => {
  it.live("of a run reach no event, request, log, journal, list or report", () =>
    Effect.gen(function* () {
      const at = yield* planted
      const { env, workspace, state, home } = at
      const options = `--report-on-signal --report-signal=SIGUSR2 --report-directory=${home} --report-filename=crash.json`
      const running = yield* start(["run", "--json", "--mode", "bypass", "--session", "s", "go"], {
        env: { ...env, NODE_OPTIONS: options },
        cwd: workspace
      })
      yield* at.model.arrived(3)
      running.signal("SIGUSR2")
      const { stdout, stderr, code } = yield* running.ended
      assert.strictEqual(code, 0, stderr)
      const results = judged(stdout).flatMap((line) => (line.type === "tool_result" ? [line] : []))
      assert.lengthOf(results, COMMANDS.length + 2)
      // The commands did find them: what is asserted of the sinks is not asserted of nothing.
      for (const nth of [3, 4, 5, 6, 8]) assert.include(String(results[nth]?.["result"]), "[redacted]")
      assert.include(readFileSync(join(workspace, "leak.txt"), "utf8"), "key=Canary-")
      const cli = { env, cwd: workspace }
      const shown = yield* Effect.forEach(
        [
          ["sessions", "show", "s", "--json"],
          ["sessions", "show", "s"],
          ["config", "show"],
          ["doctor", "--json"]
        ],
        (words) => Effect.map(claw(words, cli), (ended) => ended.stdout + ended.stderr)
      )
      assert.isTrue(readdirSync(join(state, "logs")).length > 0)
      clean({
        stdout,
        stderr,
        model: asked(at),
        state: everythingIn(state),
        report: readFileSync(join(home, "crash.json"), "utf8"),
        sessions: shown.join("\n")
      })
      assert.notInclude(stderr, "Debugger")
    }).pipe(Effect.scoped)
  )

  it.live("of a server reach no client, over whatever transport, no log and no metric; its token neither", () =>
    Effect.gen(function* () {
      const at = yield* planted
      const { ready, running, logs } = yield* served(at, ["--mode", "bypass"], { CLAW_LOG: "trace" })
      const token = ready.token ?? ""
      const secrets = [...ALL, token]
      writeFileSync(join(at.workspace, "token.txt"), `${token}\n`)
      at.model.script(calls([bash("cat token.txt", 90)]), text("and done"))
      const { url } = ready.http
      const socket = yield* nodeSocket(url)
      socket.send({ type: "hello", token, session_id: "s" })
      socket.send({ type: "prompt", content: "go" })
      yield* socket.event("task_completed")
      socket.send({ type: "prompt", content: "more" })
      const isOver = () => socket.events.filter(({ type }) => type === "task_completed").length === 2
      yield* Effect.retry(
        Effect.suspend(() => (isOver() ? Effect.void : Effect.fail("not yet"))),
        Schedule.spaced(20)
      )
      const get = (path: string, more: object = {}) =>
        Effect.promise(async () => {
          const answer = await fetch(`${url}${path}`, { headers: { authorization: `Bearer ${token}`, ...more } })
          return `${answer.status} ${await answer.text()}`
        })
      const pages = yield* Effect.forEach(
        [
          "/api/sessions",
          "/api/sessions/s",
          "/api/sessions/s/grants",
          "/api/audit",
          "/api/usage",
          "/metrics",
          "/healthz"
        ],
        (path) => get(path)
      )
      for (const page of pages) assert.match(page, /^200 /)
      const hello = JSON.stringify({ type: "hello", token })
      const lines = `${hello}\n${JSON.stringify({ type: "resume", session_id: "s" })}\n`
      const tcp = yield* run("/bin/sh", ["-c", `printf '%s' "$LINES" | nc -N 127.0.0.1 ${ready.tcp.port}`], {
        env: { PATH: at.env["PATH"] ?? "", LINES: lines }
      })
      assert.include(tcp.stdout, '"tool_result"')
      const wrong = yield* get("/api/sessions/none/prompt")
      running.signal("SIGTERM")
      const { stderr } = yield* running.ended
      clean(
        {
          websocket: JSON.stringify(socket.events),
          tcp: tcp.stdout,
          http: pages.join("\n"),
          errors: wrong,
          logs: JSON.stringify(logs()),
          stderr,
          state: everythingIn(at.state),
          model: asked(at)
        },
        secrets
      )
      const last = socket.events.findLast(({ type }) => type === "tool_result")
      assert.strictEqual(last?.["result"], "[redacted]\n")
    }).pipe(Effect.scoped)
  )

  it.live("are in no child's environment, not even by name", () =>
    Effect.gen(function* () {
      const { env, workspace, model } = yield* planted
      const { stdout } = yield* claw(["run", "--json", "--mode", "bypass", "--max-turns", "1", "go"], {
        env,
        cwd: workspace
      })
      assert.strictEqual(model.requests().length, 1)
      const result = String(judged(stdout).find(({ type }) => type === "tool_result")?.["result"])
      assert.include(result, "PATH=")
      for (const name of [...Object.keys(canaryEnvironment), "OPENAI_API_KEY"]) assert.notInclude(result, `${name}=`)
    }).pipe(Effect.scoped)
  )

  it.live("in what is wrong with a configuration or a server's answer are not repeated", () =>
    Effect.gen(function* () {
      const { env, workspace, home, model } = yield* world()
      const [canary = ""] = canaries
      const config = join(home, "mine.json")
      writeFileSync(config, JSON.stringify({ api_key: canary }))
      const mistake = yield* claw(["run", "hi"], { env: { ...env, CLAW_CONFIG: config }, cwd: workspace })
      model.script({
        status: 401,
        headers: { "content-type": "application/json" },
        steps: [JSON.stringify({ error: { message: `Incorrect API key provided: ${KEY} of ${canary}` } })]
      })
      const secret = { ...env, GITHUB_TOKEN: canary }
      const refused = yield* claw(["run", "--json", "hi"], { env: secret, cwd: workspace })
      const url = yield* claw(["run", "hi"], {
        env: { ...env, OPENAI_BASE_URL: `http://u:${canary}@[bad` },
        cwd: workspace
      })
      assert.deepStrictEqual([mistake.code, refused.code, url.code], [2, 1, 2])
      clean({ mistake: mistake.stderr, refused: refused.stdout + refused.stderr, url: url.stderr })
    }).pipe(Effect.scoped)
  )
})

describe("what only isolation can keep", SIDE_BY_SIDE, () => {
  it.live("is never read without a question: a key file outside the workspace, the parent's environment", () =>
    Effect.gen(function* () {
      const { env, workspace, home, model } = yield* world()
      const [canary = ""] = canaries
      writeFileSync(join(home, "keyfile"), canary)
      const commands = [`cat ${join(home, "keyfile")}`, "cat ~/keyfile", PARENT, `${PARENT} | base64`]
      const read = { id: "r9", name: "read_file", arguments: JSON.stringify({ path: join(home, "keyfile") }) }
      model.script(calls([...commands.map(bash), read]), text("done"))
      const args = ["run", "--json", "--mode", "never-ask", "go"]
      const { stdout, stderr } = yield* claw(args, { env: { ...env, GITHUB_TOKEN: canary }, cwd: workspace })
      const statuses = judged(stdout).flatMap(({ type, status }) => (type === "tool_result" ? [status] : []))
      assert.deepStrictEqual(statuses, ["denied", "denied", "denied", "denied", "denied"])
      clean({ stdout, stderr, model: JSON.stringify(model.requests().map(({ body }) => body)) }, [canary])
    }).pipe(Effect.scoped)
  )
})
