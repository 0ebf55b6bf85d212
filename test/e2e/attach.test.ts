/** `claw attach`: this terminal on a session of a server (R091, R092, R176, R187–R193, R240; SETTLED 2, 5; R222). */
import { readFileSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect } from "effect"
import { claw, type FakeWorld, SIDE_BY_SIDE, STACK, world } from "../support/e2eProgram.ts"
import { type Ready, served } from "../support/e2eServer.ts"
import * as Terminal from "../support/e2eTerminal.ts"
import { calls, delta, DONE, finish, HEAD, stream, text } from "../support/fakeModelScript.ts"
import { road } from "../support/liveClient.ts"

const write = { id: "call_1", name: "write_file", arguments: JSON.stringify({ path: "new.txt", content: "new\n" }) }
const tcpOf = ({ tcp }: Ready) => `tcp://127.0.0.1:${tcp.port}`
const wsOf = ({ http }: Ready) => `${http.url.replace(/^http/, "ws")}/ws`

const attached = ({ env, workspace }: FakeWorld, ...args: ReadonlyArray<string>) =>
  Terminal.start({ env, cwd: workspace, args: ["attach", ...args] })

/** The id as the first lines say it. */
const sessionOf = (tty: Terminal.Tty) =>
  Effect.map(tty.until(/attached to \S+ at/), (screen) => /attached to (\S+) at/.exec(screen)?.[1] ?? "")

/** What is stored, a line for each kind of fact that is asked for. */
const stored = ({ env, workspace }: FakeWorld, id: string, ...types: ReadonlyArray<string>) =>
  Effect.map(claw(["sessions", "show", id, "--json"], { env, cwd: workspace }), ({ stdout }) =>
    stdout
      .split("\n")
      .slice(0, -1)
      .map((line) => String(JSON.parse(line).type))
      .filter((type) => types.includes(type))
  )

const ENDS = ["task_completed", "task_canceled", "task_failed"]

