/** `claw serve`, the built program: what it says, outside clients, ways not to start (issue 3; R169–R174, R239, R327; R230). */
import { createServer, type AddressInfo } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { claw, KEY, SIDE_BY_SIDE, STACK, start, world } from "../support/e2eProgram.ts"
import { nodeSocket, served, typesFrom } from "../support/e2eServer.ts"
import { text } from "../support/fakeModelScript.ts"

const PROMPT = JSON.stringify({ type: "prompt", content: "hi" })

/** Connects, says one prompt, and prints what comes until the task ends. */
const PYTHON = `
import asyncio, os, websockets
async def main():
    async with websockets.connect(os.environ["URL"]) as ws:
        await ws.send(os.environ["INPUT"])
        async for message in ws:
            print(message)
            if '"task_completed"' in message: return
asyncio.run(main())`

const clients: ReadonlyArray<readonly [name: string, command: (port: number, url: string) => string]> = [
  ["nc, which closes its half", (port) => `printf '%s\\n' "$INPUT" | nc -N 127.0.0.1 ${port}`],
  ["socat, a byte at a time", (port) => `printf '%s\\n' "$INPUT" | socat -b1 -t30 - TCP:127.0.0.1:${port},nodelay`],
  ["Python's websockets", (_, url) => `URL=${url.replace(/^http/, "ws")}/ws /usr/bin/python3 -c "$SCRIPT"`]
]

/** What a person reads, until the server has ended. */
const banner = Effect.fnUntraced(function* (
  more: Readonly<Record<string, string>> = {},
  args: ReadonlyArray<string> = []
) {
  const { env, workspace } = yield* world()
  const all = ["serve", "--tcp-port", "0", "--http-port", "0", ...args]
  const running = yield* start(all, { env: { ...env, ...more }, cwd: workspace })
  running.child.stdout.on("data", () => void (running.stdout().includes("Ctrl-C") && running.signal("SIGINT")))
  return yield* running.ended
})

