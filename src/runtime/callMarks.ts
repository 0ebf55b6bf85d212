/**
 * What the private records say of calls that have no result, and of a task that somebody wants to end. Owns: taking them
 * in, stored ones and new ones alike. Invariant: what a call's result settled is forgotten.
 */
import { isTerminal, type ReportBody } from "../domain/Event.ts"
import { type CallId, processMark, type TaskId } from "../domain/Ids.ts"
import type { Leftover } from "../sandbox/Leftover.ts"
import type { CallMark, Ended, FileIntent } from "../engine/Resumption.ts"

export interface CallMarks {
  readonly take: (records: ReadonlyArray<{ readonly body: ReportBody }>) => void
  /** Child processes of calls that have no result, and of hooks that have not ended. */
  readonly processes: () => ReadonlyArray<Leftover>
  /** Calls whose arguments did not parse. */
  readonly broken: ReadonlySet<CallId>
  /** Of a call without a result: what it was to make of its file, and whether a process of it was announced. */
  readonly of: (call: CallId) => CallMark
  /** How a call without a result ended: hooks were yet to be told. */
  readonly endOf: (call: CallId) => Ended | undefined
  /** Somebody wanted it to end. */
  readonly canceled: (task: TaskId) => boolean
}

export const make = (): CallMarks => {
  const processes = new Map<CallId, Leftover>()
  const hooks = new Map<string, Leftover>()
  const ends = new Map<CallId, Ended>()
  const broken = new Set<CallId>()
  const intents = new Map<CallId, FileIntent>()
  let canceled: TaskId | undefined
  const takeOne = (body: ReportBody): void => {
    if (isTerminal(body)) return hooks.clear()
    switch (body.type) {
      case "process_started":
        return void processes.set(body.call_id, { ...body, id: processMark(body.task_id, body.call_id) })
      case "file_intended": {
        const { before, after } = body
        return void intents.set(body.call_id, { ...(before === undefined ? {} : { before }), after })
      }
      case "hook_started":
        return void hooks.set(body.mark, { ...body, id: body.mark })
      case "hook_ended":
        return void hooks.delete(body.mark)
      case "tool_ended": {
        const { call_id, parent_call_id, task_id: _task, turn: _turn, type: _type, ...ended } = body
        // A subagent's calls are ended with it.
        return parent_call_id === undefined ? void ends.set(call_id, ended) : undefined
      }
      case "tool_result":
        processes.delete(body.call_id)
        ends.delete(body.call_id)
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
    processes: () => [...processes.values(), ...hooks.values()],
    broken,
    of: (call) => {
      const intent = intents.get(call)
      return { announced: processes.has(call), ...(intent === undefined ? {} : { intent }) }
    },
    endOf: (call) => ends.get(call),
    canceled: (task) => task === canceled
  }
}
