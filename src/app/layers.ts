/**
 * Every implementation, named once, bottom to top. No logic beyond choosing which one.
 */
import { join } from "node:path"
import { Effect, Layer, Redacted, References } from "effect"
import { AppConfig, type ConfigShape } from "../config/AppConfig.ts"
import * as Logs from "../observability/Logs.ts"
import { KnownSecrets, maskKnown } from "../observability/Redact.ts"
import * as Breaker from "../provider/Breaker.ts"
import { ModelCatalogue } from "../provider/Catalogue.ts"
import * as OpenAi from "../provider/openai/OpenAi.ts"
import { Provider } from "../provider/Provider.ts"
import * as RuntimeManager from "../runtime/RuntimeManager.ts"
import * as TaskSlots from "../runtime/TaskSlots.ts"
import { layerSqlite } from "../store/sqlite/SqliteStore.ts"
import * as Demo from "./demo.ts"
import { processes } from "./isolation.ts"
import { catalogueOf, type Choice } from "./model.ts"
import * as SessionFactory from "./sessionFactory.ts"

export const storeFile = (config: ConfigShape): string => join(config.state_dir, "claw.db")

/** Sessions, grants and audit of one user on this machine. */
export const store = (config: ConfigShape) => layerSqlite(storeFile(config))

/** The model server, left alone for a while where it keeps failing. */
export const provider = ({ retry }: ConfigShape, choice: Choice) =>
  choice.kind === "demo"
    ? Demo.layer()
    : Layer.effect(
        Provider,
        Effect.map(OpenAi.make(choice.config), (made) =>
          Breaker.protect(made, { failures: retry.breaker_failures, open_ms: retry.breaker_ms })
        )
      )

/** Spans are made only for somebody who reads them; nothing exports them yet, and each costs a stack trace. */
const noTraces = Layer.succeed(References.TracerEnabled, false)

/** Sessions of this process over the given configuration and model. */
export const sessions = (config: ConfigShape, choice: Choice, logs: typeof Logs.layer = Logs.layer) => {
  const settings = Layer.succeed(AppConfig, config)
  const catalogue = Layer.succeed(ModelCatalogue, catalogueOf(config, choice))
  const factory = SessionFactory.layer.pipe(Layer.provide([provider(config, choice), catalogue, settings]))
  return RuntimeManager.layer.pipe(
    Layer.provide(factory),
    Layer.provideMerge(processes(config)),
    Layer.provideMerge(store(config)),
    Layer.provideMerge(logs),
    Layer.provideMerge(noTraces),
    Layer.provideMerge(Layer.succeed(KnownSecrets, maskKnown(config.secrets.map(Redacted.value)))),
    Layer.provideMerge(settings)
  )
}

/** How many tasks a server runs at once. The terminal has no such limit: one person, one conversation. */
export const taskLimit = ({ limit }: ConfigShape) =>
  Layer.succeed(
    TaskSlots.TaskSlots,
    TaskSlots.make({
      running: limit.tasks,
      waiting: limit.tasks_waiting,
      queue: { prompts: limit.queue_prompts, bytes: limit.queue_bytes }
    })
  )

/** What is read without a model: the list of sessions, a session's events. */
export const reading = (config: ConfigShape) => Layer.provideMerge(store(config), Layer.succeed(AppConfig, config))
