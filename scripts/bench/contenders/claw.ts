/**
 * claw itself: engine, openai driver and journal behind the session runtime, watched through a subscription as any
 * channel watches it. Owns: turning a session into the bench's contract.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Exit, Layer, Logger, ManagedRuntime, Metric, Redacted, References, Scope } from "effect"
import { boundYoungGeneration } from "../../../src/app/collector.ts"
import type { SessionEvent } from "../../../src/domain/Event.ts"
import type { SessionId } from "../../../src/domain/Ids.ts"
import * as OpenAi from "../../../src/provider/openai/OpenAi.ts"
import { profiles } from "../../../src/provider/Profiles.ts"
import * as RuntimeManager from "../../../src/runtime/RuntimeManager.ts"
import type { SessionRuntime } from "../../../src/runtime/SessionRuntime.ts"
import { layerMemory } from "../../../src/store/memory/MemoryStore.ts"
import { SessionIndex } from "../../../src/store/SessionIndex.ts"
import { layerSqlite } from "../../../src/store/sqlite/SqliteStore.ts"
import * as ClawSession from "./clawSession.ts"
import { type Contender, type ContenderOptions, type Conversation, PROMPT, type Watch } from "./contender.ts"

/** More than any job takes; the limit itself is not what is measured. */
const MAX_TURNS = 10_000

/** As claw runs where no log file is asked for. */
const silence = Layer.mergeAll(
  Logger.layer([]),
  Layer.succeed(References.MinimumLogLevel, "None"),
  Layer.succeed(References.TracerEnabled, false)
)

interface Ending {
  readonly watch: Watch
  readonly done: () => void
  readonly fail: (error: Error) => void
}

const hand = (event: SessionEvent, { watch, done, fail }: Ending): void => {
  switch (event.type) {
    case "text_delta":
      return watch.onText?.(event.content)
    case "tool_output_delta":
      return watch.onSign?.("output", event.content)
    case "approval_request":
      return watch.onSign?.("asked", event.call_id)
    case "tool_started":
      return watch.onSign?.("started", event.call_id)
    case "task_completed":
    case "task_canceled":
      return done()
    case "task_failed":
      return fail(new Error(`${event.error.code}: ${event.error.message}`))
    default:
  }
}

type Runtime = ManagedRuntime.ManagedRuntime<RuntimeManager.RuntimeManager | SessionIndex, unknown>

const conversation = (runtime: Runtime, session: SessionRuntime, scope: Scope.Closeable, ending: { now?: Ending }) => {
  const id = session.session_id
  const close = Effect.gen(function* () {
    yield* Scope.close(scope, Exit.void)
    yield* Effect.flatMap(RuntimeManager.RuntimeManager, (manager) => manager.destroy(id))
    yield* Effect.flatMap(SessionIndex, (index) => index.remove(id))
  })
  const made: Conversation = {
    run: (watch) => {
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      ending.now = { watch, done: resolve, fail: reject }
      runtime.runPromise(session.prompt({ content: PROMPT })).catch(reject)
      return { ended: promise, cancel: () => void runtime.runFork(Effect.ignore(session.interrupt())) }
    },
    close: () => runtime.runPromise(close)
  }
  return made
}

const open = (runtime: Runtime, workspace: string) => {
  let opened = 0
  return (model: string): Promise<Conversation> =>
    runtime.runPromise(
      Effect.gen(function* () {
        const manager = yield* RuntimeManager.RuntimeManager
        const id = `bench_${opened++}` as SessionId
        const mode = model.startsWith("bash") ? "bypass" : "ask"
        const session = yield* manager.create(id, { workspace, model, mode, max_turns: MAX_TURNS })
        const scope = yield* Scope.make()
        const ending: { now?: Ending } = {}
        const sink = (events: ReadonlyArray<SessionEvent>) => {
          if (ending.now !== undefined) for (const event of events) hand(event, ending.now)
        }
        yield* Scope.provide(session.subscribe({ answers: true, sink }), scope)
        return conversation(runtime, session, scope, ending)
      })
    )
}

export const make = ({ base_url, countFibers }: ContenderOptions, sqlite: boolean): Contender => {
  // As the program does.
  boundYoungGeneration()
  const directory = mkdtempSync(join(tmpdir(), "claw-bench-"))
  let alive = 0
  const counting = Layer.succeed(Metric.FiberRuntimeMetrics, {
    recordFiberStart: () => void alive++,
    recordFiberEnd: () => void alive--
  })
  const provider = OpenAi.layer({ profile: profiles.generic, base_url, model: "text", key: Redacted.make("bench") })
  const sessions = RuntimeManager.layer.pipe(
    Layer.provide(ClawSession.layer.pipe(Layer.provide(provider))),
    Layer.provideMerge(sqlite ? layerSqlite(join(directory, "claw.db")) : layerMemory)
  )
  const silent = Layer.provideMerge(sessions, silence)
  const runtime = ManagedRuntime.make(countFibers ? Layer.provideMerge(silent, counting) : silent)
  return {
    open: open(runtime, directory),
    close: async () => {
      await runtime.dispose()
      rmSync(directory, { recursive: true, force: true })
    },
    fibers: () => alive
  }
}
