/** A task's model, its subagents' models, and what holds of every prefix of their events. */
import { assert } from "@effect/vitest"
import { Effect, type Stream } from "effect"
import type { DurableEvent } from "../../src/domain/Event.ts"
import { fold } from "../../src/domain/Fold.ts"
import { messages } from "../../src/domain/History.ts"
import { initial, type SessionState } from "../../src/domain/Session.ts"
import { Engine } from "../../src/engine/Engine.ts"
import type { ModelPart } from "../../src/provider/ModelPart.ts"
import type { ModelRequest, Script } from "../../src/provider/Provider.ts"
import { makeSubagent } from "../../src/tools/builtin/subagent.ts"
import { answer, call, kit, type KitOptions } from "./engineKit.ts"
import { violations } from "./history.ts"

export const isBelow = ({ messages: [first] }: ModelRequest) => first?.content.includes("# Subagent") === true
export const answers = ({ messages: all }: ModelRequest) => all.filter(({ role }) => role === "assistant").length

/** What the task's model says, turn by turn, and what its subagents' say. */
export const script =
  (
    above: ReadonlyArray<Stream.Stream<ModelPart>>,
    below: ReadonlyArray<Stream.Stream<ModelPart>>,
    seen: Array<ModelRequest> = []
  ): Script =>
  (request) => {
    seen.push(request)
    const list = isBelow(request) ? below : above
    return list[Math.min(answers(request), list.length - 1)] ?? answer("")
  }

export const order = (title: string, more: object = {}) => ({ title, prompt: `do ${title}`, ...more })
export const sub = (id: string, title = id, more: object = {}) => call(id, "subagent", order(title, more))
export const go = Effect.flatMap(Engine, (engine) => engine.prompt({ content: "go" }))

export const over = (options: KitOptions) => kit({ ...options, tools: [makeSubagent(), ...(options.tools ?? [])] })
export const types = (events: ReadonlyArray<DurableEvent>) =>
  events.map((event) => ("parent_call_id" in event ? `${event.parent_call_id}:${event.type}` : event.type))
export const resultOf = (events: ReadonlyArray<DurableEvent>, id: string) =>
  events.flatMap((event) => (event.type === "tool_result" && event.call_id === id ? [event] : []))[0]

/** Every prefix folds to a state that a model may be sent, and is left by closing what is open. */
export const checkPrefixes = (events: ReadonlyArray<DurableEvent>): void => {
  let state: SessionState = initial
  for (const event of events) {
    state = fold(state, event)
    assert.deepStrictEqual(violations(messages(state)), [])
    for (const { state: inside } of state.subagents.values()) assert.deepStrictEqual(violations(messages(inside)), [])
  }
  assert.strictEqual(state.subagents.size, 0)
}
