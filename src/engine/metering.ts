/**
 * The money and tokens of one run's model calls (R117–R119; DESIGN §8). Owns: when an attempt is reserved and settled,
 * what a failed or cut one is counted as, the running totals that `usage` facts tell. Invariants: every reservation is
 * settled on every way out of its attempt, also under interruption; an attempt of which anything came counts, one of
 * which nothing came does not; totals are told in the order in which they grew.
 */
import { Effect, Exit } from "effect"
import type { Durable } from "../domain/Event.ts"
import type { TaskId } from "../domain/Ids.ts"
import * as Usage from "../domain/Usage.ts"
import * as Catalogue from "../provider/Catalogue.ts"
import type { Completed } from "../provider/ModelPart.ts"
import type { ModelRequest, Provider } from "../provider/Provider.ts"
import * as AttemptUsage from "./attemptUsage.ts"
import * as Budget from "./Budget.ts"
import { amountOf, type Need, nothing } from "./budgetAccount.ts"
import type { Limits } from "./EngineLimits.ts"
import type { ShownAnswer } from "./parts.ts"
import type { Reporter } from "./Reporter.ts"
import type { Suspension } from "./Suspension.ts"
import { TaskFailure } from "./TaskFailure.ts"

/** Of one session, as long as it is in memory. */
export interface Purse {
  readonly parts: Budget.BudgetParts
  readonly session: Budget.Ledger
  /** What the session used, as the newest `usage` fact says or is about to. */
  total: Usage.Usage
  limits: Limits
  /** The running task's account. */
  task: Budget.Ledger | undefined
}

export const makePurse = (parts: Budget.BudgetParts, limits: Limits): Purse => {
  const cap = () => ({ tokens: purse.limits.session_tokens, usd: purse.limits.session_cost_usd })
  const purse: Purse = { parts, session: Budget.makeLedger("session", cap), total: Usage.none, limits, task: undefined }
  return purse
}

/** Of one run. */
export interface Meters {
  readonly purse: Purse
  /** Narrowest first: the task's own, then all that it is part of. */
  readonly ledgers: ReadonlyArray<Budget.Ledger>
  /** What this run used, with all that is below it. */
  total: Usage.Usage
  /** Of what it is part of. */
  readonly above?: Meters
}

/** Of a subagent: whatever it takes is taken of all that it is part of. */
export const below = (above: Meters): Meters => ({ ...above, total: Usage.none, above })

/** A task begins, or goes on: what the journal has of it and of its session is what its accounts begin with. */
export const ofTask = (purse: Purse, limits: Limits, before: Usage.Usage, session: Usage.Usage): Meters => {
  const cap = () => ({ tokens: limits.task_tokens, usd: limits.task_cost_usd })
  const task = Budget.makeLedger("task", cap, Budget.used(before))
  Object.assign(purse, { limits, task, total: session })
  Budget.setUsed(purse.session, Budget.used(session))
  return { purse, ledgers: [task, purse.session, ...purse.parts.outer], total: before }
}

export const ended = (purse: Purse): void => {
  purse.task = undefined
}

/** Every limit in force, and what was used of it; `spent`: what the session's state says where nothing runs. */
export const uses = ({ parts, session, task }: Purse, spent: Usage.Usage) => {
  if (task === undefined) Budget.setUsed(session, Budget.used(spent))
  return Budget.uses([...(task === undefined ? [] : [task]), session, ...parts.outer])
}

interface Metered {
  readonly task_id: TaskId
  readonly model?: string
  readonly provider: Provider["Service"]
  readonly catalogue: Catalogue.Lookup
  readonly reporter: Reporter["Service"]
  readonly suspension: Suspension
  readonly limits: Limits
  /** The model that stands in for the one that was meant. */
  readonly standing: { readonly in: string | undefined }
  readonly meters: Meters
}

const modelOf = ({ model, provider, standing }: Metered): string => standing.in ?? model ?? provider.model

/**
 * The fact of what was used; to be handed to the reporter at once, since the next one's totals build on it. `alone`: no
 * answer tells of it.
 */
