/**
 * Prompts that have a name, over HTTP: listed, and filled with words. Owns: whose session it is, who may. Does not own: which
 * prompts there are and what stands in them (the program knows). Invariant: nothing is started by either.
 */
import { Effect } from "effect"
import { AppConfig } from "../config/AppConfig.ts"
import type { SessionId } from "../domain/Ids.ts"
import type { Permission } from "../domain/Principal.ts"
import { body } from "./apiBody.ts"
import { permitted } from "./apiCaller.ts"
import { refuse } from "./apiProblem.ts"
import { indexOf } from "./apiScope.ts"
import * as Shape from "./apiShapes.ts"

export interface NamedPrompt {
  readonly name: string
  readonly description: string
  readonly argument: string
  readonly of: "user" | "project"
  readonly fill: (words: string) => string
}

/** Those of a workspace, as it is trusted now, and the person's own. */
export type NamedPrompts = (workspace: string) => Effect.Effect<ReadonlyArray<NamedPrompt>>

const ofSession = Effect.fnUntraced(function* (id: SessionId, permission: Permission, prompts: NamedPrompts) {
  const caller = yield* permitted(permission)
  const { workspace } = yield* (yield* indexOf(caller)).get(id)
  return yield* prompts(workspace)
})

export const list = Effect.fnUntraced(function* (id: SessionId, named: NamedPrompts) {
  const found = yield* ofSession(id, "read", named)
  return { prompts: found.map(({ name, description, argument, of }) => ({ name, description, argument, of })) }
})

export const fill = Effect.fnUntraced(function* (id: SessionId, wanted: string, named: NamedPrompts) {
  const { limit } = yield* AppConfig
  const found = yield* ofSession(id, "prompt", named)
  const { words = "" } = yield* body(Shape.FillPrompt, limit)
  const prompt = found.find(({ name }) => name === wanted)
  if (prompt === undefined) return yield* refuse("not_found", "There is no prompt of this name.")
  return { content: prompt.fill(words.trim()) }
})
