/**
 * What a task remembers from turn to turn, rebuilt from its stored facts, so that its limits and the loop guard go on
 * where they were. Pure.
 */
import type { CallId } from "../domain/Ids.ts"
import { type AnswerItem, itemsOfTask, type SessionState } from "../domain/Session.ts"
import * as LoopGuard from "./loopGuard.ts"
import type { Resumption } from "./Resumption.ts"

/** What hooks add to a result, the time of day perhaps, makes nothing new of the call. */
const saidBy = ({ result }: AnswerItem["calls"][number]) => [result?.status, result?.result.slice(0, result.own_chars)]

/** The calls of one answer and what the tools said as one text, for the loop guard. */
export const stepOf = (calls: AnswerItem["calls"]): LoopGuard.Step =>
  JSON.stringify(calls.map((call) => [call.tool_name, call.arguments, ...saidBy(call)]))

export interface Remembered {
  readonly steps: ReadonlyArray<LoopGuard.Step>
  readonly badTurns: number
  /** Steps in a row up to now of which nothing succeeded. */
  readonly failing: number
}

export const nothing: Remembered = { steps: [], badTurns: 0, failing: 0 }

const hasBroken = ({ calls }: AnswerItem, broken: ReadonlySet<CallId>) => calls.some((call) => broken.has(call.call_id))

/** Before the place: the turn that is being looked at there is not in it yet. */
export const remembered = (state: SessionState, { place, broken }: Resumption): Remembered => {
  const answers = itemsOfTask(state).flatMap((item) => (item.kind === "answer" && item.calls.length > 0 ? [item] : []))
  const before = place.kind === "turn" || place.kind === "calls" ? answers.slice(0, -1) : answers
  return {
    steps: before.map((answer) => stepOf(answer.calls)).slice(-LoopGuard.KEPT),
    failing: before.length - 1 - before.findLastIndex(({ calls }) => !LoopGuard.isFailure(calls)),
    badTurns: before.length - 1 - before.findLastIndex((answer) => !hasBroken(answer, broken))
  }
}

/** The running task's newest answer. */
export const lastAnswer = (state: SessionState): AnswerItem | undefined =>
  itemsOfTask(state).findLast((item): item is AnswerItem => item.kind === "answer")

/** Whether it has a call that did not parse. */
export const lastIsBroken = (state: SessionState, { broken }: Resumption): boolean => {
  const answer = lastAnswer(state)
  return answer !== undefined && hasBroken(answer, broken)
}
