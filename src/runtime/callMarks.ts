/**
 * What the private records say of calls that have no result, of a task that somebody wants to end, and of limits that were
 * set. Owns: taking them in, stored ones and new ones alike. Invariant: what a call's result settled is forgotten.
 */
import { isTerminal, type ReportBody } from "../domain/Event.ts"
import { type CallId, processMark, type TaskId } from "../domain/Ids.ts"
import type { Leftover } from "../sandbox/Leftover.ts"
import type { CallMark, Ended, FileIntent } from "../engine/Resumption.ts"
import * as SetCaps from "./setCaps.ts"

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
  /** Programs that began to be told of the end of the task that has none yet. */
  readonly hooksTold: () => ReadonlySet<string>
  /** Limits of spending that somebody set. */
  readonly caps: () => SetCaps.SetCaps
  /** Somebody wanted it to end. */
  readonly canceled: (task: TaskId) => boolean
}

export const make = (): CallMarks => {
  const processes = new Map<CallId, Leftover>()
  const hooks = new Map<string, Leftover>()
  const hooksTold = new Set<string>()
  const ends = new Map<CallId, Ended>()
  const broken = new Set<CallId>()
  const intents = new Map<CallId, FileIntent>()
  let caps = SetCaps.initial
  let canceled: TaskId | undefined
  const takeOne = (body: ReportBody): void => {
    if (isTerminal(body)) return [hooks, hooksTold].forEach((known) => known.clear())
    switch (body.type) {
      case "process_started":
        return void processes.set(body.call_id, { ...body, id: processMark(body.task_id, body.call_id) })
      case "file_intended": {
        const { before, after } = body
        return void intents.set(body.call_id, { ...(before === undefined ? {} : { before }), after })
      }
      case "hook_started":
        if (body.after_task !== undefined) hooksTold.add(body.after_task)
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
      case "budget_set":
        caps = SetCaps.fold(caps, body)
        return undefined
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
    hooksTold: () => hooksTold,
    caps: () => caps,
    canceled: (task) => task === canceled
  }
}
