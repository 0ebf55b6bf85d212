/**
 * What a task and all its subagents have in common. Owns: how many there were, who runs in the background, whose turn it
 * is to change something. Invariants: those in the background end with their task; at the same time two subagents change
 * nothing, so that what each did to the files can be told apart.
 */
import { Deferred, Effect, Scope, Semaphore } from "effect"
import type { SessionState } from "../domain/Session.ts"
import { itemsOfTask } from "../domain/Session.ts"
import { SUBAGENT } from "../tools/SubagentRunner.ts"
import type { Limits } from "./EngineLimits.ts"
import * as Pairing from "./pairing.ts"
import type { Reporter } from "./Reporter.ts"

export interface Family {
  /** The task's own. */
  readonly reporter: Reporter["Service"]
  /** Call ids that the session has used. */
  readonly ids: Set<string>
  /** Of those in the background; closed before the task's end is told. */
  readonly scope: Scope.Closeable
  readonly changes: Semaphore.Semaphore
  /** Places for those of one depth, so that who waits for a deeper one takes no place from it. */
  readonly places: (depth: number) => Semaphore.Semaphore
  begun: number
  /** Milliseconds that tools of all of them ran, added up. */
  toolMs: number
  /** In the background. */
  running: number
  ended: Deferred.Deferred<void> | undefined
}

/** What the task's stored calls say of it: how many subagents it began, and how long its other tools ran. */
const before = (state: SessionState): Pick<Family, "begun" | "toolMs"> => {
  const calls = itemsOfTask(state).flatMap((item) => (item.kind === "answer" ? item.calls : []))
  const subagents = calls.filter(({ tool_name }) => tool_name === SUBAGENT)
  const others = calls.filter(({ tool_name }) => tool_name !== SUBAGENT)
  return {
    begun: subagents.reduce((sum, { started }) => sum + started, 0),
    toolMs: others.reduce((ms, { result }) => ms + (result?.duration_ms ?? 0), 0)
  }
}

export const make = (reporter: Reporter["Service"], limits: Limits, state: SessionState): Family => {
  const places = new Map<number, Semaphore.Semaphore>()
  return {
    reporter,
    ids: Pairing.usedIds(state),
    scope: Scope.makeUnsafe(),
    changes: Semaphore.makeUnsafe(1),
    places: (depth) => {
      const found = places.get(depth) ?? Semaphore.makeUnsafe(limits.subagents_at_once)
      places.set(depth, found)
      return found
    },
    ...before(state),
    running: 0,
    ended: undefined
  }
}

/** Runs it beside the task. */
export const beside = (family: Family, effect: Effect.Effect<unknown>): Effect.Effect<void> =>
  Effect.suspend(() => {
    family.running += 1
    const done = Effect.sync(() => {
      family.running -= 1
      if (family.ended !== undefined) Deferred.doneUnsafe(family.ended, Effect.void)
    })
    return Effect.asVoid(Effect.forkIn(Effect.ensuring(effect, done), family.scope, { startImmediately: true }))
  })

/** Waits for one of those in the background to end; false where none runs. */
export const oneEnds = (family: Family): Effect.Effect<boolean> =>
  Effect.suspend(() => {
    if (family.running === 0) return Effect.succeed(false)
    const ended = Deferred.makeUnsafe<void>()
    family.ended = ended
    return Effect.as(Deferred.await(ended), true)
  })
