/**
 * Tries every way out of a real call (SECURITY T26). Owns: the scene, one call for all attempts, the judgement.
 * Invariant: "held" is what the world outside shows; a call that does not come to its end, or that cannot even write
 * its workspace, proves nothing and counts as a failure.
 */
import { spawn, type ChildProcess } from "node:child_process"
import { randomBytes } from "node:crypto"
import { existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { createServer, type Server } from "node:net"
import { join } from "node:path"
import { Effect, type Scope } from "effect"
import type { Attempt } from "../Isolation.ts"
import type { ProcessError, ProcessResult, ProcessSpec } from "../ProcessRunner.ts"
import { makeTemporary } from "../temporary.ts"
import { COMMON, ESCAPES, ORIGINAL_CONFIG, oddOf, WORD, type Escape, type Scene } from "./attempts.ts"

const TIME_MS = 20_000

export interface Tested {
  readonly attempts: ReadonlyArray<Attempt>
  /** Why nothing could be tried. */
  readonly broken?: string
}

export interface TestOptions {
  /** A directory of claw's that is hidden from every call. */
  readonly scratch: string
  readonly home: string | undefined
  readonly network: boolean
  readonly canForbidMore: boolean
  /** Bytes that files in memory may take. */
  readonly room: number | undefined
  /** Listed hosts are reached through the proxy. */
  readonly proxied: boolean
  readonly run: (spec: ProcessSpec) => Effect.Effect<ProcessResult, ProcessError>
}

const listening = (server: Server, where: { readonly port: number; readonly host: string } | string) =>
  Effect.acquireRelease(
    Effect.callback<Server>((resume) => {
      server.once("error", () => resume(Effect.succeed(server)))
      if (typeof where === "string") server.listen(where, () => resume(Effect.succeed(server)))
      else server.listen(where.port, where.host, () => resume(Effect.succeed(server)))
    }),
    (opened) => Effect.callback<void>((resume) => void opened.close(() => resume(Effect.void)))
  )

const victimOf = (odd: string, canary: string): Effect.Effect<ChildProcess, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const child = spawn("sleep", [odd], { stdio: "ignore", env: { PATH: "/usr/bin:/bin", CLAW_SELF_TEST: canary } })
      child.on("error", () => {})
      return child
    }),
    (child) => Effect.sync(() => void child.kill("SIGKILL"))
  )

const livesWith = (word: string): boolean =>
  readdirSync("/proc").some((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, "latin1").includes(word)
    } catch {
      return false
    }
  })

const layOut = (place: string) => {
  const paths = { ws: join(place, "ws"), outside: join(place, "outside"), secret: join(place, "secret") }
  for (const path of [".git/hooks", "nested/.git/hooks", "githooks", "included"])
    mkdirSync(join(paths.ws, path), { recursive: true })
  mkdirSync(paths.outside)
  for (const path of [".git", "nested/.git"]) writeFileSync(join(paths.ws, path, "config"), ORIGINAL_CONFIG)
  writeFileSync(join(paths.ws, "included", "settings"), "")
  return paths
}

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

/** In a file: what is on a command line is seen by whoever looks for it among the processes. */
const writeFacts = (ws: string, facts: Readonly<Record<string, string>>): void => {
  const lines = Object.entries(facts).map(([name, value]) => `export ${name}=${quoted(value)}\n`)
  writeFileSync(join(ws, "facts"), lines.join(""))
}

const scriptOf = (escapes: ReadonlyArray<Escape>): string =>
  [
    ". ./facts; echo x > inside",
    ...escapes.map(({ name, script }) => `echo; echo "@@ ${name}"; ( ${script} ) 2>/dev/null </dev/null`),
    'echo; echo "@@ end"'
  ].join("\n")

/** Name → what was said under it. */
const saidOf = (text: string): ReadonlyMap<string, string> =>
  new Map(
    text
      .split(/^@@ /m)
      .slice(1)
      .map((part): [string, string] => {
        const end = part.indexOf("\n")
        return [part.slice(0, end), part.slice(end + 1)]
      })
  )

