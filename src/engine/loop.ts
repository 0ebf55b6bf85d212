/**
 * The turns of one task: prepare, ask, store the answer, run its calls, again (DESIGN §4).
 * Owns: the order of the states and the task's limits. Invariants: an answer and its calls are stored before any call
 * is looked at by a person or run; each request is made of stored facts only; a turn begins in store before it shows.
 */
import { Effect, type Semaphore } from "effect"
import type { ApprovalGate } from "../approval/ApprovalGate.ts"
import type { SystemPrompt } from "../context/SystemPrompt.ts"
import { steers } from "../domain/Decide.ts"
import type { FinishReason, ReportBody, StateName } from "../domain/Event.ts"
import { makeView } from "../domain/History.ts"
import { fault } from "../domain/FaultTexts.ts"
import { newPromptId, newStreamId, type SessionId, type TaskId } from "../domain/Ids.ts"
import { lastCalls, type SessionState } from "../domain/Session.ts"
import type { Lookup } from "../provider/Catalogue.ts"
import type { ModelRequest, Provider } from "../provider/Provider.ts"
import type { RunSubagent } from "../tools/SubagentRunner.ts"
import type { ToolRegistry } from "../tools/ToolRegistry.ts"
import { exceeded } from "./Budget.ts"
import type { Limits } from "./EngineLimits.ts"
import type { Mask } from "../observability/Redact.ts"
import { spans, traced } from "../observability/Telemetry.ts"
import * as Compacting from "./compacting.ts"
import * as Continued from "./continued.ts"
import * as Hooked from "./hooked.ts"
import type { HooksShape } from "./Hooks.ts"
import * as Family from "./family.ts"
import * as LoopGuard from "./loopGuard.ts"
import * as Metering from "./metering.ts"
import * as Pairing from "./pairing.ts"
import type * as Parts from "./parts.ts"
import type { Reporter } from "./Reporter.ts"
import { pendingOf } from "./pendingCall.ts"
import * as RequestLog from "./requestLog.ts"
import type { Resumption } from "./Resumption.ts"
import { whileSilent } from "./silence.ts"
import type { Suspension } from "./Suspension.ts"
import { TaskFailure } from "./TaskFailure.ts"
import * as ToolBatch from "./toolBatch.ts"
import * as Turn from "./turn.ts"

export interface Run {
  readonly session_id: SessionId
  readonly task_id: TaskId
  readonly model?: string
  readonly max_turns?: number
  readonly provider: Provider["Service"]
  readonly catalogue: Lookup
  readonly registry: ToolRegistry["Service"]
  readonly gate: ApprovalGate["Service"]
  readonly hooks: HooksShape
  readonly reporter: Reporter["Service"]
  readonly systemPrompt: SystemPrompt["Service"]
  readonly limits: Limits
  readonly sessionSlots: Semaphore.Semaphore
  readonly processSlots: Semaphore.Semaphore
  readonly suspension: Suspension
  readonly meters: Metering.Meters
  readonly family: Family.Family
  /** 0: the task itself. */
  readonly depth: number
  /** Waits until a call may change something, before it takes a place or is told to have begun. */
  readonly inTurn: ToolBatch.Batch["inTurn"]
  /** Runs those that a turn's calls ask for. */
  readonly subagents: (run: Run, turn: number) => RunSubagent
  readonly mask: Mask
  /** What of requests this session's journal has from this process. */
  readonly knownHead: RequestLog.KnownHead
  readonly window: Compacting.KnownWindow
  /** The answer being shown, for whoever closes the task. */
  readonly open: { shown: Parts.ShownAnswer | undefined }
  /** The model that stands in for the one that was chosen, for the rest of the task. */
  readonly standing: { in: string | undefined }
}

/** What the task remembers from turn to turn besides the journal. */
interface Memory extends Continued.Remembered {
  readonly conversation: object
  /** The system prompt and the history, as the model is sent them. */
  readonly view: ReturnType<typeof makeView>
  readonly recorded: ReturnType<typeof RequestLog.make>
  readonly usedIds: Set<string>
}

const BAD_TURNS = 3

const enter = (run: Run, state: StateName) => run.reporter.signal([{ type: "state", state, task_id: run.task_id }])

/** The first limit that is reached, named with what was used (R120). What a call takes is `Metering`'s. */
const checkLimits = (run: Run, turn: number): TaskFailure | undefined => {
  const { limits } = run
  const maxTurns = run.max_turns ?? limits.max_turns
  if (turn > maxTurns) {
    const detail =
      `The task stopped after its limit of ${maxTurns} turns. The next prompt has as many again; ` +
      "limits.max_turns (--max-turns) gives it more."
    return new TaskFailure({ code: "max_turns", detail })
  }
  const { toolMs: used } = run.family
  const limit = limits.tool_time_ms
  if (used > limit) return exceeded({ budget: "task", unit: "tool_ms", used, limit })
  return undefined
}

