/**
 * What a session's tasks did to the files, over HTTP: shown, taken back, given back (issue 6, R257; issue 5).
 * Does not own: which task that is (runtime), what is put back (sandbox). Invariant: what a person changed meanwhile is
 * left alone and named, as everywhere.
 */
import { Effect } from "effect"
import { AppConfig } from "../config/AppConfig.ts"
import type { Durable } from "../domain/Event.ts"
import type { SessionId, TaskId } from "../domain/Ids.ts"
import { body } from "./apiBody.ts"
import { permitted } from "./apiCaller.ts"
import { refuse } from "./apiProblem.ts"
import { openSession } from "./apiScope.ts"
import * as Shape from "./apiShapes.ts"

const opened = (id: SessionId) => Effect.flatMap(permitted("read"), (caller) => openSession(caller, id))

export const checkpoints = Effect.fnUntraced(function* (id: SessionId) {
  return { checkpoints: yield* (yield* opened(id)).changes }
})

export const diff = Effect.fnUntraced(function* (
  id: SessionId,
  { all, task }: { readonly all?: "true" | "false"; readonly task?: TaskId }
) {
  if (all === "true" && task !== undefined) return yield* refuse("bad_message", "Either `all` or one `task`.")
  return yield* (yield* opened(id)).difference(task ?? all === "true")
})

const shapes = { undo: Shape.Undo, redo: Shape.Redo }

export const restore = Effect.fnUntraced(function* (id: SessionId, direction: Durable<"files_restored">["direction"]) {
  const caller = yield* permitted("prompt")
  const { limit } = yield* AppConfig
  const { to, ...options } = yield* body<typeof Shape.Undo.Type>(shapes[direction], limit)
  const session = yield* openSession(caller, id)
  if (to !== undefined) return { restored: yield* session.restoreTo(direction, to, options) }
  return { restored: [yield* session.restore(direction, options)] }
})
