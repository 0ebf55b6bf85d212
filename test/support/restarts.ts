/** Processes one after another over one store: each has its own manager, is stopped by suspension, and leaves. */
import { type Context, Effect, Exit, Layer, Scope } from "effect"
import type { GrantStore } from "../../src/approval/GrantStore.ts"
import type { ApprovalRequest } from "../../src/domain/Approval.ts"
import type { DurableEvent } from "../../src/domain/Event.ts"
import type { SessionId } from "../../src/domain/Ids.ts"
import { localOwner, sessionKey } from "../../src/domain/Principal.ts"
import { RuntimeManager } from "../../src/runtime/RuntimeManager.ts"
import type { SessionRuntime } from "../../src/runtime/SessionRuntime.ts"
import { Journal } from "../../src/store/Journal.ts"
import type { SessionIndex } from "../../src/store/SessionIndex.ts"
import { manager, type RuntimeKitOptions } from "./runtimeKit.ts"

export interface Process {
  readonly manager: RuntimeManager["Service"]
  /** Suspends, then ends. */
  readonly leave: (graceMs?: number) => Effect.Effect<void>
  /** Ends as a program that is killed would: nothing more is stored. */
  readonly scope: Scope.Closeable
}

export const begin = Effect.fnUntraced(function* (options: RuntimeKitOptions) {
  const store: Context.Context<Journal | SessionIndex | GrantStore> = yield* Effect.context<
    Journal | SessionIndex | GrantStore
  >()
  const scope = yield* Scope.make()
  const built = yield* Layer.buildWithScope(Layer.provide(manager(options), Layer.succeedContext(store)), scope)
  const service = yield* Effect.provideContext(RuntimeManager, built)
  const leave = (graceMs = 60_000) => Effect.andThen(service.suspendAll(graceMs), Scope.close(scope, Exit.void))
  return { manager: service, leave, scope } satisfies Process
})

/** Answers every question with "once", those of before the restart, too; what a crash cut off is not run again. */
export const answering = (session: SessionRuntime, log: Array<string> = []) =>
  Effect.gen(function* () {
    const scope = yield* Effect.scope
    const allow = ({ request_id, kind }: Pick<ApprovalRequest, "request_id" | "kind">) => {
      log.push(request_id)
      return Effect.ignore(session.answer({ request_id, decision: kind === "recovery" ? "skip" : "allow_once" }))
    }
    const context = yield* Effect.context()
    yield* session.subscribe({
      answers: true,
      sink: (events) => {
        for (const event of events) {
          if (event.type === "approval_request") Effect.runForkWith(context)(Effect.forkIn(allow(event), scope))
        }
      }
    })
    const { pending_approvals } = yield* session.status
    yield* Effect.forEach(pending_approvals, allow)
  })

/** All public facts of a session, as stored. */
export const stored = Effect.fnUntraced(function* (id: SessionId) {
  const page = yield* Effect.flatMap(Journal, (journal) => journal.readPublic(sessionKey(localOwner, id), 0, 10_000))
  return page.records.map(({ body }) => body as DurableEvent)
})

const VOLATILE = new Set([
  "task_id",
  "prompt_id",
  "stream_id",
  "reasoning_stream_id",
  "request_id",
  "event_id",
  "expires_at",
  "duration_ms"
])

/** What happened, without names that are made anew each time and without the openings of streams that were cut. */
export const plain = (events: ReadonlyArray<DurableEvent>): ReadonlyArray<unknown> =>
  events
    .filter(({ type }) => type !== "stream_reset")
    .map((event) => JSON.parse(JSON.stringify(event, (key, value: unknown) => (VOLATILE.has(key) ? undefined : value))))
