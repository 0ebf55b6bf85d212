/**
 * The runtime's one approver: commits the question, waits for the first answer of any client or for expiry (DESIGN §6).
 * Owns: who waits for which request id. Does not own: `approval_resolved`; the engine commits that for every call.
 * Invariants: an answer wakes only its own request; the second answer is told so; an interrupted question leaves
 * nothing here (R148, R150, R163); a question from before a restart can be answered before it is asked again.
 */
import { Clock, Deferred, Effect, Semaphore } from "effect"
import { ApprovalRequired, Approver, type Question, type Reply } from "../approval/Approver.ts"
import type { Answer } from "../domain/Approval.ts"
import { checkAnswer } from "../domain/Decide.ts"
import type { ErrorCode } from "../domain/ErrorCode.ts"
import type { RequestId, TaskId } from "../domain/Ids.ts"
import { pendingApprovals } from "../domain/Session.ts"
import type { Sink } from "./EventHub.ts"
import type { SessionLog } from "./sessionLog.ts"
import type { ApprovalAnswer } from "./SessionRuntime.ts"

export interface JournalApprover {
  readonly approver: Approver["Service"]
  /** `undefined` when the answer counts, the reason when not. */
  readonly answer: (answer: ApprovalAnswer) => Effect.Effect<ErrorCode | undefined>
  /**
   * A new prompt takes the place of every question about a cut off call: their task ends. False, and nothing is done,
   * where there is none, or one of them is no such question or is answered already.
   */
  readonly supersede: () => boolean
  /** Nobody is left who could answer: what a tool asks fails, as it would have if nobody had been there (SETTLED 5). */
  readonly desert: () => void
  /** The stored questions of a task that goes on, and whose watchers are still on their way back. */
  readonly goesOn: (task: TaskId, open: ReadonlyArray<RequestId>) => void
}

type Waiting = Deferred.Deferred<Reply, ApprovalRequired>

interface Questions {
  readonly asking: Semaphore.Semaphore
  readonly waiting: Map<RequestId, Waiting>
  /** Questions of before, until their call is checked again. */
  readonly before: Map<RequestId, Waiting>
  /** The task that goes on: it asks although nobody is there yet. */
  resumed: TaskId | undefined
}

const nobody = ({ tool_name, reason }: Question["request"]) => new ApprovalRequired({ tool_name, reason })

const untilExpiry = <E>(question: Question, reply: Effect.Effect<Reply, E>) => {
  const expires = question.request.expires_at
  if (expires === undefined) return reply
  return Effect.flatMap(Clock.currentTimeMillis, (now) =>
    Effect.timeoutOrElse(reply, {
      duration: Math.max(0, Date.parse(expires) - now),
      orElse: () => Effect.succeed<Reply>({ decision: "deny", via: "timeout" })
    })
  )
}

/** One after another, whoever asks: a task and its subagents ask at the same time (PROTOCOL ordering 3). */
const ask = (log: SessionLog, questions: Questions, question: Question) => {
  const isFresh = question.request.kind === "tool" && !questions.before.has(question.request.request_id)
  const asked = askNow(log, questions, question)
  return isFresh ? questions.asking.withPermits(1)(asked) : asked
}

const askNow = (log: SessionLog, questions: Questions, question: Question) =>
  Effect.suspend(() => {
    const { waiting, before } = questions
    const { request, ...at } = question
    const { task_id } = at
    const { request_id } = request
    const known = before.get(request_id)
    before.delete(request_id)
    if (known === undefined && log.hub.answerers() === 0 && questions.resumed !== task_id) {
      return Effect.fail(nobody(request))
    }
    const reply = known ?? Deferred.makeUnsafe<Reply, ApprovalRequired>()
    if (known === undefined) waiting.set(request_id, reply)
    log.signal([{ type: "state", state: "waiting_approval", task_id }])
    const asked = known === undefined ? log.commit([{ type: "approval_request", ...at, ...request }]) : Effect.void
    return asked.pipe(
      Effect.orDie,
      Effect.andThen(untilExpiry(question, Deferred.await(reply))),
      Effect.ensuring(Effect.sync(() => waiting.delete(request_id)))
    )
  })

