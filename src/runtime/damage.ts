/**
 * What damaged records may have said. Owns: whether a session may be written to although some cannot be read back.
 * Invariant: it may only where it is proven that no task which could go on, nothing that waits and no key is among what
 * is lost: each of them is of a turn, between the start and the end of one and the same task. Everything else could make
 * an effect happen twice (RELIABILITY 3.5, I6), so that such a session can only be read.
 */
import { isTerminal, type ReportBody } from "../domain/Event.ts"
import type { TaskId } from "../domain/Ids.ts"
import type { JournalRecord, Page } from "../store/Journal.ts"

/** Of a turn: once its task has ended they are history and nothing more. */
const ofTurns: ReadonlySet<string> = new Set<ReportBody["type"]>([
  "thinking",
  "stream_reset",
  "text_completed",
  "usage",
  "compacted",
  "tool_call",
  "approval_request",
  "approval_resolved",
  "tool_started",
  "tool_result",
  "subagent_started",
  "subagent_ended",
  "process_started",
  "file_intended",
  "raw_arguments",
  "model_request",
  "model_head",
  "host_visited",
  "hook_failed",
  "hook_started",
  "hook_ended",
  "tool_ended"
])

export interface Damage {
  readonly take: (page: Page) => void
  /** Positions of which nobody can prove that they say nothing that still counts. */
  readonly open: () => ReadonlyArray<number>
}

export const make = (): Damage => {
  const proven: Array<number> = []
  let suspected: Array<number> = []
  let task: TaskId | undefined
  const lost = (pos: number, type: string | undefined) => {
    const inTurn = task !== undefined && type !== undefined && ofTurns.has(type)
    if (inTurn) suspected.push(pos)
    else proven.push(pos)
  }
  const known = ({ body }: JournalRecord) => {
    if (body.type === "task_started") {
      // Whatever ended the task before is lost.
      proven.push(...suspected)
      suspected = []
      task = body.task_id
    }
    if (isTerminal(body) && body.task_id === task) {
      suspected = []
      task = undefined
    }
  }
  return {
    take: ({ records, damaged, kinds }) => {
      let next = 0
      const lostBefore = (pos: number) => {
        for (let at = damaged[next]; at !== undefined && at < pos; at = damaged[++next]) lost(at, kinds?.get(at))
      }
      for (const record of records) {
        lostBefore(record.pos)
        known(record)
      }
      lostBefore(Number.POSITIVE_INFINITY)
    },
    open: () => [...proven, ...suspected].toSorted((a, b) => a - b)
  }
}
