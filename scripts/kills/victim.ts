/**
 * The process that is killed: claw's own layers behind one TCP listener, told on standard input what to do, one job
 * after another. Owns: who looks at the points of this process. Invariant: a point that is to be the last one is the
 * last thing that happens here.
 */
import { appendFileSync } from "node:fs"
import { createInterface } from "node:readline"
import { Context, Deferred, Effect, Exit, Layer, Logger, Result, Scope } from "effect"
import { Attachments } from "../../src/channel/Attachments.ts"
import * as Authenticator from "../../src/channel/Authenticator.ts"
import * as ChannelSessions from "../../src/channel/ChannelSessions.ts"
import { Channels } from "../../src/channel/Channels.ts"
import { load } from "../../src/config/AppConfig.ts"
import * as ModelReach from "../../src/observability/ModelReach.ts"
import * as Points from "../../src/observability/Points.ts"
import { RuntimeManager } from "../../src/runtime/RuntimeManager.ts"
import { backup, restore } from "../../src/store/sqlite/Backup.ts"
import { compact } from "../../src/store/sqlite/Compact.ts"
import { layerSqlite } from "../../src/store/sqlite/SqliteStore.ts"
import * as Admission from "../../src/server/Admission.ts"
import * as Drain from "../../src/server/Drain.ts"
import * as TcpServer from "../../src/server/TcpServer.ts"
import * as Tls from "../../src/server/Tls.ts"
import { sessions, taskLimit } from "../../src/app/layers.ts"
import { choose } from "../../src/app/model.ts"
import type { Job } from "./job.ts"

const say = (message: object): void => void process.stdout.write(`${JSON.stringify(message)}\n`)

/** Counts each name; the last point kills, a record names all of them. */
const lookFor = ({ kill, record }: Job) => {
  const counts = new Map<string, number>()
  let all = 0
  Points.watch((name) => {
    const nth = (counts.get(name) ?? 0) + 1
    counts.set(name, nth)
    all += 1
    if (record !== undefined) appendFileSync(record, `${name}\t${nth}\n`)
    if (kill === undefined) return
    if ("any" in kill ? kill.any === all : kill.name === name && kill.nth === nth) process.kill(process.pid, "SIGKILL")
  })
}

const configOf = ({ home, base_url }: Job) =>
  Result.getOrThrow(
    load({
      workspace: `${home}/work`,
      operator: "/nonexistent/config.json",
      env: {
        PATH: process.env["PATH"] ?? "",
        HOME: home,
        CLAW_STATE_DIR: `${home}/state`,
        OPENAI_BASE_URL: base_url,
        OPENAI_API_KEY: "sk-none",
        CLAW_MODEL: "fake-model"
      },
      flags: {
        isolation: { mode: "off" },
        server: { host: "127.0.0.1", tcp_port: 0, auth: false },
        retry: { max_attempts: 3, base_ms: 1, max_ms: 2 },
        limit: { prompts_per_minute: 600, drain_ms: 3000 }
      }
    })
  )

const layerOf = (job: Job) => {
  const config = configOf(job)
  const choice = Result.getOrThrow(choose(config))
  return TcpServer.layer.pipe(
    Layer.provideMerge(ChannelSessions.layer),
    Layer.provideMerge(Authenticator.layerAnonymous()),
    Layer.provideMerge(Layer.mergeAll(Admission.layer, Drain.layer, Tls.layer)),
    Layer.provideMerge(
      sessions(config, choice, Logger.layer([])).pipe(
        Layer.provideMerge(Layer.mergeAll(taskLimit(config), ModelReach.layer))
      )
    )
  )
}

/** As `claw serve` ends on a signal. */
const drained = Effect.gen(function* () {
  const [tcp, channels, manager] = [yield* TcpServer.TcpServer, yield* Channels, yield* RuntimeManager]
  yield* Drain.drain({
    drain_ms: 3000,
    listeners: [tcp],
    announce: channels.drain,
    suspend: manager.suspendAll,
    closeAll: channels.closeAll
  })
})

type Order = "drain" | "close"
let stop: Deferred.Deferred<Order> | undefined

const serve = (job: Job) =>
  Effect.gen(function* () {
    const stopped = Deferred.makeUnsafe<Order>()
    stop = stopped
    lookFor(job)
    const scope = yield* Scope.make()
    const context = yield* Layer.buildWithScope(layerOf(job), scope)
    const { address } = Context.get(context, TcpServer.TcpServer)
    say({ ready: address.port })
    const { accompany } = Context.get(context, Attachments)
    yield* Context.get(context, RuntimeManager).resumeAll(accompany)
    Points.reach("recovery after")
    const order = yield* Deferred.await(stopped)
    if (order === "drain") yield* Effect.provideContext(drained, context)
    yield* Scope.close(scope, Exit.void)
    Points.watch(undefined)
    say({ stopped: order })
  })

/** What is done to a whole store. */
const workOf = ({ home, work }: Job): Effect.Effect<unknown, unknown> => {
  const [file, target] = [`${home}/state/claw.db`, `${home}/backup.db`]
  switch (work) {
    case "backup":
      return backup(file, target)
    case "restore":
      return restore(target, file, "before")
    case "compact":
      return compact(file)
    default:
      return Effect.scoped(Layer.build(layerSqlite(file)))
  }
}

const worked = (job: Job) =>
  Effect.gen(function* () {
    lookFor(job)
    yield* workOf(job)
    Points.watch(undefined)
    say({ done: job.work })
  })

createInterface({ input: process.stdin }).on("line", (line) => {
  const message = JSON.parse(line) as { readonly job?: Job; readonly stop?: Order }
  if (message.stop !== undefined && stop !== undefined) Deferred.doneUnsafe(stop, Effect.succeed(message.stop))
  if (message.job !== undefined) {
    void Effect.runPromise(message.job.work === undefined ? serve(message.job) : worked(message.job)).catch(
      (error: unknown) => {
        process.stderr.write(`${String(error)}\n`)
        process.exit(1)
      }
    )
  }
})
process.stdin.on("end", () => process.exit(0))
say({ warm: process.pid })
