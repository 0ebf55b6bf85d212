/**
 * Where hooks are heard in a task. Owns: what an opinion does to a call and to a prompt. Does not own: who is asked
 * (Hooks), whether a call may run (the gate, which is asked all the same).
 * Invariants: a refusal is a decision of policy that names the hook; `ask` holds also where the call is judged again;
 * what a tool did is stored though its hook is cut off.
 */
import { Effect } from "effect"
import type { Verdict } from "../approval/ApprovalGate.ts"
import type { RiskAssessment } from "../domain/Approval.ts"
import { steers } from "../domain/Decide.ts"
import type { ReportBody } from "../domain/Event.ts"
import { newPromptId, type SessionId, type TaskId } from "../domain/Ids.ts"
import type { SessionState } from "../domain/Session.ts"
import { type CallAbout, type HooksShape, none } from "./Hooks.ts"
import type { Planned } from "./pairing.ts"
import type { Reporter } from "./Reporter.ts"
import type { Ended } from "./Resumption.ts"
import { TaskFailure } from "./TaskFailure.ts"
import * as Waits from "./waits.ts"

type Ready = Extract<Planned, { readonly kind: "ready" }>

interface Place {
  readonly session_id: SessionId
  readonly at: { readonly task_id: TaskId }
  readonly hooks: HooksShape
  readonly reporter: Reporter["Service"]
}

const about = ({ session_id, at }: Place, { call }: Ready): CallAbout => ({ session_id, task_id: at.task_id, ...call })

const joined = (...texts: ReadonlyArray<string | undefined>): string | undefined => {
  const said = texts.filter((text) => text !== undefined && text !== "")
  return said.length === 0 ? undefined : said.join("\n")
}

/** However often it is judged, a person is asked. */
const askedAbout = (item: Ready, reason: string, askedBy: string): Ready => {
  const asking = (assessment: RiskAssessment): RiskAssessment => ({ ...assessment, alwaysAsk: true, askedBy, reason })
  const { tool } = item.resolved
  const judged = { ...tool, assess: (args: unknown) => Effect.map(tool.assess(args), asking) }
  return { ...item, assessment: asking(item.assessment), resolved: { ...item.resolved, tool: judged } }
}

export interface Heard {
  readonly item: Ready
  /** It does not run. */
  readonly refused?: Verdict
}

export const beforeCall = (place: Place, item: Ready): Effect.Effect<Heard> => {
  const { at, hooks, reporter } = place
  const asked = hooks.beforeTool(about(place, item))
  const heard = hooks === none ? asked : Waits.during({ ...at, reporter }, "waiting_response", "hooks", asked)
  return Effect.map(heard, ({ by = "hook", context, decision, reason = "" }) => {
    if (decision === "deny") return { item, refused: { decision: "deny", via: "policy", rule: by, reason } }
    const noted = context === undefined ? item : { ...item, notes: context }
    return { item: decision === "ask" ? askedAbout(noted, reason, by) : noted }
  })
}

type Fields = Omit<Ended, "duration_ms">

/** Where a call's end is put: as its result, or for whoever goes on after a crash. */
interface Stores<E> {
  readonly result: (fields: Fields) => Effect.Effect<unknown, E>
  readonly ended: (fields: Fields) => Effect.Effect<unknown, E>
}

const noted = (fields: Fields, notes: string | undefined): Fields =>
  notes === undefined ? fields : { ...fields, result: `${fields.result}\n\n${notes}`, own_chars: fields.result.length }

/** Stores the result, with what hooks say of it. What the tool did is stored before any is told of it. */
export const afterCall = <E>(place: Place, item: Ready, fields: Fields, { ended, result }: Stores<E>) => {
  const known = noted(fields, item.notes)
  if (!place.hooks.hears(item.call.tool_name)) return result(known)
  const told = place.hooks.afterTool({ ...about(place, item), status: fields.status, result: fields.result })
  return Effect.andThen(ended(known), told).pipe(
    Effect.onInterrupt(() => Effect.ignore(result(known))),
    Effect.flatMap((said) => result(noted(fields, joined(item.notes, said))))
  )
}

interface Run {
  readonly session_id: SessionId
  readonly task_id: TaskId
  readonly hooks: HooksShape
  readonly reporter: Reporter["Service"]
}

const heard = Effect.fnUntraced(function* (run: Run, prompt: string, turn: number) {
  const { hooks, session_id, task_id } = run
  const asked = hooks.beforePrompt({ session_id, task_id, prompt })
  const { context, decision, reason = "" } = yield* Waits.during(run, "preparing", "hooks", asked)
  if (decision !== undefined) return yield* new TaskFailure({ code: "hook_denied", detail: `${reason}.` })
  const added: ReadonlyArray<ReportBody> =
    context === undefined
      ? []
      : [{ type: "prompt_steered", task_id, turn, prompt_id: newPromptId(), content: context, from: "hook" }]
  return added
})

/** The prompt of a task, before its first turn: what is added to it is stored behind it. */
export const firstPrompt = Effect.fnUntraced(function* (run: Run) {
  const state = yield* run.reporter.state
  const { task } = state
  if (task === undefined || task.turn > 0) return
  const prompt = state.history.find((item) => item.kind === "prompt" && item.prompt_id === task.prompt_id)
  const added = prompt?.kind === "prompt" ? yield* heard(run, prompt.content, 1) : []
  if (added.length > 0) yield* run.reporter.report(added)
})

/** What a person wants kept when the conversation becomes a summary: a model reads that, too. */
export const focused = Effect.fnUntraced(function* (
  { hooks, session_id, task_id }: Omit<Run, "reporter">,
  focus: string
) {
  if (focus === "") return focus
  const { context, decision, reason = "" } = yield* hooks.beforePrompt({ session_id, task_id, prompt: focus })
  if (decision !== undefined) return yield* new TaskFailure({ code: "hook_denied", detail: `${reason}.` })
  return joined(focus, context) ?? focus
})

/** What steers into this turn, and what hooks add to it. */
export const steering = Effect.fnUntraced(function* (run: Run, state: SessionState, turn: number) {
  const prompts = steers(state, turn)
  // Hooks hear what people say.
  const said = prompts.filter(({ from }) => from === undefined)
  const added = yield* Effect.forEach(said, ({ content }) => heard(run, content, turn))
  return [...prompts, ...added.flat()]
})
