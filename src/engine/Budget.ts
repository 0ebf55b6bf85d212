/**
 * Budgets: what a model call may take is reserved before it and settled after it (R117–R119, R123; DESIGN §8).
 * Owns: shared accounts (`Ledger`), reservations. Does not own: when calls are made (`metering`), prices (the catalogue),
 * what is stored (the journal's `usage` facts are the truth that accounts begin with).
 * Invariants: a reservation passes no cap; it is settled exactly once; who waits for what others hold waits for nothing
 * else while holding nothing, so that nobody waits for ever.
 */
import { Context, Deferred, Effect } from "effect"
import { estimateRequest } from "../context/Tokens.ts"
import { type BudgetLeft, type BudgetName, type BudgetUse, budgetText } from "../domain/Budget.ts"
import type { Usage } from "../domain/Usage.ts"
import type { ModelRequest } from "../provider/Provider.ts"
import * as Account from "./budgetAccount.ts"
import { TaskFailure } from "./TaskFailure.ts"

export type Cap = Account.Cap

/** One account that several runs may draw on: a task's and its subagents', a tenant's sessions. */
export interface Ledger {
  readonly budget: BudgetName
  /** As it is now. */
  readonly account: () => Account.Account
  readonly change: (change: (account: Account.Account) => Account.Account) => void
  /** Who waits for something to be given back. */
  readonly waiting: Set<Deferred.Deferred<void>>
}

/** `cap` is asked each time: a limit that is raised holds from the next call on. */
export const makeLedger = (budget: BudgetName, cap: () => Cap, used: Account.Amount = Account.nothing): Ledger => {
  let state = { used, held: Account.nothing }
  return {
    budget,
    account: () => ({ ...state, cap: cap() }),
    change: (change) => {
      state = change({ ...state, cap: cap() })
    },
    waiting: new Set()
  }
}

/** What an account begins with, or what the journal says of it by now. */
export const used = (usage: Usage): Account.Amount => Account.amountOf(usage)

/** The journal is the truth of what was used. */
export const setUsed = (ledger: Ledger, amount: Account.Amount): void =>
  ledger.change((account) => ({ ...account, used: amount }))

/** Something was used that nobody had reserved. */
export const spend = (ledger: Ledger, amount: Account.Amount): void =>
  ledger.change((account) => Account.settle(account, Account.nothing, amount))

/** Others used this much by now; what is known here may be newer. */
export const atLeast = (ledger: Ledger, usage: Usage): void => {
  const { nano, tokens } = Account.amountOf(usage)
  ledger.change((account) => ({
    ...account,
    used: { tokens: Math.max(account.used.tokens, tokens), nano: Math.max(account.used.nano, nano) }
  }))
}

/** A day's account: what was used on another day counts no more. */
export const makeDayLedger = (cap: () => Cap, today: () => string): Ledger => {
  let day = today()
  const ledger = makeLedger("tenant", cap)
  const roll = (): void => {
    if (today() === day) return
    day = today()
    setUsed(ledger, Account.nothing)
  }
  return {
    ...ledger,
    account: () => {
      roll()
      return ledger.account()
    },
    change: (change) => {
      roll()
      ledger.change(change)
    }
  }
}

/** What a call may take, and the one way to settle it: a second settlement changes nothing. */
export interface Hold {
  /** Output tokens that were reserved. */
  readonly output: number
  readonly settle: (spent: Account.Amount) => void
}

/** With no more output than is held; what asks for that much or less is asked as it is. */
export const within = (request: ModelRequest, { output }: Hold, most: number): ModelRequest =>
  output >= (request.max_output_tokens ?? most) ? request : { ...request, max_output_tokens: output }

const holdOn = (ledgers: ReadonlyArray<Ledger>, amount: Account.Amount, output: number): Hold => {
  for (const ledger of ledgers) ledger.change((account) => Account.hold(account, amount))
  let open = true
  return {
    output,
    settle: (spent) => {
      if (!open) return
      open = false
      for (const ledger of ledgers) ledger.change((account) => Account.settle(account, amount, spent))
      // Who is woken may wait again at once.
      const woken = ledgers.flatMap(({ waiting }) => Array.from(waiting))
      for (const waiter of woken) Deferred.doneUnsafe(waiter, Effect.void)
    }
  }
}

