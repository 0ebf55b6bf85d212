/**
 * What the private records say of calls that have no result, and of a task that somebody wants to end. Owns: taking them
 * in, stored ones and new ones alike. Invariant: what a call's result settled is forgotten.
 */
import type { ReportBody } from "../domain/Event.ts"
import { type CallId, processMark, type TaskId } from "../domain/Ids.ts"
import type { Leftover } from "../sandbox/Leftover.ts"
import type { CallMark, FileIntent } from "../engine/Resumption.ts"

export interface CallMarks {
  readonly take: (records: ReadonlyArray<{ readonly body: ReportBody }>) => void
  /** Child processes of calls that have no result. */
  readonly processes: () => ReadonlyArray<Leftover>
  /** Calls whose arguments did not parse. */
  readonly broken: ReadonlySet<CallId>
  /** Of a call without a result: what it was to make of its file, and whether a process of it was announced. */
  readonly of: (call: CallId) => CallMark
  /** Somebody wanted it to end. */
  readonly canceled: (task: TaskId) => boolean
}

export const make = (): CallMarks => {
  const processes = new Map<CallId, Leftover>()
  const broken = new Set<CallId>()
  const intents = new Map<CallId, FileIntent>()
  let canceled: TaskId | undefined
  const takeOne = (body: ReportBody): void => {
    switch (body.type) {
      case "process_started":
        return void processes.set(body.call_id, { ...body, id: processMark(body.task_id, body.call_id) })
      case "file_intended": {
        const { before, after } = body
        return void intents.set(body.call_id, { ...(before === undefined ? {} : { before }), after })
      }
      case "tool_result":
        processes.delete(body.call_id)
        return void intents.delete(body.call_id)
      case "raw_arguments":
        return void broken.add(body.call_id)
      case "cancel_requested":
        canceled = body.task_id
    }
  }
  return {
    take: (records) => {
      for (const { body } of records) takeOne(body)
    },
    processes: () => Array.from(processes.values()),
    broken,
    of: (call) => {
      const intent = intents.get(call)
      return { announced: processes.has(call), ...(intent === undefined ? {} : { intent }) }
    },
    canceled: (task) => task === canceled
  }
}
