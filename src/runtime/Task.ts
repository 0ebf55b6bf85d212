/**
 * One agent run for one prompt (R030–R039). A task is a fiber; this is what others may hold of it.
 * A task that is suspended (SETTLED 1) has no end: its `status` stays `running`, as the journal has it, and whoever waits
 * here is told `failed` with the retryable `server_draining`, since this process will not know its end.
 * Invariants: `status` leaves `running` once; `await` is a broadcast; when it returns, the terminal event is
 * committed, the session is free for the next prompt, and the task's children are dead (SETTLED 3, LESSONS 34).
 */
import type { Effect } from "effect"
import type { PromptId, TaskId } from "../domain/Ids.ts"
import type { EndedTask, TaskStatus } from "../domain/Session.ts"

export interface Task {
  readonly task_id: TaskId
  readonly prompt_id: PromptId
  readonly status: Effect.Effect<TaskStatus>
  /** Waits for the end; interrupting a waiter does not touch the task. */
  readonly await: Effect.Effect<EndedTask>
  /** Interrupts and waits for the end; a no-op when it has ended. */
  readonly cancel: Effect.Effect<EndedTask>
}
