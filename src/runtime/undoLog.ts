/**
 * What can be taken back in a session, and what can be given back: a fold of its records, private ones too. Pure.
 * Invariants: total, as every fold here; a restore that began and has no end is `open`, whatever else is known;
 * an answer is `owed` until it was given, something else was asked for, or a task began.
 */
import type { Durable, PrivateBody, ReportBody } from "../domain/Event.ts"
import type { TaskId } from "../domain/Ids.ts"
import type { Step } from "../sandbox/Checkpoints.ts"
import { titleOf } from "./title.ts"

/** A task that changed files, oldest step first. */
export interface Changed extends Started {
  readonly steps: ReadonlyArray<Step>
}

/** A task, what it is called, and when it began (RFC 3339). */
interface Started {
  readonly task_id: TaskId
  readonly title: string
  readonly at: string
}

export interface Undone {
  readonly task: Changed
  /** What was carried out, newest last; given back one by one. */
  readonly plans: readonly [...ReadonlyArray<string>, string]
  /** Something that a crash left uncertain is still as the task made it. */
  readonly rest: boolean
}

export interface UndoState {
  /** Newest last. */
  readonly changed: ReadonlyArray<Changed>
  /** Newest last; a new change forgets them. */
  readonly undone: ReadonlyArray<Undone>
  readonly open: Extract<PrivateBody, { readonly type: "restore_started" }> | undefined
  /** What came of the newest restore. */
  readonly last: Durable<"files_restored"> | undefined
  /** It, where whoever asked for it may not know it: the process died before it could say so. */
  readonly owed: Durable<"files_restored"> | undefined
  /** Every step there ever was. */
  readonly seen: ReadonlySet<string>
  /** The newest task. */
  readonly started: Started | undefined
}

export const initial: UndoState = {
  changed: [],
  undone: [],
  open: undefined,
  last: undefined,
  owed: undefined,
  seen: new Set(),
  started: undefined
}

const stepped = (state: UndoState, { task_id, step, uncertain }: Extract<PrivateBody, { type: "checkpoint" }>) => {
  if (state.seen.has(step)) return state
  const added: Step = uncertain === true ? { step, uncertain } : { step }
  const last = state.changed.at(-1)
  const task = state.started?.task_id === task_id ? state.started : { task_id, title: "", at: "" }
  const changed =
    last?.task_id === task_id
      ? [...state.changed.slice(0, -1), { ...last, steps: [...last.steps, added] }]
      : [...state.changed, { ...task, steps: [added] }]
  return { ...state, changed, undone: [], seen: new Set(state.seen).add(step) }
}

const ended = (state: UndoState, event: Durable<"files_restored">): UndoState => {
  const { open } = state
  if (open === undefined || open.restored_task_id !== event.restored_task_id) return state
  const closed = { ...state, open: undefined }
  // Nothing was put back although something was to be: it is still there to be undone, or redone.
  if (event.count === 0 && event.kept.length > 0) {
    return event.direction === "undo" ? givenUp(closed, event.restored_task_id) : closed
  }
  const isIt = ({ task_id }: Changed) => task_id === event.restored_task_id
  const found = state.undone.findLast(({ task }) => isIt(task))
  const others = state.undone.filter((one) => one !== found)
  if (event.direction === "redo") {
    if (found === undefined) return closed
    const [earlier, ...before] = found.plans.slice(0, -1).toReversed()
    if (earlier === undefined) return { ...closed, undone: others, changed: [...state.changed, found.task] }
    return { ...closed, undone: [...others, { ...found, plans: [...before.toReversed(), earlier], rest: true }] }
  }
  if (found !== undefined) {
    return { ...closed, undone: [...others, { ...found, plans: [...found.plans, open.plan], rest: false }] }
  }
  const task = state.changed.findLast(isIt)
  if (task === undefined) return closed
  const changed = state.changed.filter((one) => one !== task)
  const rest = event.kept.some(({ reason }) => reason === "uncertain")
  return { ...closed, changed, undone: [...state.undone, { task, plans: [open.plan], rest }] }
}

/** Nothing of it could be taken back: asked again, it is about another one. */
const givenUp = (state: UndoState, id: TaskId): UndoState => ({
  ...state,
  undone: state.undone.map((one) => (one.task.task_id === id ? { ...one, rest: false } : one))
})

/** The newest task, where it is undone but for what a crash left uncertain. */
export const restOf = ({ undone }: UndoState): Changed | undefined => {
  const last = undone.at(-1)
  return last?.rest === true ? last.task : undefined
}

/** `at`: when it was reported. */
export const fold = (state: UndoState, body: ReportBody, at: string): UndoState => {
  switch (body.type) {
    case "task_started":
      return { ...state, owed: undefined, started: { task_id: body.task_id, title: titleOf(body.content), at } }
    case "checkpoint":
      return stepped(state, body)
    case "restore_started":
      return { ...state, open: body, owed: undefined }
    case "restore_owed":
      return { ...state, owed: body.owed ? state.last : undefined }
    case "files_restored":
      return { ...ended(state, body), last: body, owed: undefined }
    default:
      return state
  }
}