export const fact = (
  run: Metered,
  turn: number,
  spent: Usage.Usage,
  { alone = false, model = modelOf(run) } = {}
): Durable<"usage"> => {
  const { meters, task_id } = run
  for (let one: Meters | undefined = meters; one !== undefined; one = one.above) one.total = Usage.add(one.total, spent)
  meters.purse.total = Usage.add(meters.purse.total, spent)
  const left = Budget.leftOf(meters.ledgers)
  const totals = { usage: meters.total, session_usage: meters.purse.total, model }
  return {
    type: "usage",
    task_id,
    turn,
    ...totals,
    ...(alone || meters.above !== undefined ? { charged: spent } : {}),
    ...(left === undefined ? {} : { left })
  }
}

/** Something was used that nobody had reserved: the fact of it, to be handed to the reporter at once. */
const counted = (run: Metered, turn: number, spent: Usage.Usage): Durable<"usage"> => {
  for (const ledger of run.meters.ledgers) Budget.spend(ledger, amountOf(spent))
  return fact(run, turn, spent, { alone: true })
}

/** One attempt: what is asked, and of which model. */
export interface About {
  readonly shown: ShownAnswer
  readonly model: string
  readonly request: ModelRequest
}

/**
 * Around one attempt, which is handed what it may ask: less output where an earlier one left less. Its success says what
 * it used as far as anybody knows.
 */
export type Attempt = <E>(
  once: (request: ModelRequest) => Effect.Effect<Completed, E>,
  about: About
) => Effect.Effect<Completed, E | TaskFailure>

export interface Meter {
  /** What is asked for: no more output than is left. */
  readonly request: ModelRequest
  readonly attempt: Attempt
}

/** An answer shorter than this is none. */
const LEAST = 16

const unpriced = (model: string): TaskFailure =>
  new TaskFailure({
    code: "bad_config",
    detail: `The price of ${model} is not known, so that a limit of money cannot be kept. Limit tokens, or give its price (models.${model}.prices).`
  })

interface Turn {
  readonly run: Metered
  readonly turn: number
  /** No answer of it stands in the conversation, so that nothing but `usage` tells of it. */
  readonly aside: boolean
  readonly ledgers: ReadonlyArray<Budget.Ledger>
  /** Tokens of the question; estimated when somebody needs it. */
  readonly input: () => number
}

/** What an attempt used, with its cost; told where no answer tells it. */
const used = (turn: Turn, exit: Exit.Exit<Completed, unknown>, { model, shown }: About): Usage.Usage => {
  const { run } = turn
  const [entry, usage] = Exit.isSuccess(exit)
    ? [Catalogue.entryOf(run.catalogue, model, exit.value.model), exit.value.usage]
    : [Catalogue.entryOf(run.catalogue, model), AttemptUsage.failedUsage(turn.input, exit, shown)]
  if (usage === undefined) return Usage.none
  const spent = Catalogue.priced(usage, entry)
  // Whoever goes on with a task that stops here counts what was cut; with a subagent nobody goes on.
  const goesOn = run.meters.above === undefined && run.suspension.asked()
  const isTold = !turn.aside && (Exit.isSuccess(exit) || goesOn)
  if (!isTold) run.reporter.later([fact(run, turn.turn, spent, { alone: true, model })])
  return spent
}

const unmetered = (turn: Turn, asked: ModelRequest): Meter => ({
  request: asked,
  attempt: (once, about) =>
    Effect.onExit(once(about.request), (exit) => Effect.sync(() => void used(turn, exit, about)))
})

const priceOf = ({ run }: Turn, model: string) => Catalogue.entryOf(run.catalogue, model).prices

const needOf = (turn: Turn, model: string, output: number, least: number): Need => {
  const price = priceOf(turn, model)
  return { input: turn.input(), output, least, ...(price === undefined ? {} : { price }) }
}

/** Reserves what a call of this model takes; a limit of money needs its price. */
const reserved = (turn: Turn, model: string, output: number, least: number) =>
  Effect.suspend(() =>
    priceOf(turn, model) === undefined && Budget.limitsMoney(turn.ledgers)
      ? Effect.fail(unpriced(model))
      : Budget.reserve(turn.ledgers, needOf(turn, model, output, least))
  )

interface Reserved {
  readonly hold: Budget.Hold
  readonly model: string
  readonly least: number
}

