/**
 * One task from prompt to outcome (R070, DESIGN §4). Owns: the loop, its visible states, the end on every path.
 * Does not own: where events go (Reporter), whether a call may run (ApprovalGate), what a tool does, retries' policy.
 * Invariant: one `task_started` is followed by exactly one terminal event, in one append with a result for every call
 * that has none, whatever happened in between: answer, failure, defect, interruption.
 */
import { Cause, Context, Effect, Exit, Layer, Scope, Semaphore } from "effect"
import { ApprovalGate } from "../approval/ApprovalGate.ts"
import { SystemPrompt } from "../context/SystemPrompt.ts"
import type { BudgetUse } from "../domain/Budget.ts"
import { close, type Outcome, suspend, suspendedEnd } from "../domain/Decide.ts"
import { errorBody } from "../domain/ErrorCode.ts"
import { newPromptId, newTaskId, type PromptId, type SessionId, type TaskId } from "../domain/Ids.ts"
import { messages } from "../domain/History.ts"
import type { ToolCall } from "../domain/Message.ts"
import type { EndedTask, SessionState } from "../domain/Session.ts"
import { none } from "../domain/Usage.ts"
import { KnownSecrets } from "../observability/Redact.ts"
import { ModelCatalogue } from "../provider/Catalogue.ts"
import { Provider } from "../provider/Provider.ts"
import { ToolRegistry } from "../tools/ToolRegistry.ts"
import { Budget } from "./Budget.ts"
import { outcomeOf } from "./ending.ts"
import { type Caps, EngineLimits, ProcessSlots } from "./EngineLimits.ts"
import { focused } from "./hooked.ts"
import { Hooks } from "./Hooks.ts"
import * as Compacting from "./compacting.ts"
import { type Run, runTurns } from "./loop.ts"
import * as Family from "./family.ts"
import * as Metering from "./metering.ts"
import * as Recovering from "./recovering.ts"
import { type ReportError, Reporter } from "./Reporter.ts"
import * as RequestLog from "./requestLog.ts"
import type { CallMark, Look, Resumption } from "./Resumption.ts"
import * as Subagents from "./subagents.ts"
import * as Suspension from "./Suspension.ts"
import type { TaskFailure } from "./TaskFailure.ts"

export interface TaskInput {
  readonly session_id: SessionId
  readonly task_id: TaskId
  /** Overrides the provider's configured model for this task. */
  readonly model?: string
  readonly max_turns?: number
  /** Override the limits of spending for this task and its session. */
  readonly caps?: Caps
  /** How the task may be asked to stop without an end. */
  readonly suspension?: Suspension.Suspension
  /** Waited for before anything else but answers about what was cut off; interrupted in it, a task ends as any other. */
  readonly ready?: Effect.Effect<void>
}

export interface PromptInput extends Partial<TaskInput> {
  readonly content: string
  readonly prompt_id?: PromptId
}

export class Engine extends Context.Service<
  Engine,
  {
    /** Runs the task that the state says is running; its `task_started` is already reported. */
    readonly run: (input: TaskInput) => Effect.Effect<EndedTask, ReportError>
    /** Goes on with the task that the state says is running, from where it stopped. */
    readonly resume: (input: TaskInput, from: Resumption) => Effect.Effect<EndedTask, ReportError>
    /** What can be known of a call that a process which is no more began, with this mark. Changes nothing. */
    readonly look: (call: ToolCall, mark: CallMark) => Effect.Effect<Look>
    /** Reports `task_started` and runs the task. */
    readonly prompt: (input: PromptInput) => Effect.Effect<EndedTask, ReportError>
    /** Every limit of spending in force, and what was used of it. */
    readonly budgets: Effect.Effect<ReadonlyArray<BudgetUse>>
  }
>()("claw/engine/Engine") {}

const endOf = (state: SessionState, task_id: TaskId): EndedTask =>
  state.last?.task_id === task_id
    ? state.last
    : (suspendedEnd(state, task_id) ?? {
        task_id,
        status: "failed",
        error: errorBody("internal"),
        usage: none
      })

const explained = (outcome: Outcome, reason: string | undefined): Outcome =>
  outcome.status === "canceled" && reason !== undefined ? { ...outcome, reason } : outcome

/** Facts that end the task, or those of one that stops without an end. */
const lastFacts = (run: Run, exit: Exit.Exit<void, TaskFailure | ReportError>, state: SessionState) => {
  if (run.suspension.asked() && Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause)) return suspend(state)
  const shown = run.open.shown
  const text = shown === undefined ? {} : { shown: { content: shown.content(), reasoning: shown.reasoning() } }
  const outcome = explained(outcomeOf(exit, run.mask), run.suspension.reason())
  // A person gave up on what a dead process had begun.
  const crashed = outcome.status === "failed" && outcome.error.code === "interrupted_by_restart"
  return close(state, outcome, { ...text, crashed })
}

const compacted = (run: Run, focus: string) =>
  Effect.flatMap(focused(run, focus), (heard) => Compacting.compact(run, heard))

