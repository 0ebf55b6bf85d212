/**
 * A process with one session, killed by the test. `FILE DIRECTORY POINT`: runs a task over the store in FILE until
 * POINT, says so, and goes no further. Points: `asked` (the model is silent after some text), `approval`, `pure` and
 * `once` (a tool has begun), `suspended` (the manager suspended all while the model was silent).
 * `world` is what the test goes on with.
 */
import { Deferred, Effect, Stream } from "effect"
import { appendFileSync } from "node:fs"
import { join } from "node:path"
import type { SessionId } from "../../src/domain/Ids.ts"
import type { ModelPart } from "../../src/provider/ModelPart.ts"
import { RuntimeManager } from "../../src/runtime/RuntimeManager.ts"
import { layerSqlite } from "../../src/store/sqlite/SqliteStore.ts"
import { answer, call, text } from "./engineKit.ts"
import { byHistory, manager, type RuntimeKitOptions, watch } from "./runtimeKit.ts"
import { probe } from "./tools.ts"

export const session_id = "killed" as SessionId
export const points = ["asked", "approval", "pure", "once", "suspended"] as const
export type Point = (typeof points)[number]

/** Tools leave a line in DIRECTORY/effects. `reached` is called at the point, and nothing goes on behind it. */
export const world = (directory: string, point?: Point, reached: Effect.Effect<unknown> = Effect.void) => {
  const stop = Effect.andThen(reached, Effect.never)
  const tool = (name: "pure" | "once" | "asking") =>
    probe({
      name,
      risk: name === "asking" ? "mutating" : "safe",
      effect: name === "pure" ? "pure" : "once",
      run: () =>
        Effect.andThen(
          Effect.sync(() => appendFileSync(join(directory, "effects"), `${name}\n`)),
          Effect.suspend((): Effect.Effect<{ readonly content: string }> =>
            name === point ? stop : Effect.succeed({ content: `ran ${name}` })
          )
        )
    }).tool
  const silent = point === "asked" || point === "suspended"
  const first = answer("", [call("c1", "pure"), call("c2", "once"), call("c3", "asking")])
  const cut = Stream.concat(Stream.fromArray<ModelPart>(text("Half an ")), Stream.fromEffectDrain(stop))
  const script = byHistory(silent ? cut : first, answer("The end."))
  return {
    tools: ["pure", "once", "asking"].map((name) => tool(name as "pure")),
    script: () => script
  } satisfies RuntimeKitOptions
}

const say = (line: string) => Effect.sync(() => void process.stdout.write(`${line}\n`))

const program = (directory: string, point: Point) => {
  const reached = Deferred.makeUnsafe<void>()
  const options = world(directory, point, Deferred.succeed(reached, undefined))
  return Effect.gen(function* () {
    const runtimes = yield* RuntimeManager
    const session = yield* runtimes.create(session_id, { workspace: "/" })
    const seen = yield* watch(session, { answers: true })
    yield* session.prompt({ content: "go" })
    if (point === "approval" || point === "pure" || point === "once") {
      const { request_id } = yield* seen.until("approval_request")
      if (point !== "approval") yield* session.answer({ request_id, decision: "allow_once" })
    }
    if (point !== "approval") yield* Deferred.await(reached)
    // The other two calls of the turn are done.
    const results = () => seen.types().filter((type) => type === "tool_result").length
    if (point === "pure" || point === "once") while (results() < 2) yield* Effect.yieldNow
    if (point === "suspended") yield* runtimes.suspendAll(1_000)
    yield* say(`at ${point}`)
    // A timer keeps the process: a fiber that waits for nothing would not.
    yield* Effect.sleep("10 minutes")
  }).pipe(Effect.scoped, Effect.provide(manager(options)))
}

const [, script, file, directory, point] = process.argv
if (script?.endsWith("runtimeChild.ts") === true && file !== undefined && directory !== undefined) {
  await Effect.runPromise(Effect.provide(program(directory, point as Point), layerSqlite(file)))
}