/**
 * `first`: what is reserved already, for this model. A further attempt takes what is left by then, and a model that
 * stands in what its own answers may take; `bare`: what is asked, before anything was held.
 */
const meterOf = (turn: Turn, request: ModelRequest, bare: ModelRequest, { hold: first, least, model }: Reserved) => {
  const { output: most } = first
  const mostOf = (asked: string) => (asked === model ? { known: true, output: most } : longest(turn.run, bare, asked))
  let hold: Budget.Hold | undefined = first
  const holding = (asked: string) => {
    if (hold !== undefined && asked === model) return Effect.succeed(hold)
    hold?.settle(nothing)
    return reserved(turn, asked, mostOf(asked).output, least)
  }
  const attempt: Attempt = (once, about) =>
    Effect.uninterruptibleMask((restore) =>
      Effect.flatMap(holding(about.model), (own) => {
        hold = own
        const { known, output } = mostOf(about.model)
        const asked = Budget.within(about.request, own, known ? output : Infinity)
        const answered = Effect.map(restore(once(asked)), (completed) => AttemptUsage.withCount(turn.input, completed))
        return Effect.onExit(answered, (exit) =>
          Effect.sync(() => {
            hold = undefined
            own.settle(amountOf(used(turn, exit, about)))
          })
        )
      })
    )
  return { meter: { request, attempt } satisfies Meter, close: Effect.sync(() => hold?.settle(nothing)) }
}

/** What a stop of the process cut off was asked, and is counted as its question. */
const countCut = (turn: Turn, model: string): void => {
  const spent = Catalogue.priced(AttemptUsage.guessed(turn.input, 0), Catalogue.entryOf(turn.run.catalogue, model))
  turn.run.reporter.later([counted(turn.run, turn.turn, spent)])
}

/** The same of a subagent that nobody goes on with, by what it had been told. */
export const countBelow = (run: Metered, turn: number, asked: ModelRequest): void => {
  const input = () => run.meters.purse.parts.estimate(asked)
  const spent = Catalogue.priced(AttemptUsage.guessed(input, 0), Catalogue.entryOf(run.catalogue, modelOf(run)))
  run.reporter.later([counted(run, turn, spent)])
}

/** Tokens that one answer may have; where nobody knows, what is assumed is asked for, so that it holds. */
const longest = (run: Metered, asked: ModelRequest, model: string) => {
  const { id, output_limit } = Catalogue.entryOf(run.catalogue, model)
  const said = asked.max_output_tokens ?? run.provider.capabilities.max_output_tokens
  return { known: said !== undefined || id !== undefined, output: Math.min(said ?? output_limit, output_limit) }
}

export interface Question {
  readonly turn: number
  /** It was asked before, by a process that stopped. */
  readonly cut?: boolean
  /** The conversation keeps no answer of it: every attempt is told by itself, and half an answer helps nobody. */
  readonly aside?: boolean
}

/** One question, with what it may take reserved; fails with `budget_exceeded` where it does not fit. */
export const during = <A, E>(
  run: Metered,
  { aside = false, cut = false, turn: number }: Question,
  asked: ModelRequest,
  use: (meter: Meter) => Effect.Effect<A, E>
): Effect.Effect<A, E | TaskFailure> => {
  const { limits, meters } = run
  const own = Budget.makeLedger("turn", () => ({ tokens: limits.turn_tokens, usd: 0 }))
  const ledgers = [own, ...meters.ledgers]
  const isLimited = Budget.isLimited(ledgers)
  let estimate: number | undefined
  const input = () => (estimate ??= meters.purse.parts.estimate(asked))
  const turn: Turn = { run, turn: number, aside, ledgers, input }
  if (!isLimited) return use(unmetered(turn, asked))
  const model = modelOf(run)
  const { known, output } = longest(run, asked, model)
  if (cut) countCut(turn, model)
  const least = aside ? Math.ceil(output / 2) : Math.min(LEAST, output)
  return Effect.uninterruptibleMask((restore) =>
    Effect.flatMap(reserved(turn, model, output, least), (hold) => {
      const whole = known && hold.output === output
      const request = whole ? asked : { ...asked, max_output_tokens: hold.output }
      const { meter, close } = meterOf(turn, request, asked, { hold, model, least })
      return Effect.ensuring(restore(use(meter)), close)
    })
  )
}
