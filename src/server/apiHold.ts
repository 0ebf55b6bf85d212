/**
 * Keeps a task that was started over HTTP answerable after its request has ended (SETTLED 2, 5): whoever sent it may
 * answer its questions by further requests. Owns: one watcher from before the prompt until its task's end.
 * Invariant: a hold ends with the task of its prompt, with the prompt taken back, or with the server; never before.
 */
import { Deferred, Effect, Exit, Scope } from "effect"
import { isTerminal, type SessionEvent } from "../domain/Event.ts"
import type { PromptId, TaskId } from "../domain/Ids.ts"
import type { Accepted, Prompt, SessionRuntime } from "../runtime/SessionRuntime.ts"

/** Follows prompts to the end of their tasks. */
const follower = () => {
  const tasks = new Map<PromptId, TaskId>()
  const over = new Set<PromptId | TaskId>()
  const done = Deferred.makeUnsafe<void>()
  let wanted: PromptId | undefined
  const look = (): void => {
    if (wanted === undefined) return
    const task = tasks.get(wanted)
    if (over.has(wanted) || (task !== undefined && over.has(task))) Deferred.doneUnsafe(done, Effect.void)
  }
  return {
    done: Deferred.await(done),
    sink: (events: ReadonlyArray<SessionEvent>): void => {
      for (const event of events) {
        if (!("seq" in event)) continue
        if (event.type === "task_started" || event.type === "prompt_steered") tasks.set(event.prompt_id, event.task_id)
        if (event.type === "prompt_unqueued") over.add(event.prompt_id)
        if (isTerminal(event)) over.add(event.task_id)
      }
      look()
    },
    want: ({ prompt_id, task }: Accepted): void => {
      wanted = prompt_id
      if (task !== undefined) tasks.set(prompt_id, task.task_id)
      look()
    }
  }
}

/** Sends the prompt; the session has somebody who can answer until its task ends, or until `server` closes. */
export const promptHeld = Effect.fnUntraced(function* (session: SessionRuntime, prompt: Prompt, server: Scope.Scope) {
  const scope = yield* Scope.fork(server)
  const follow = follower()
  const sent = Effect.gen(function* () {
    yield* Effect.provideService(session.subscribe({ answers: true, sink: follow.sink }), Scope.Scope, scope)
    return yield* session.prompt(prompt)
  })
  const accepted = yield* Effect.onError(sent, () => Scope.close(scope, Exit.void))
  // A repeated prompt whose task is over, or waits, is held by the request that sent it first.
  if (accepted.duplicate && accepted.task === undefined) yield* Scope.close(scope, Exit.void)
  else {
    follow.want(accepted)
    yield* Effect.forkIn(Effect.andThen(follow.done, Scope.close(scope, Exit.void)), server)
  }
  return accepted
}, Effect.uninterruptible)
