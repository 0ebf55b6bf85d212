/**
 * A run of the model inside a call (LESSONS 32, 33; SECURITY T20; SETTLED 13). Owns: what a subagent has of its task and
 * what it has not, its beginning and end, its report. Does not own: its turns (`loop`), who asks for it (a tool).
 * Invariants: its tools, its policy and its budget are its caller's or narrower; on every way out its facts are closed by
 * one `subagent_ended`; cancelling the call is all there is to cancelling it.
 */
import { Effect, type Exit, type Semaphore } from "effect"
import type { ApprovalGate, Verdict } from "../approval/ApprovalGate.ts"
import { budgetText } from "../domain/Budget.ts"
import { closeSubagent, type Outcome } from "../domain/Decide.ts"
import { reportText } from "../domain/FromClaw.ts"
import { type CallId, newPromptId } from "../domain/Ids.ts"
import type { SessionState } from "../domain/Session.ts"
import { shorten } from "../domain/Shorten.ts"
import { finishedText, lastWords } from "../domain/SubagentReport.ts"
import { attributes, spans, traced } from "../observability/Telemetry.ts"
import { type RunSubagent, SUBAGENT, type SubagentOrder } from "../tools/SubagentRunner.ts"
import type { ToolOutput } from "../tools/Tool.ts"
import { ToolError } from "../tools/ToolError.ts"
import { narrow, type ToolRegistry } from "../tools/ToolRegistry.ts"
import * as Compacting from "./compacting.ts"
import { outcomeOf } from "./ending.ts"
import * as Family from "./family.ts"
import { type Run, runTurns } from "./loop.ts"
import * as Metering from "./metering.ts"
import * as NestedReporter from "./nestedReporter.ts"
import * as RequestLog from "./requestLog.ts"

const ROLE = `

# Subagent
You are a subagent: another run of this model gave you the task below, and a person may not be watching.
- You know nothing but this task. Do it, and nothing beyond it.
- Nobody answers questions. Where something is missing, say what, and stop.
- Your last message is your report, and all that your caller gets: what you found or did, with paths, and what is open.`

const refused: Verdict = {
  decision: "deny",
  via: "policy",
  rule: "subagent: read_only",
  reason: "this subagent may only look"
}

/** Its calls pass the same gate, under its name. `changing`: told which of them change something. */
const gateFor = (run: Run, { read_only, title }: SubagentOrder, call_id: CallId, changing: Set<string>) => {
  const { gate } = run
  const check: ApprovalGate["Service"]["check"] = (asked) => {
    if (asked.assessment.risk !== "safe") {
      if (read_only === true) return Effect.succeed(refused)
      changing.add(asked.call.call_id)
    }
    return gate.check({ ...asked, subagent: asked.subagent ?? { call_id, title } })
  }
  return { ...gate, check }
}

/** The tools it was given, of those that its caller has. */
const toolsFor = (run: Run, { tools }: SubagentOrder): ToolRegistry["Service"] => {
  const mayGoOn = run.depth + 1 < run.limits.subagent_depth
  const given = (name: string) => (tools === undefined || tools.includes(name)) && (name !== SUBAGENT || mayGoOn)
  return narrow(run.registry, given)
}

/** What changes something has its turn among all of the task's subagents; those below have theirs among these. */
const turnFor =
  (run: Run, changing: ReadonlySet<string>): Run["inTurn"] =>
  (call_id, effect) => {
    if (run.depth > 0) return run.inTurn(call_id, effect)
    return changing.has(call_id) ? run.family.changes.withPermits(1)(effect) : effect
  }

const innerRun = (run: Run, order: SubagentOrder, call_id: CallId, progress: (text: string) => void): Run => {
  const changing = new Set<string>()
  const { limits } = run
  return {
    ...run,
    reporter: NestedReporter.make(run.family.reporter, call_id, progress),
    registry: toolsFor(run, order),
    inTurn: turnFor(run, changing),
    gate: gateFor(run, order, call_id, changing),
    systemPrompt: { text: Effect.map(run.systemPrompt.text, (text) => text + (run.depth === 0 ? ROLE : "")) },
    max_turns: Math.min(order.max_turns ?? limits.subagent_turns, limits.subagent_turns),
    meters: Metering.below(run.meters),
    knownHead: RequestLog.makeKnown(),
    window: Compacting.makeKnown(),
    open: { shown: undefined },
    standing: { in: run.standing.in },
    depth: run.depth + 1
  }
}