const cleanUp = (mark: string, home: string): void => {
  for (const path of [...COMMON, "/tmp", "/var/tmp", home]) {
    try {
      rmSync(join(path, `claw-${mark}`), { force: true })
    } catch {}
  }
}

const placeOf = (scratch: string) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      mkdirSync(scratch, { recursive: true, mode: 0o700 })
      return realpathSync.native(makeTemporary("self-test", scratch))
    }),
    (place) => Effect.sync(() => rmSync(place, { recursive: true, force: true }))
  )

const setUp = Effect.fnUntraced(function* (options: TestOptions) {
  const { home = "/" } = options
  const place = yield* placeOf(options.scratch)
  const paths = yield* Effect.sync(() => layOut(place))
  const [mark, canary] = [randomBytes(8).toString("hex"), `canary-${randomBytes(12).toString("hex")}`]
  writeFileSync(paths.secret, canary)
  let connections = 0
  const onConnection = () => (connections += 1)
  const tcp = yield* listening(
    createServer(onConnection).on("connection", (socket) => socket.end()),
    {
      port: 0,
      host: "127.0.0.1"
    }
  )
  yield* listening(
    createServer((socket) => socket.end()),
    `\u0000claw-${mark}`
  )
  const victim = yield* victimOf(oddOf(mark), canary)
  yield* Effect.addFinalizer(() => Effect.sync(() => cleanUp(mark, home)))
  const address = tcp.address()
  const scene: Scene = {
    ...paths,
    home,
    mark,
    canary,
    network: options.network,
    canForbidMore: options.canForbidMore,
    room: options.room,
    proxied: options.proxied,
    connections: () => connections,
    isVictimAlive: () => victim.exitCode === null && victim.signalCode === null && victim.pid !== undefined,
    livesWith
  }
  const port = typeof address === "object" && address !== null ? String(address.port) : "1"
  return { scene, port, victim: String(victim.pid ?? 1) }
})

const judge = (scene: Scene, said: ReadonlyMap<string, string>, escape: Escape): Attempt => {
  const words = said.get(escape.name)
  const told = words === undefined || words.includes(WORD) || words.includes(scene.canary)
  return { name: escape.name, held: !told && !(escape.succeeded?.(scene) ?? false) }
}

const tried = Effect.fnUntraced(function* (options: TestOptions) {
  const { port, scene, victim } = yield* setUp(options)
  const escapes = ESCAPES.filter(({ applies }) => applies?.(scene) ?? true)
  const { mark, outside: OUTSIDE, secret: SECRET, ws } = scene
  writeFacts(ws, {
    MARK: mark,
    ODD: oddOf(mark),
    OUTSIDE,
    SECRET,
    PORT: port,
    VICTIM: victim,
    ROOM: String(scene.room)
  })
  const spec: ProcessSpec = {
    id: `self-test-${mark}`,
    command: { script: scriptOf(escapes) },
    cwd: ws,
    timeout_ms: TIME_MS
  }
  const result = yield* options.run(spec)
  const said = saidOf(result.output.text)
  if (!said.has("end")) return { attempts: [], broken: "the test call did not come to its end" } satisfies Tested
  if (!existsSync(join(ws, "inside"))) return { attempts: [], broken: "a call cannot write its workspace" }
  return { attempts: escapes.map((escape) => judge(scene, said, escape)) } satisfies Tested
}, Effect.scoped)

export const selfTest = (options: TestOptions): Effect.Effect<Tested> =>
  tried(options).pipe(
    Effect.catch((error) => Effect.succeed({ attempts: [], broken: error.detail })),
    Effect.catchDefect((defect) =>
      Effect.succeed({ attempts: [], broken: defect instanceof Error ? defect.message : "the test failed" })
    )
  )
