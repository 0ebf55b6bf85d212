/**
 * A session whose events a test writes itself: facts are numbered, kept and replayed to later watchers; deltas reach
 * whoever watches. Its one task ends when the test says so.
 */
import { Deferred, Effect } from "effect"
import type { DurableBody, LiveBody, SessionEvent } from "../../src/domain/Event.ts"
import type { EventId, PromptId, SessionId, TaskId } from "../../src/domain/Ids.ts"
import type { EndedTask } from "../../src/domain/Session.ts"
import type { SessionRuntime, Subscription } from "../../src/runtime/SessionRuntime.ts"

const session_id = "fake" as SessionId
const ts = "2026-01-02T03:04:05.678Z"
export const task_id = "task" as TaskId
export const usage = { input_tokens: 1, output_tokens: 1 }

export interface FakeSession {
  readonly runtime: SessionRuntime
  readonly facts: Array<SessionEvent>
  readonly tell: (...bodies: ReadonlyArray<DurableBody | LiveBody>) => void
  readonly end: (end?: Partial<EndedTask>) => void
  /** How often somebody began to watch, and how many watch now. */
  readonly watched: () => { readonly ever: number; readonly now: number }
}

const live = new Set(["text_delta", "thinking_delta", "tool_output_delta", "state", "retrying", "task_waiting"])

const unused = (name: string) => () => Effect.die(new Error(`the fake session has no ${name}`))

export const fakeSession = (): FakeSession => {
  const facts: Array<SessionEvent> = []
  const sinks = new Set<Subscription["sink"]>()
  const ended = Deferred.makeUnsafe<EndedTask>()
  let ever = 0
  let seq = 0
  const tell: FakeSession["tell"] = (...bodies) => {
    const events = bodies.map((body): SessionEvent => {
      if (live.has(body.type)) return { v: 1, session_id, ts, ...(body as LiveBody) }
      seq += 1
      return { v: 1, session_id, ts, seq, event_id: `e${seq}` as EventId, ...(body as DurableBody) }
    })
    facts.push(...events.filter((event) => "seq" in event))
    for (const sink of sinks) sink(events)
  }
  const subscribe = ({ after, sink }: Subscription) =>
    Effect.acquireRelease(
      Effect.sync(() => {
        ever += 1
        if (after !== undefined) {
          const missed = facts.filter((event) => "seq" in event && event.seq > after.seq)
          if (missed.length > 0) sink(missed)
        }
        sinks.add(sink)
      }),
      () => Effect.sync(() => void sinks.delete(sink))
    )
  const finish = (end: Partial<EndedTask> = {}) =>
    void Deferred.doneUnsafe(ended, Effect.succeed({ task_id, status: "completed", usage, ...end }))
  const runtime = {
    session_id,
    subscribe,
    status: Effect.sync(() => ({ position: seq })),
    interrupt: unused("interrupt"),
    prompt: () =>
      Effect.succeed({
        prompt_id: "p" as PromptId,
        duplicate: false,
        task: {
          task_id,
          prompt_id: "p" as PromptId,
          status: Effect.succeed("running"),
          await: Deferred.await(ended),
          cancel: Effect.suspend(() => {
            finish({ status: "canceled" })
            return Deferred.await(ended)
          })
        }
      })
  } as unknown as SessionRuntime
  return { runtime, facts, tell, end: finish, watched: () => ({ ever, now: sinks.size }) }
}
