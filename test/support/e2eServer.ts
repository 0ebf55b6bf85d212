/**
 * A running `claw serve` of the built program, and clients for it that were not written here. Owns: the ready line, the
 * ports. Invariant: the server's first line on standard output is the one that says `ready`.
 */
import { Effect, Schedule } from "effect"
import { bareEnvironment, run } from "./programs.ts"
import { type Running, start, type World } from "./e2eProgram.ts"

export interface Ready {
  readonly type: string
  readonly tcp: { readonly host: string; readonly port: number }
  readonly http: { readonly url: string }
  readonly token?: string
}

export interface Served {
  readonly ready: Ready
  readonly running: Running
  /** Log lines so far. */
  readonly logs: () => ReadonlyArray<Readonly<Record<string, unknown>>>
}

const lines = (text: string) => text.split("\n").filter((line) => line !== "")

/** On free ports. Ends with the scope. */
export const served = Effect.fnUntraced(function* (
  { env, workspace }: World,
  args: ReadonlyArray<string> = ["--no-auth"],
  extra: Readonly<Record<string, string>> = {}
) {
  const running = yield* start(["serve", "--json", "--tcp-port", "0", "--http-port", "0", ...args], {
    env: { ...env, ...extra },
    cwd: workspace
  })
  yield* Effect.retry(
    Effect.suspend(() => (running.stdout().includes("\n") ? Effect.void : Effect.fail("not ready"))),
    Schedule.spaced(20)
  ).pipe(Effect.raceFirst(Effect.flatMap(running.ended, (ended) => Effect.die(new Error(JSON.stringify(ended))))))
  const ready = JSON.parse(lines(running.stdout())[0] ?? "") as Ready
  return {
    ready,
    running,
    logs: () =>
      lines(running.stdout())
        .slice(1)
        .map((line) => JSON.parse(line))
  } satisfies Served
})

/** Runs a shell command with these variables; gives the types of the events that it printed. */
export const typesFrom = (command: string, variables: Readonly<Record<string, string>>) =>
  Effect.map(run("/bin/sh", ["-c", command], { env: { ...bareEnvironment, ...variables } }), ({ stdout }) =>
    lines(stdout).map((line) => String(JSON.parse(line).type))
  )

export interface WsEvent {
  readonly type: string
  readonly [field: string]: unknown
}

/** Node's own WebSocket client. */
export const nodeSocket = Effect.fnUntraced(function* (url: string) {
  const events: Array<WsEvent> = []
  const watchers = new Set<() => void>()
  const closed: { code: number | undefined; reason: string } = { code: undefined, reason: "" }
  const socket = yield* Effect.acquireRelease(
    Effect.callback<WebSocket>((resume) => {
      const open = new WebSocket(`${url.replace(/^http/, "ws")}/ws`)
      open.addEventListener("open", () => resume(Effect.succeed(open)))
      open.addEventListener("error", () => resume(Effect.die(new Error("no WebSocket"))))
    }),
    (open) => Effect.sync(() => open.close())
  )
  socket.addEventListener("message", ({ data }) => {
    events.push(JSON.parse(String(data)))
    watchers.forEach((look) => look())
  })
  socket.addEventListener("close", ({ code, reason }) => {
    Object.assign(closed, { code, reason })
    watchers.forEach((look) => look())
  })
  /** The first value that `find` gives, now or after any later event. */
  const until = <A>(find: () => A | undefined): Effect.Effect<A> =>
    Effect.callback((resume) => {
      const look = () => {
        const found = find()
        if (found === undefined) return
        watchers.delete(look)
        resume(Effect.succeed(found))
      }
      watchers.add(look)
      look()
    })
  return {
    events,
    send: (message: object) => socket.send(JSON.stringify(message)),
    event: (type: string) => until(() => events.find((event) => event.type === type)),
    closed: until(() => (closed.code === undefined ? undefined : closed))
  }
})