/** What was cut off is spoken about first, which needs no leave to begin. */
const wholly = (run: Run, ready: Effect.Effect<void> = Effect.void, from?: Resumption) => {
  const heard = from === undefined ? Effect.succeed(undefined) : Recovering.heard(run, run.task_id, from)
  const work = (left?: Resumption) =>
    Effect.flatMap(run.reporter.state, ({ task }) =>
      task?.command === undefined ? runTurns(run, left) : compacted(run, task.command.focus)
    )
  const counted = Effect.sync(() => {
    for (const inside of from?.cut ?? [])
      Metering.countBelow(run, inside.task?.turn ?? 0, { messages: messages(inside), tools: run.registry.definitions })
  })
  const begun = Effect.andThen(ready, Effect.andThen(run.meters.purse.parts.refresh, counted))
  return Effect.flatMap(heard, (left) => Effect.andThen(begun, work(left)))
}

/** Who is cut off here changes nothing of how the task ended; a cancelled one waits for nobody. */
const told = ({ hooks, session_id, task_id }: Run, outcome: Outcome) => {
  if (outcome.status === "canceled") return Effect.void
  const code = outcome.status === "failed" ? { code: outcome.error.code } : {}
  return hooks.afterTask({ session_id, task_id, status: outcome.status, ...code })
}

const makeKnown = () => ({ knownHead: RequestLog.makeKnown(), window: Compacting.makeKnown() })

type Restore = <A, E>(effect: Effect.Effect<A, E>) => Effect.Effect<A, E>

/** Runs it; whatever became of it, those in the background end, and then the task is closed. */
const ended = (own: Run, living: Effect.Effect<void, TaskFailure | ReportError>, restore: Restore) =>
  Effect.exit(restore(living)).pipe(
    Effect.ensuring(Scope.close(own.family.scope, Exit.void)),
    Effect.tap((exit) =>
      Exit.isFailure(exit) && Cause.hasDies(exit.cause) ? Effect.logError(exit.cause) : Effect.void
    ),
    Effect.tap((exit) => Effect.exit(restore(told(own, outcomeOf(exit, own.mask))))),
    // Decided of a state that knows what was put off, in the same append.
    Effect.flatMap((exit) => own.reporter.report((state) => lastFacts(own, exit, state)))
  )

/** The task's own calls have the order of their batch. */
const inTurn: Run["inTurn"] = (_, effect) => effect

type Given = "session_id" | "task_id" | "suspension" | "meters" | "open" | "standing"
type Services = Omit<Run, Given | "family" | "depth" | "subagents" | "inTurn">

/** The run of one task, with the accounts that its state begins with. */
const runOf = (services: Services, purse: Metering.Purse, input: TaskInput, before: SessionState): Run => {
  const { caps, ready: _, suspension = Suspension.make(), ...rest } = input
  const limits = { ...services.limits, ...caps }
  const meters = Metering.ofTask(purse, limits, before.task?.usage ?? none, before.usage)
  const family = Family.make(services.reporter, limits, before)
  const nested = { family, depth: 0, subagents: Subagents.runner, inTurn }
  const own = { window: Compacting.forTask(services.window), open: { shown: undefined }, standing: { in: undefined } }
  return { ...services, ...rest, ...nested, ...own, limits, meters, suspension }
}

export const make = Effect.gen(function* () {
  const [provider, registry, gate] = [yield* Provider, yield* ToolRegistry, yield* ApprovalGate]
  const [reporter, systemPrompt] = [yield* Reporter, yield* SystemPrompt]
  const [limits, catalogue, hooks] = [yield* EngineLimits, yield* ModelCatalogue, yield* Hooks]
  const [processSlots, mask] = [yield* ProcessSlots, yield* KnownSecrets]
  const sessionSlots = yield* Semaphore.make(limits.tool_concurrency)
  const own = { mask, limits, hooks, processSlots, sessionSlots, ...makeKnown() }
  const services = { provider, catalogue, registry, gate, reporter, systemPrompt, ...own }
  const purse = Metering.makePurse(yield* Budget, limits)

  /** `begun`: stored first, so that nothing comes between a task's beginning and whoever closes it. */
  const execute = (input: TaskInput, from?: Resumption, begun: Effect.Effect<unknown, ReportError> = Effect.void) =>
    Effect.uninterruptibleMask((restore) =>
      Effect.flatMap(Effect.andThen(begun, reporter.state), (before) => {
        const own = runOf(services, purse, input, before)
        const living = ended(own, wholly(own, input.ready, from), restore)
        return Effect.ensuring(
          Effect.map(living, (state) => endOf(state, input.task_id)),
          Effect.sync(() => Metering.ended(purse))
        )
      })
    )
  const prompt = (input: PromptInput) => {
    const {
      content,
      prompt_id = newPromptId(),
      task_id = newTaskId(),
      session_id = "local" as SessionId,
      ...rest
    } = input
    const started = { type: "task_started", task_id, prompt_id, content } as const
    return execute({ session_id, task_id, ...rest }, undefined, reporter.report([started]))
  }
  const look: Engine["Service"]["look"] = (call, mark) =>
    Effect.flatMap(reporter.state, ({ subagents }) =>
      Recovering.look(registry, own, call, mark, subagents.get(call.call_id)?.state)
    )
  const budgets = Effect.map(reporter.state, ({ usage }) => Metering.uses(purse, usage))
  return Engine.of({ run: (input) => execute(input), resume: execute, look, prompt, budgets })
})

/** The engine over the session's own provider, tools, gate and reporter. */
export const layer = Layer.effect(Engine, make)