describe("claw attach at a terminal", SIDE_BY_SIDE, () => {
  for (const [name, urlOf] of [
    ["TCP", tcpOf],
    ["WebSocket", wsOf]
  ] as const) {
    it.live(`over ${name}: prompt, answer, Ctrl-C, /exit`, () =>
      Effect.gen(function* () {
        const at = yield* world()
        at.model.script(calls([write]), text("Written."), stream(HEAD, delta({ content: "on and on" }), "hang"))
        const { ready } = yield* served(at)
        const tty = yield* attached(at, "--url", urlOf(ready))
        const id = yield* sessionOf(tty)
        yield* tty.prompt
        tty.enter("write it")
        yield* tty.answer("y")
        yield* tty.shows("Written.")
        yield* tty.ended(1)
        assert.strictEqual(readFileSync(join(at.workspace, "new.txt"), "utf8"), "new\n")
        tty.enter("go")
        yield* tty.shows("on and on")
        tty.press("ctrlC")
        yield* tty.ended(2)
        tty.enter("/grants")
        yield* tty.shows("[unknown_type]")
        tty.enter("/exit")
        assert.strictEqual(yield* tty.exited, 0)
        assert.deepStrictEqual(yield* stored(at, id, ...ENDS), ["task_completed", "task_canceled"])
        assert.deepStrictEqual(at.model.violations(), [])
      }).pipe(Effect.scoped)
    )
  }

  it.live("two terminals at one session see the same, and one answers what the other was asked", () =>
    Effect.gen(function* () {
      const at = yield* world()
      at.model.script(calls([write]), text("Written."))
      const { ready } = yield* served(at)
      const one = yield* attached(at, "--url", wsOf(ready))
      const id = yield* sessionOf(one)
      const two = yield* attached(at, "--url", tcpOf(ready), id)
      yield* two.prompt
      one.enter("write it")
      yield* one.until(/y once/)
      yield* two.answer("y")
      const screens = [yield* one.ended(1), yield* two.ended(1)]
      for (const screen of screens) {
        assert.include(screen, "write it")
        assert.include(screen, "Written.")
        assert.notInclude(screen, "y once")
      }
      // Who leaves a session where somebody stays ends nothing.
      at.model.script(stream(HEAD, delta({ content: "half" }), "hang"))
      one.enter("go")
      yield* two.shows("half")
      two.enter("/exit")
      assert.strictEqual(yield* two.exited, 0)
      assert.notInclude(one.screen(), "Cancelled.")
      one.press("ctrlC")
      yield* one.ended(2)
      assert.deepStrictEqual(yield* stored(at, id, ...ENDS), ["task_completed", "task_canceled"])
    }).pipe(Effect.scoped)
  )

  it.live("a connection that breaks is told, and so is its return; the text goes on", () =>
    Effect.gen(function* () {
      const at = yield* world()
      const go = yield* Deferred.make<void>()
      at.model.script(
        stream(
          HEAD,
          delta({ content: "one " }),
          { until: Deferred.await(go) },
          delta({ content: "two" }),
          finish("stop"),
          DONE
        )
      )
      const { ready } = yield* served(at)
      const path = yield* road
      path.to(ready.tcp.port)
      const tty = yield* attached(at, "--detach", "--url", `tcp://127.0.0.1:${path.port}`)
      yield* tty.prompt
      tty.enter("count")
      yield* tty.shows("one")
      path.cut()
      yield* tty.shows("The connection to the server is lost; trying again.")
      yield* tty.shows("Reconnected.")
      yield* Deferred.succeed(go, undefined)
      yield* tty.shows("one two")
      yield* tty.ended(1)
      tty.enter("/exit")
      assert.strictEqual(yield* tty.exited, 0)
    }).pipe(Effect.scoped)
  )

  it.live("a server that does not come back: Ctrl-C twice leaves", () =>
    Effect.gen(function* () {
      const at = yield* world()
      at.model.script(stream(HEAD, delta({ content: "half" }), "hang"))
      const { ready, running } = yield* served(at)
      const tty = yield* attached(at, "--url", tcpOf(ready))
      yield* tty.prompt
      tty.enter("go")
      yield* tty.shows("half")
      running.signal("SIGKILL")
      yield* tty.shows("is lost; trying again.")
      tty.press("ctrlC")
      yield* tty.shows("Ctrl-C again to leave.")
      tty.press("ctrlC")
      assert.strictEqual(yield* tty.exited, 1)
      assert.include(tty.screen(), "left while the server could not be reached")
    }).pipe(Effect.scoped)
  )

  for (const [name, args, ends] of [
    ["leaving cancels the task", [], ["task_canceled"]],
    ["with --detach it goes on, and is there for who attaches again", ["--detach"], ["task_completed"]]
  ] as const) {
    it.live(name, () =>
      Effect.gen(function* () {
        const at = yield* world()
        const go = yield* Deferred.make<void>()
        at.model.script(
          stream(
            HEAD,
            delta({ content: "half " }),
            { until: Deferred.await(go) },
            delta({ content: "whole" }),
            finish("stop"),
            DONE
          )
        )
        const { ready } = yield* served(at)
        const tty = yield* attached(at, "--url", wsOf(ready), ...args)
        const id = yield* sessionOf(tty)
        yield* tty.prompt
        tty.enter("go")
        yield* tty.shows("half")
        tty.enter("/exit")
        assert.strictEqual(yield* tty.exited, 0)
        const said = tty.screen().replace(/\s+/g, " ").includes(`the task goes on; claw attach ${id} comes back to it.`)
        assert.strictEqual(said, args.length > 0)
        yield* Deferred.succeed(go, undefined)
        const again = yield* attached(at, "--url", tcpOf(ready), id)
        const screen = yield* again.ended(1)
        assert.strictEqual(screen.includes("half whole"), ends[0] === "task_completed")
        assert.deepStrictEqual(yield* stored(at, id, ...ENDS), [...ends])
      }).pipe(Effect.scoped)
    )
  }
})

