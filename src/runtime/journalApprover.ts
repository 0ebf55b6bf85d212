/**
 * The runtime's one approver: commits the question, waits for the first answer of any client or for expiry (DESIGN §6).
 * Owns: who waits for which request id. Does not own: `approval_resolved`; the engine commits that for every call.
 * Invariants: an answer wakes only its own request; the second answer is told so; an interrupted question leaves
 * nothing here (R148, R150, R163).
 */
import { Clock, Deferred, Effect } from "effect"
import { ApprovalRequired, Approver, type Question, type Reply } from "../approval/Approver.ts"
import { checkAnswer } from "../domain/Decide.ts"
import type { ErrorCode } from "../domain/ErrorCode.ts"
import type { RequestId } from "../domain/Ids.ts"
import type { SessionLog } from "./sessionLog.ts"
import type { ApprovalAnswer } from "./SessionRuntime.ts"

export interface JournalApprover {
  readonly approver: Approver["Service"]
  /** `undefined` when the answer counts, the reason when not. */
  readonly answer: (answer: ApprovalAnswer) => Effect.Effect<ErrorCode | undefined>
}

type Waiting = Map<RequestId, Deferred.Deferred<Reply>>

const nobody = ({ request }: Question) => new ApprovalRequired({ tool_name: request.tool_name, reason: request.reason })

const untilExpiry = (question: Question, reply: Effect.Effect<Reply>) => {
  const expires = question.request.expires_at
  if (expires === undefined) return reply
  return Effect.flatMap(Clock.currentTimeMillis, (now) =>
    Effect.timeoutOrElse(reply, {
      duration: Math.max(0, Date.parse(expires) - now),
      orElse: () => Effect.succeed<Reply>({ decision: "deny", via: "timeout" })
    })
  )
}

const ask = (log: SessionLog, waiting: Waiting, question: Question) =>
  Effect.suspend(() => {
    const { task_id, turn, request } = question
    if (log.hub.answerers() === 0) return Effect.fail(nobody(question))
    const reply = Deferred.makeUnsafe<Reply>()
    waiting.set(request.request_id, reply)
    log.signal([{ type: "state", state: "waiting_approval", task_id }])
    return log
      .commit([{ type: "approval_request", task_id, turn, ...request }])
      .pipe(
        Effect.orDie,
        Effect.andThen(untilExpiry(question, Deferred.await(reply))),
        Effect.ensuring(Effect.sync(() => waiting.delete(request.request_id)))
      )
  })

const answer = (log: SessionLog, waiting: Waiting, given: ApprovalAnswer) =>
  Effect.map(Clock.currentTimeMillis, (now): ErrorCode | undefined => {
    const refused = checkAnswer(log.state(), given, now)
    if (refused !== undefined) return refused
    const reply = waiting.get(given.request_id)
    const { decision, request_id: _, ...rest } = given
    if (reply === undefined || !waiting.delete(given.request_id)) return "approval_already_resolved"
    if (decision === "retry" || decision === "skip" || decision === "stop") return "bad_decision"
    Deferred.doneUnsafe(reply, Effect.succeed({ ...rest, decision, via: "user" }))
    return undefined
  })

export const make = (log: SessionLog): JournalApprover => {
  const waiting: Waiting = new Map()
  return {
    approver: Approver.of({ ask: (question) => ask(log, waiting, question) }),
    answer: (given) => answer(log, waiting, given)
  }
}