const answerFacts = (run: Run, turn: number, answer: Turn.Answer): ReadonlyArray<ReportBody> => {
  const { message, finish_reason, usage, model } = answer.completed
  const at = { task_id: run.task_id, turn }
  const reasoning = message.reasoning === undefined || message.reasoning === "" ? {} : { reasoning: message.reasoning }
  const completed: ReportBody = {
    type: "text_completed",
    ...at,
    stream_id: answer.streams.stream_id,
    content: (answer.shown.content() === "" ? message.content : answer.shown.content()).toWellFormed(),
    ...reasoning,
    ...(message.reasoning_state === undefined ? {} : { reasoning_state: message.reasoning_state }),
    finish_reason: message.tool_calls.length > 0 ? "tool_calls" : finish_reason,
    ...(usage === undefined ? {} : { usage }),
    ...(model === undefined ? {} : { model })
  }
  return usage === undefined ? [completed] : [completed, Metering.fact(run, turn, usage)]
}

/**
 * The turn begins: a prompt that steers is stored before it is sent; the beginning alone may come to the journal with
 * the first thing that anybody sees of it. A turn that a stop cut begins again in new streams, for part of the old ones
 * may have been seen.
 */
const begin = Effect.fnUntraced(function* (run: Run, turn: number, streams: Parts.Streams, reason: string) {
  const at = { task_id: run.task_id, turn }
  const before = yield* run.reporter.state
  const open = before.task?.stream
  if (open !== undefined) {
    const { stream_id: next_stream_id, reasoning_stream_id: next_reasoning_stream_id } = streams
    const { stream_id } = open
    const next = { stream_id, next_stream_id, next_reasoning_stream_id }
    return yield* run.reporter.report([{ type: "stream_reset", ...at, ...next, reason }])
  }
  const thinking = { type: "thinking", ...at, ...streams } as const
  const steering = yield* Hooked.steering(run, before, turn)
  if (steering.length > 0) return yield* run.reporter.report([...steering, thinking])
  run.reporter.later([thinking])
  return before
})

const requestOf = (run: Run, memory: Memory, state: SessionState): ModelRequest => {
  const { max_output_tokens } = run.limits
  return {
    messages: memory.view(state),
    tools: run.registry.definitions,
    conversation: memory.conversation,
    task: run.task_id,
    ...(run.model === undefined ? {} : { model: run.model }),
    ...(max_output_tokens === undefined ? {} : { max_output_tokens })
  }
}

const askModel = Effect.fnUntraced(function* (run: Run, turn: number, memory: Memory, reason: string) {
  const at = { task_id: run.task_id, turn }
  const streams = { stream_id: newStreamId(), reasoning_stream_id: newStreamId() }
  const cut = reason === "resumed" && (yield* run.reporter.state).task?.stream !== undefined
  const state = yield* begin(run, turn, streams, reason)
  enter(run, "waiting_response")
  const wanted = requestOf(run, memory, state)
  const answer = yield* Metering.during(run, { turn, cut }, wanted, ({ attempt, request }) => {
    const lessened = (asked: ModelRequest) => run.reporter.later(memory.recorded(at, asked))
    lessened(request)
    const { fallback_models: fallbacks, retry } = run.limits
    const showing = (shown: Parts.ShownAnswer) => {
      run.open.shown = shown
    }
    const asked = Turn.ask({ ...run, fallbacks, retry, at, streams, showing, request, attempt, lessened })
    return traced(spans.model)(whileSilent(run.reporter.report([]), asked))
  })
  const { usage } = answer.completed
  if (usage !== undefined && usage.estimated !== true) run.window.meter.learn(wanted, usage.input_tokens)
  const planned = yield* Pairing.plan(run.registry, memory.usedIds, answer.completed)
  // Calls are looked at next: the answer is stored with the first thing that is decided of them.
  run.reporter.later([...answerFacts(run, turn, answer), ...Pairing.facts(planned, at)])
  if (planned.length === 0) yield* run.reporter.report([])
  run.open.shown = undefined
  return { planned, finish: answer.completed.finish_reason }
})

const guard = Effect.fnUntraced(function* (run: Run, turn: number, memory: Memory) {
  const state = yield* run.reporter.state
  const calls = lastCalls(state)
  const steps = [...memory.steps, Continued.stepOf(calls)].slice(-LoopGuard.KEPT)
  const failing = LoopGuard.isFailure(calls) ? memory.failing + 1 : 0
  const { content, stopped: detail } = LoopGuard.look(steps, failing, calls)
  if (detail !== undefined) return yield* new TaskFailure({ code: "doom_loop", detail })
  const newest = state.history.at(-1)
  const reminded = (newest?.kind === "note" || newest?.kind === "prompt") && newest.content === content
  if (content !== undefined && !reminded) {
    const { task_id } = run
    yield* run.reporter.report([
      { type: "prompt_steered", task_id, turn, prompt_id: newPromptId(), content, from: "claw" }
    ])
  }
  return { steps, failing }
})

