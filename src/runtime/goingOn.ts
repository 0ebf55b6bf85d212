/**
 * A stored task goes on after its process is gone (DESIGN §7). Owns: the order: look, store what was found, resume.
 * Does not own: what is safe (`recover`), what a person's word does (engine). Invariants: nothing runs before the
 * questions about it are stored; a task that cannot go on is closed.
 */
import { Effect } from "effect"
import type { Mode } from "../approval/ApprovalGate.ts"
import { type CallState, pendingApprovals, type SessionState } from "../domain/Session.ts"
import * as Points from "../observability/Points.ts"
import type { Look } from "../engine/Resumption.ts"
import { closeCrashed } from "./crashed.ts"
import { hadDoneNothing } from "./cutSubagent.ts"
import type { JournalApprover } from "./journalApprover.ts"
import { cutOff, ended, found, recover } from "./recover.ts"
import type { Parts } from "./RuntimeFactory.ts"
import type { SessionLog } from "./sessionLog.ts"
import type { Tasks } from "./tasks.ts"

interface Going {
  readonly log: SessionLog
  readonly approver: JournalApprover
  readonly parts: Parts
  readonly tasks: Tasks
  readonly settings: { readonly mode: Mode | undefined }
}

const again: Look = { kind: "again" }

const lookAt = ({ log, parts: { engine } }: Going, { call_id, tool_name, arguments: args }: CallState) =>
  Effect.map(
    hadDoneNothing(log.state(), call_id)
      ? Effect.succeed(again)
      : engine.look({ call_id, tool_name, arguments: args }, log.marks.of(call_id)),
    (look) => [call_id, look] as const
  )

/** Subagents whose model had been asked, and whose answer nobody has. */
const askedBelow = ({ subagents }: SessionState) =>
  Array.from(subagents.values(), ({ state }) => state).filter(({ task }) => task?.stream !== undefined)

/** Goes on with what is safe; what nobody can know becomes a question. Tells whether it went on. */
export const goOn = Effect.fnUntraced(function* (going: Going) {
  const { approver, log, parts, settings, tasks } = going
  const { broken, canceled } = log.marks
  const running = log.state().task
  if (running !== undefined && canceled(running.task_id)) return false
  const known = ended(log.state(), log.marks.endOf)
  if (known.length > 0) yield* log.commit(known)
  const looks = new Map(yield* Effect.forEach(cutOff(log.state()), (call) => lookAt(going, call)))
  const cut = askedBelow(log.state())
  const facts = found(log.state(), looks, (settings.mode ?? parts.mode) !== "never-ask")
  if (facts.length > 0) yield* log.commit(facts)
  const recovery = recover(log.state(), { looks, broken })
  const { task } = log.state()
  if (recovery.kind !== "resume" || task === undefined) return false
  const open = pendingApprovals(log.state()).map(({ request_id }) => request_id)
  approver.goesOn(task.task_id, open)
  Points.reach("recovery decided")
  yield* tasks.resume({ place: recovery.place, broken, cut })
  return true
})

/** After a restart: tells whether it went on; closes what cannot. */
export const recoverTask = Effect.fnUntraced(function* (going: Going) {
  if (yield* goOn(going)) return true
  yield* closeCrashed(going.log)
  yield* going.tasks.startQueued(false)
  return false
})

/** A task of which nothing is left but questions about what a crash cut off ends for a new prompt (SETTLED 14). */
export const giveUp = Effect.fnUntraced(function* ({ approver, tasks }: Going) {
  const task = tasks.current()
  // Where an answer is on its way the task goes on: nothing to wait for.
  if (task !== undefined && approver.supersede()) yield* task.await
})