const reportOf = (state: SessionState, outcome: Outcome): ToolOutput => {
  if (outcome.status === "completed") return { content: finishedText(state) }
  const words = lastWords(state)
  const why = outcome.status === "failed" ? `${outcome.error.message} [${outcome.error.code}]` : "It was cancelled."
  const said = words === "" ? "" : ` Its last words:\n${words}`
  return { content: `The subagent did not finish. ${why}${said}`, is_error: true }
}

/** Its facts are stored behind whatever it put off; what cannot be stored ends the call. */
const closed = (inner: Run, call_id: CallId, exit: Exit.Exit<void, Effect.Error<ReturnType<typeof runTurns>>>) =>
  Effect.gen(function* () {
    const state = yield* inner.reporter.report([])
    const outcome = outcomeOf(exit, inner.mask)
    // A process that stops ends all of them in one append, and says to the model which will not report.
    if (outcome.status === "canceled" && inner.suspension.asked()) return yield* Effect.interrupt
    const shown = inner.open.shown
    const text = shown === undefined ? {} : { shown: { content: shown.content(), reasoning: shown.reasoning() } }
    const facts = closeSubagent(state, call_id, outcome, text)
    // With what it has to say in one append: a crash between the two would leave a question that has an answer.
    if (outcome.status === "canceled") yield* inner.reporter.report(facts)
    else inner.reporter.later(facts)
    return outcome.status === "canceled" ? yield* Effect.interrupt : reportOf(state, outcome)
  })

/** From `subagent_started` to `subagent_ended`; one that waits for a place is known, and closed, as any other. */
const lived = (inner: Run, turn: number, order: SubagentOrder, call_id: CallId, places: Semaphore.Semaphore) =>
  Effect.uninterruptibleMask((restore) => {
    const { background, prompt: content, title } = order
    const begun = {
      type: "subagent_started",
      task_id: inner.task_id,
      turn,
      parent_call_id: call_id,
      title,
      content
    } as const
    return inner.reporter.report([{ ...begun, ...(background === true ? { background } : {}) }]).pipe(
      Effect.andThen(Effect.exit(restore(places.withPermits(1)(runTurns(inner))))),
      Effect.flatMap((exit) => closed(inner, call_id, exit)),
      Effect.orDie
    )
  }).pipe(traced(spans.subagent, { [attributes.call]: call_id }))

/** What it has to say comes as a prompt that steers its task. */
const reported = (run: Run, { title }: SubagentOrder, output: ToolOutput) => {
  const told = reportText({ title, failed: output.is_error === true, text: output.content })
  const { text } = shorten(run.mask(told).toWellFormed(), run.limits.tool_output_chars)
  const waits = { type: "prompt_queued", prompt_id: newPromptId(), mode: "steer", from: "subagent" } as const
  const report = { ...waits, content: text }
  return Effect.asVoid(run.family.reporter.report([report]))
}

const no = (detail: string) => Effect.fail(new ToolError({ code: "tool_failed", detail }))

/** A name that no tool has would be left out in silence, and the subagent would lack what its caller counts on. */
const unknownTools = ({ registry }: Run, { tools = [] }: SubagentOrder): string | undefined => {
  const known = registry.definitions.map(({ name }) => name)
  const unknown = tools.filter((name) => !known.includes(name))
  return unknown.length === 0
    ? undefined
    : `There is no tool ${unknown.map((name) => JSON.stringify(name.slice(0, 40))).join(", ")}. The tools are: ${known.join(", ")}.`
}

/** Runs what a turn's calls ask for. */
export const runner =
  (run: Run, turn: number): RunSubagent =>
  (order, { call_id, emit }) =>
    Effect.suspend((): Effect.Effect<ToolOutput, ToolError> => {
      const { family, limits } = run
      const { begun: used } = family
      if (run.depth >= limits.subagent_depth) return no("A subagent may not begin another here.")
      if (used >= limits.task_subagents)
        return no(budgetText({ budget: "task", unit: "subagents", used, limit: limits.task_subagents }, "en"))
      const missing = unknownTools(run, order)
      if (missing !== undefined) return no(missing)
      family.begun += 1
      const quiet = order.background === true
      // Its report is a message to the task, which is not who asks here.
      if (quiet && run.depth > 0) return no("A subagent may begin another one only in the foreground.")
      const inner = innerRun(run, order, call_id, quiet ? () => {} : emit)
      const living = lived(inner, turn, order, call_id, family.places(run.depth))
      if (!quiet) return living
      const beside = Effect.flatMap(living, (output) => reported(run, order, output))
      const content = `The subagent "${order.title}" works in the background. Its report comes as a message.`
      return Effect.as(Family.beside(family, Effect.ignore(beside)), { content })
    })