describe("claw serve", SIDE_BY_SIDE, () => {
  for (const [name, command] of clients) {
    it.live(`is understood by ${name}`, () =>
      Effect.gen(function* () {
        const at = yield* world()
        at.model.script(text("hello there", 3))
        const { ready } = yield* served(at)
        const types = yield* typesFrom(command(ready.tcp.port, ready.http.url), { INPUT: PROMPT, SCRIPT: PYTHON })
        const durable = new Set(["task_started", "thinking", "text_completed", "usage", "task_completed"])
        assert.deepStrictEqual(
          types.filter((type) => durable.has(type)),
          ["task_started", "thinking", "text_completed", "usage", "task_completed"]
        )
        assert.deepStrictEqual(at.model.violations(), [])
      }).pipe(Effect.scoped)
    )
  }

  it.live("asks for the start token that its ready line holds; logs are JSON lines without it or the key", () =>
    Effect.gen(function* () {
      const at = yield* world()
      at.model.script(text("hello there", 3))
      const { ready, running, logs } = yield* served(at, [], { CLAW_LOG: "trace" })
      assert.deepStrictEqual(
        { ...ready, token: typeof ready.token },
        {
          type: "ready",
          tcp: { host: "127.0.0.1", port: ready.tcp.port },
          http: { url: `http://127.0.0.1:${new URL(ready.http.url).port}` },
          token: "string"
        }
      )
      const socket = yield* nodeSocket(ready.http.url)
      socket.send({ type: "hello", token: ready.token })
      socket.send({ type: "prompt", content: "hi" })
      yield* socket.event("task_completed")
      const wrong = yield* nodeSocket(ready.http.url)
      wrong.send({ type: "hello", token: "claw_wrong" })
      assert.strictEqual((yield* wrong.closed).code, 4401)
      running.signal("SIGTERM")
      const { code, stdout, stderr } = yield* running.ended
      assert.strictEqual(code, 0)
      assert.isAbove(logs().length, 1)
      for (const line of logs()) assert.isString(line["level"])
      const after = stdout.slice(stdout.indexOf("\n")) + stderr
      for (const secret of [ready.token ?? "", KEY]) assert.notInclude(after, secret)
    }).pipe(Effect.scoped)
  )

  it.live("says where it is, for people", () =>
    Effect.gen(function* () {
      const ended = yield* banner()
      assert.match(ended.stdout, /^TCP {8}127\.0\.0\.1:\d+$/m)
      assert.match(ended.stdout, /^docs {7}http:\/\/127\.0\.0\.1:\d+\/docs$/m)
      assert.match(ended.stdout, /^console {4}http:\/\/127\.0\.0\.1:\d+\/#token=claw_\S{40,}$/m)
      assert.deepStrictEqual([ended.code, ended.stderr], [0, "claw: ending; once more to stop at once.\n"])
    }).pipe(Effect.scoped)
  )

  it.live("works with the demo in a scratch project, or where it is told to", () =>
    Effect.gen(function* () {
      const { workspace } = yield* world()
      const [scratch, told] = [
        yield* banner({}, ["--provider", "demo"]),
        yield* banner({}, ["--provider", "demo", "--cwd", workspace])
      ]
      const place = ({ stdout }: { readonly stdout: string }) => /^claw \S+ · demo · (.*)$/m.exec(stdout)?.[1]
      assert.strictEqual(place(told), workspace)
      assert.notInclude([undefined, workspace], place(scratch))
    }).pipe(Effect.scoped)
  )

  it.live("says it in Chinese too, in columns, and warns where nobody is asked before anything runs", () =>
    Effect.gen(function* () {
      const chinese = yield* banner({ CLAW_LANG: "zh-CN" })
      // A character is two columns wide.
      assert.match(chinese.stdout, /^控制台 {5}http:.*#token=claw_.*\nTCP {8}127.*\n/m)
      assert.match(chinese.stdout, /^WebSocket {2}ws:.*\n文档 {7}http:/m)
      const open = yield* banner({ CLAW_LANG: "en" }, ["--mode", "bypass"])
      assert.strictEqual(
        open.stderr,
        "claw: mode bypass asks nobody: whoever reaches this server can run anything as you.\n" +
          "claw: ending; once more to stop at once.\n"
      )
    }).pipe(Effect.scoped)
  )
})

/** A port of this machine that is taken for as long as the scope lives. */
const taken = Effect.map(
  Effect.acquireRelease(
    Effect.callback<ReturnType<typeof createServer>>((resume) => {
      const server = createServer()
      server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
    }),
    (server) => Effect.sync(() => server.close())
  ),
  (server) => (server.address() as AddressInfo).port
)

describe("claw serve does not start", SIDE_BY_SIDE, () => {
  const refused: ReadonlyArray<
    readonly [name: string, args: (port: number) => ReadonlyArray<string>, exit: number, RegExp]
  > = [
    [
      "on a TCP port that is taken",
      (port) => ["--tcp-port", `${port}`, "--http-port", "0"],
      1,
      /listen for TCP on 127\.0\.0\.1 port \d+: another program listens there/
    ],
    [
      "on an HTTP port that is taken",
      (port) => ["--tcp-port", "0", "--http-port", `${port}`],
      1,
      /listen for HTTP on 127\.0\.0\.1 port \d+: another program listens there/
    ],
    [
      "on one port for TCP and HTTP",
      (port) => ["--tcp-port", `${port}`, "--http-port", `${port}`],
      2,
      /cannot listen for TCP and for HTTP on one port, and both would be \d+: choose two \(--tcp-port/
    ],
    ["on an address of another machine", () => ["--host", "192.0.2.1"], 2, /needs TLS/],
    ["on every address without a token", () => ["--host", "0.0.0.0", "--no-auth"], 2, /needs authentication/],
    ["on a port that is no number", () => ["--tcp-port", "http"], 2, /--tcp-port/]
  ]
  for (const [name, args, exit, sentence] of refused) {
    it.live(`${name}, and says so in a sentence`, () =>
      Effect.gen(function* () {
        const { env, workspace } = yield* world()
        const { code, stdout, stderr } = yield* claw(["serve", ...args(yield* taken)], { env, cwd: workspace })
        assert.strictEqual(code, exit)
        assert.strictEqual(stdout, "")
        assert.match(stderr, sentence)
        assert.match(stderr, /^claw: [^\n]+\.\n$/)
        assert.notMatch(stderr, STACK)
      }).pipe(Effect.scoped)
    )
  }

  it.live("with a certificate that cannot be read", () =>
    Effect.gen(function* () {
      const { env, workspace } = yield* world()
      const { code, stderr } = yield* claw(["serve", "--tcp-port", "0", "--http-port", "0"], {
        env: { ...env, CLAW_SERVER_TLS_CERT: "/nonexistent/cert.pem", CLAW_SERVER_TLS_KEY: "/nonexistent/key.pem" },
        cwd: workspace
      })
      assert.strictEqual(code, 1)
      assert.match(stderr, /^claw: The certificate \/nonexistent\/cert\.pem and key \S+ cannot be used: ENOENT.*\n$/)
    }).pipe(Effect.scoped)
  )
})
