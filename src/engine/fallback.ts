/**
 * Which other model may stand in for one that keeps failing (R113, R115, RELIABILITY 3.6). Owns: what it must be able to
 * do for this request. Pure. Does not own: when it is asked (turn.ts). Invariant: a model that is not able to take the
 * request is never asked, and the person reads why.
 */
import { estimateRequest } from "../context/Tokens.ts"
import { fault } from "../domain/FaultTexts.ts"
import type { Lookup } from "../provider/Catalogue.ts"
import type { ModelRequest } from "../provider/Provider.ts"

/** Why `model` cannot take this request; undefined where it can, as far as anybody knows. */
const objection = (lookup: Lookup, request: ModelRequest, model: string): string | undefined => {
  const { context_window, id, tools } = lookup(model)
  if (request.tools.length > 0 && !tools) return fault("stand_in_no_tools", { model })
  // What is only assumed of a model that nobody knows keeps nobody from asking it.
  if (id !== undefined && estimateRequest(request.messages, request.tools) > context_window) {
    return fault("stand_in_small", { model, window: context_window })
  }
  return undefined
}

export interface Able {
  readonly models: ReadonlyArray<string>
  /** Of the others, a sentence each. */
  readonly objections: ReadonlyArray<string>
}

/** Those of `models` that can take the request, in their order; who was tried is none of them. */
export const able = (
  lookup: Lookup,
  request: ModelRequest,
  models: ReadonlyArray<string>,
  tried: ReadonlyArray<string>
): Able => {
  const others = [...new Set(models)].filter((model) => !tried.includes(model))
  const judged = others.map((model) => ({ model, why: objection(lookup, request, model) }))
  return {
    models: judged.flatMap(({ model, why }) => (why === undefined ? [model] : [])),
    objections: judged.flatMap(({ why }) => (why === undefined ? [] : [why]))
  }
}