/** What follows when every call of a turn has its result. */
const afterCalls = Effect.fnUntraced(function* (run: Run, turn: number, memory: Memory, bad: boolean) {
  const badTurns = bad ? memory.badTurns + 1 : 0
  if (badTurns >= BAD_TURNS) return yield* new TaskFailure({ code: "provider_bad_tool_call" })
  return { ...memory, ...(yield* guard(run, turn, memory)), badTurns } satisfies Memory
})

const runCalls = Effect.fnUntraced(function* (
  run: Run,
  turn: number,
  memory: Memory,
  calls: ReadonlyArray<ToolBatch.Pending>
) {
  const batch = { ...run, at: { task_id: run.task_id, turn }, subagents: run.subagents(run, turn) }
  const took = yield* ToolBatch.run(batch, calls).pipe(
    Effect.catchTag("ApprovalRequired", (error) =>
      Effect.fail(new TaskFailure({ code: "approval_required", detail: error.message }))
    )
  )
  enter(run, "appending")
  run.family.toolMs += took
  return memory
})

/** What follows an answer that calls nothing; `undefined` when the task is done. */
const afterAnswer = Effect.fnUntraced(function* (run: Run, turn: number, memory: Memory, finish: FinishReason) {
  if (finish === "content_filter") return yield* new TaskFailure({ code: "provider_refused" })
  for (;;) {
    if (steers(yield* run.reporter.state, turn).length > 0) return memory
    // Those in the background report to the task before it ends.
    if (run.depth > 0 || !(yield* Family.oneEnds(run.family))) return undefined
  }
})

/** One turn; `undefined` when the task is done. */
const oneTurn = Effect.fnUntraced(function* (run: Run, turn: number, memory: Memory) {
  enter(run, "preparing")
  yield* run.suspension.pass
  const over = checkLimits(run, turn)
  if (over !== undefined) return yield* over
  const { planned, finish } = yield* Compacting.fitting(run, memory.view, (again) =>
    askModel(run, turn, memory, again ? "compacted" : "resumed")
  )
  if (planned.length === 0) return yield* afterAnswer(run, turn, memory, finish)
  const bad = planned.some((item) => item.kind === "bad" && item.raw !== undefined)
  const after = yield* runCalls(run, turn, memory, ToolBatch.fresh(planned))
  return yield* afterCalls(run, turn, after, bad)
})

/** The rest of the turn in which the task stopped; `undefined` when the task is done. */
const restOfTurn = Effect.fnUntraced(function* (run: Run, turn: number, memory: Memory, from: Resumption) {
  const { place } = from
  const state = yield* run.reporter.state
  switch (place.kind) {
    case "ask":
      return yield* oneTurn(run, turn, memory)
    case "finish":
      return yield* afterAnswer(run, turn, memory, Continued.lastAnswer(state)?.finish_reason ?? "other")
    case "turn":
      if ((Continued.lastAnswer(state)?.calls ?? []).length === 0) return memory
      return yield* afterCalls(run, turn, memory, Continued.lastIsBroken(state, from))
    case "calls": {
      const calls = yield* Effect.forEach(place.steps, (step) => pendingOf(run.registry, step))
      const after = yield* runCalls(run, turn, memory, calls)
      return yield* afterCalls(run, turn, after, Continued.lastIsBroken(state, from))
    }
  }
})

const startOrGoOn = Effect.fnUntraced(function* (run: Run, from: Resumption | undefined) {
  const head = { role: "system", content: yield* run.systemPrompt.text } as const
  yield* Hooked.firstPrompt(run)
  const state = yield* run.reporter.state
  const recorded = RequestLog.make(run.knownHead, run.provider.model)
  const view = makeView(head, run.window.cache)
  const start = { conversation: {}, view, recorded, usedIds: run.family.ids }
  if (from === undefined) return { turn: 0, memory: { ...start, ...Continued.nothing } as Memory | undefined }
  const turn = state.task?.turn ?? 0
  return { turn, memory: yield* restOfTurn(run, turn, { ...start, ...Continued.remembered(state, from) }, from) }
})

/** All turns of a task, or those that are left. Returns when the model is done; fails with what ended it otherwise. */
export const runTurns = Effect.fnUntraced(function* (run: Run, from?: Resumption) {
  const { tools } = run.model === undefined ? run.provider.capabilities : run.catalogue(run.model)
  if (run.registry.definitions.length > 0 && !tools) {
    return yield* new TaskFailure({
      code: "provider_capability",
      detail: fault("calls_no_tools", { model: run.model ?? run.provider.model })
    })
  }
  let { memory, turn } = yield* startOrGoOn(run, from)
  while (memory !== undefined) {
    turn += 1
    memory = yield* traced(spans.turn)(oneTurn(run, turn, memory))
  }
})