describe("claw attach over pipes", SIDE_BY_SIDE, () => {
  it.live("takes lines as prompts; the token comes from CLAW_TOKEN or a file", () =>
    Effect.gen(function* () {
      const at = yield* world()
      at.model.script(text("First."), text("Second."))
      const { ready } = yield* served(at, [])
      const [token, file] = [ready.token ?? "", join(at.home, "token")]
      writeFileSync(file, `${token}\n`)
      const given = { cwd: at.workspace, input: "one\n" }
      const first = yield* claw(["attach", "--url", wsOf(ready)], { ...given, env: { ...at.env, CLAW_TOKEN: token } })
      const args = ["attach", "--url", tcpOf(ready), "--token-file", file]
      const second = yield* claw(args, { ...given, env: at.env })
      assert.deepStrictEqual([first.code, first.stdout], [0, "First.\n"])
      assert.deepStrictEqual([second.code, second.stdout], [0, "Second.\n"])
      for (const { stdout, stderr } of [first, second]) assert.notInclude(stdout + stderr, token)
    }).pipe(Effect.scoped)
  )

  it.live("says in one sentence why it cannot attach, with an exit code", () =>
    Effect.gen(function* () {
      const at = yield* world()
      const { ready } = yield* served(at, [])
      const silent = yield* Effect.acquireRelease(
        Effect.callback<ReturnType<typeof createServer>>((resume) => {
          const server = createServer((socket) => void socket.on("error", () => {}).write("220 mail ready\r\n"))
          server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
        }),
        (server) => Effect.sync(() => server.close())
      )
      const address = silent.address()
      const mail = `tcp://127.0.0.1:${typeof address === "object" ? address?.port : 0}`
      const right = { CLAW_TOKEN: ready.token ?? "" }
      const wrong = { CLAW_TOKEN: "claw_wrong" }
      const cases: ReadonlyArray<readonly [ReadonlyArray<string>, Terminal.StartOptions["env"], number, RegExp]> = [
        [["--url", "ws://127.0.0.1:1/ws"], right, 1, /No claw server can be reached at ws:\/\/127\.0\.0\.1:1\/ws\./],
        [["--url", "tcp://127.0.0.1:1"], right, 1, /No claw server can be reached at tcp:\/\/127\.0\.0\.1:1\./],
        [["--url", mail], right, 1, /is not a claw server\./],
        [["--url", tcpOf(ready)], wrong, 1, /does not accept this token.*\[unauthenticated\]/],
        [["--url", wsOf(ready)], {}, 1, /wants a token.*\[unauthenticated\]/],
        [["--url", wsOf(ready), "nobody"], right, 1, /has no session nobody\. \[session_not_found\]/],
        [["--url", tcpOf(ready), "nobody"], right, 1, /has no session nobody\. \[session_not_found\]/],
        [["--url", "http://127.0.0.1"], right, 2, /--url is ws:/],
        [["--url", `${wsOf(ready)}#token=claw_x`], right, 2, /an address only/],
        [["--token-file", join(at.home, "none")], {}, 2, /cannot be read/],
        [["--mode", "bypass"], right, 2, /bypass is set where the server starts/],
        [["a b"], right, 2, /is not a session id/]
      ]
      for (const [args, env, code, sentence] of cases) {
        const given = { cwd: at.workspace, env: { ...at.env, ...env }, input: "hi\n" }
        const ended = yield* claw(["attach", ...args], given)
        assert.deepStrictEqual([ended.code, ended.stdout], [code, ""], `${args.join(" ")}: ${ended.stderr}`)
        assert.match(ended.stderr, new RegExp(`^claw: [^\n]*${sentence.source}[^\n]*\n$`), args.join(" "))
        assert.notMatch(ended.stderr, STACK)
      }
      assert.deepStrictEqual(at.model.requests().length, 0)
    }).pipe(Effect.scoped)
  )
})