const useOf = (budget: BudgetName, account: Account.Account, unit: Account.Unit): BudgetUse => ({
  budget,
  unit: unit === "tokens" ? "tokens" : "usd",
  used: unit === "tokens" ? account.used.tokens : Account.usdOf(account.used.nano),
  limit: unit === "tokens" ? account.cap.tokens : account.cap.usd
})

const inUnit = (amount: Account.Amount, unit: Account.Unit): number =>
  unit === "tokens" ? amount.tokens : Account.usdOf(amount.nano)

/** The failure of a task that met this budget. */
export const exceeded = (use: BudgetUse): TaskFailure =>
  new TaskFailure({ code: "budget_exceeded", detail: budgetText(use, "en"), budget: use })

const shortOf = ({ budget, account }: Ledger, unit: Account.Unit, needed: Account.Amount): TaskFailure => {
  const now = account()
  const use = useOf(budget, now, unit)
  const all = Account.capOf(now, unit) <= now.used[unit]
  return exceeded(all ? use : { ...use, needed: inUnit(needed, unit) })
}

const given = (ledger: Ledger): Effect.Effect<void> =>
  Effect.suspend(() => {
    const waiter = Deferred.makeUnsafe<void>()
    ledger.waiting.add(waiter)
    return Effect.ensuring(
      Deferred.await(waiter),
      Effect.sync(() => ledger.waiting.delete(waiter))
    )
  })

/**
 * Reserves of all of them, or of none; waits where others hold what is missing and may give it back. Not interrupted but
 * in that wait: whoever gets a hold settles it.
 */
export const reserve = (ledgers: ReadonlyArray<Ledger>, need: Account.Need): Effect.Effect<Hold, TaskFailure> =>
  Effect.suspend((): Effect.Effect<Hold, TaskFailure> => {
    const found = Account.fit(
      ledgers.map(({ account }) => account()),
      need
    )
    if (found.kind === "fits") return Effect.succeed(holdOn(ledgers, found.amount, found.output))
    const ledger = ledgers[found.at]
    if (ledger === undefined) return Effect.die(new Error("a budget that is not there is short"))
    if (found.kind === "short") return Effect.fail(shortOf(ledger, found.unit, found.needed))
    return Effect.flatMap(Effect.interruptible(given(ledger)), () => reserve(ledgers, need))
  }).pipe(Effect.uninterruptible)

/** Limits in force and what was used of each. */
export const uses = (ledgers: ReadonlyArray<Ledger>): ReadonlyArray<BudgetUse> =>
  ledgers.flatMap(({ budget, account }) => {
    const now = account()
    const units = (["tokens", "nano"] as const).filter((unit) => Number.isFinite(Account.capOf(now, unit)))
    return units.map((unit) => useOf(budget, now, unit))
  })

/** The least that is left of any limit in force; absent: there is none. */
export const leftOf = (ledgers: ReadonlyArray<Ledger>): BudgetLeft | undefined => {
  const least = (unit: Account.Unit) => Math.min(...ledgers.map(({ account }) => Account.left(account(), unit)))
  const [tokens, nano] = [least("tokens"), least("nano")]
  if (!Number.isFinite(tokens) && !Number.isFinite(nano)) return undefined
  return {
    ...(Number.isFinite(tokens) ? { tokens } : {}),
    ...(Number.isFinite(nano) ? { cost_usd: Account.usdOf(nano) } : {})
  }
}

export const isLimited = (ledgers: ReadonlyArray<Ledger>): boolean =>
  ledgers.some(({ account }) => Account.isCapped(account()))

/** Whether money is limited: then a price must be known. */
export const limitsMoney = (ledgers: ReadonlyArray<Ledger>): boolean =>
  ledgers.some(({ account }) => account().cap.usd > 0)

/** The accounts that are wider than a session, and how requests are measured. */
export interface BudgetParts {
  /** Widest last. */
  readonly outer: ReadonlyArray<Ledger>
  /** Makes sure that they know what others used, before a task begins. */
  readonly refresh: Effect.Effect<void, TaskFailure>
  /** Tokens of a request, rather too many than too few. */
  readonly estimate: (request: ModelRequest) => number
}

export const unlimited: BudgetParts = {
  outer: [],
  refresh: Effect.void,
  estimate: ({ messages, tools }) => estimateRequest(messages, tools)
}

export const Budget = Context.Reference<BudgetParts>("claw/engine/Budget", {
  defaultValue: () => unlimited
})