const answer = (log: SessionLog, { waiting, before }: Questions, given: ApprovalAnswer) =>
  Effect.map(Clock.currentTimeMillis, (now): ErrorCode | undefined => {
    // The timer of a question that is asked here says when it is over; the clock on the wall may be set, or have slept.
    const isTimed = waiting.has(given.request_id) && !before.has(given.request_id)
    const refused = checkAnswer(log.state(), given, isTimed ? undefined : now)
    if (refused !== undefined) return refused
    const reply = waiting.get(given.request_id)
    const { decision, request_id, withdrawn, ...rest } = given
    if (reply === undefined || !waiting.delete(request_id)) return "approval_already_resolved"
    const said = isRecovery(log, request_id) ? (inOtherWords[decision] ?? decision) : decision
    const via = withdrawn === true ? "cancel" : "user"
    Deferred.doneUnsafe(reply, Effect.succeed({ ...rest, decision: said, via }))
    return undefined
  })

/** For clients that know two buttons only (PROTOCOL §2). */
const inOtherWords: { readonly [A in Answer]?: Answer } = { allow_once: "retry", deny: "skip" }

const isRecovery = (log: SessionLog, request_id: RequestId): boolean =>
  pendingApprovals(log.state()).some((request) => request.request_id === request_id && request.kind === "recovery")

const supersede = (log: SessionLog, { waiting }: Questions): boolean => {
  const open = pendingApprovals(log.state())
  const replies = open.flatMap(({ kind, request_id }) => {
    const reply = kind === "recovery" ? waiting.get(request_id) : undefined
    return reply === undefined ? [] : [reply]
  })
  if (open.length === 0 || replies.length < open.length) return false
  for (const { request_id } of open) waiting.delete(request_id)
  for (const reply of replies) Deferred.doneUnsafe(reply, Effect.succeed({ decision: "stop", via: "recovery" }))
  return true
}

const desert = (log: SessionLog, { waiting }: Questions): void => {
  for (const request of pendingApprovals(log.state())) {
    const reply = request.kind === "recovery" ? undefined : waiting.get(request.request_id)
    if (reply === undefined) continue
    waiting.delete(request.request_id)
    Deferred.doneUnsafe(reply, Effect.fail(nobody(request)))
  }
}

/** Waits until the answer of a question is stored, or its task has stopped without it; tells which. */
export const stored = (log: SessionLog, request_id: RequestId, stopped: Effect.Effect<unknown>) =>
  Effect.suspend(() => {
    const isOpen = () => pendingApprovals(log.state()).some((request) => request.request_id === request_id)
    if (!isOpen()) return Effect.succeed(true)
    const resolved = Deferred.makeUnsafe<void>()
    const sink: Sink = () => {
      if (!isOpen()) Deferred.doneUnsafe(resolved, Effect.void)
    }
    const { join, leave } = log.hub.add(sink, { answers: false, after: undefined })
    join()
    return Effect.raceFirst(Deferred.await(resolved), stopped).pipe(
      Effect.map(() => !isOpen()),
      Effect.ensuring(Effect.sync(leave))
    )
  })

export const make = (log: SessionLog): JournalApprover => {
  const questions: Questions = {
    asking: Semaphore.makeUnsafe(1),
    waiting: new Map(),
    before: new Map(),
    resumed: undefined
  }
  return {
    approver: Approver.of({ ask: (question) => ask(log, questions, question) }),
    answer: (given) => answer(log, questions, given),
    supersede: () => supersede(log, questions),
    desert: () => desert(log, questions),
    goesOn: (task, open) => {
      questions.resumed = task
      for (const id of open) {
        const reply: Waiting = Deferred.makeUnsafe()
        questions.waiting.set(id, reply)
        questions.before.set(id, reply)
      }
    }
  }
}
