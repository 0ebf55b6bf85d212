/**
 * The arithmetic of budgets, pure: what is left, what fits, what a reservation and its settlement do (DESIGN §8).
 * Money is counted in whole billionths of a dollar, so that what is held and given back is the same to the last digit.
 * Invariants: `held` is the sum of what was reserved and not settled; a reservation that `fit` gives never passes a cap.
 */
import type { Usage } from "../domain/Usage.ts"

export interface Amount {
  readonly tokens: number
  /** Billionths of a US dollar. */
  readonly nano: number
}

/** 0: no limit. */
export interface Cap {
  readonly tokens: number
  readonly usd: number
}

export interface Account {
  readonly cap: Cap
  readonly used: Amount
  readonly held: Amount
}

/** US dollars for a million tokens. That a part of the input may be cheaper, or come from a cache, is known only after. */
export interface Price {
  readonly input: number
  readonly output: number
}

export type Unit = keyof Amount

const NANO = 1e9

export const nothing: Amount = { tokens: 0, nano: 0 }
export const nanoOf = (usd: number): number => Math.round(usd * NANO)
export const usdOf = (nano: number): number => nano / NANO

export const plus = (a: Amount, b: Amount): Amount => ({ tokens: a.tokens + b.tokens, nano: a.nano + b.nano })
const minus = (a: Amount, b: Amount): Amount => ({ tokens: a.tokens - b.tokens, nano: a.nano - b.nano })

export const capOf = ({ cap }: Account, unit: Unit): number => {
  const limit = unit === "tokens" ? cap.tokens : nanoOf(cap.usd)
  return limit > 0 ? limit : Number.POSITIVE_INFINITY
}

export const isCapped = ({ cap }: Account): boolean => cap.tokens > 0 || cap.usd > 0

/** What is neither used nor held. */
export const left = (account: Account, unit: Unit): number =>
  Math.max(0, capOf(account, unit) - account.used[unit] - account.held[unit])

export const hold = (account: Account, amount: Amount): Account => ({ ...account, held: plus(account.held, amount) })

/** What was held goes back, what was spent is used. */
export const settle = (account: Account, held: Amount, spent: Amount): Account => ({
  ...account,
  held: minus(account.held, held),
  used: plus(account.used, spent)
})

export const amountOf = (usage: Usage): Amount => ({
  tokens: usage.input_tokens + usage.output_tokens,
  nano: nanoOf(usage.cost_usd ?? 0)
})

/** A call that is about to be made: its input, as estimated, and the most that it may answer. Tokens. */
export interface Need {
  readonly input: number
  readonly output: number
  /** An answer shorter than this is none. */
  readonly least: number
  readonly price?: Price
}

/** The whole of what a call of this size may take. */
export const sizeOf = ({ input, price }: Need, output: number): Amount => ({
  tokens: input + output,
  nano: price === undefined ? 0 : Math.ceil((input * price.input + output * price.output) * 1000)
})

/** Output tokens that this account has room for; may be negative. */
const roomFor = (account: Account, need: Need): number => {
  const { input, price } = need
  const byTokens = left(account, "tokens") - input
  if (price === undefined || price.output === 0) return byTokens
  const money = left(account, "nano") - sizeOf(need, 0).nano
  return Math.min(byTokens, Math.floor(money / (price.output * 1000)))
}

export type Fit =
  | { readonly kind: "fits"; readonly output: number; readonly amount: Amount }
  /** Too little is left: `at` is the account and unit that it fails at. */
  | { readonly kind: "short"; readonly at: number; readonly unit: Unit; readonly needed: Amount }
  /** Others hold what is missing, and may give it back. */
  | { readonly kind: "held"; readonly at: number }

const shortUnit = (account: Account, smallest: Amount): Unit | undefined => {
  if (left(account, "tokens") < smallest.tokens) return "tokens"
  return left(account, "nano") < smallest.nano ? "nano" : undefined
}

const withoutHolds = (account: Account): Account => ({ ...account, held: nothing })

const passes = (accounts: ReadonlyArray<Account>, amount: Amount): boolean =>
  accounts.every((account) => shortUnit(account, amount) === undefined)

/** The most that fits; what rounding made too much is taken off again. */
const largest = (accounts: ReadonlyArray<Account>, need: Need, wanted: number): number => {
  let output = wanted
  while (output > need.least && !passes(accounts, sizeOf(need, output))) output -= 1
  return output
}

/** Answers as long as this are worth having at once; a shorter one waits for what others give back. */
const WORTH = 1024

/** What a call may take of all these accounts together. */
export const fit = (accounts: ReadonlyArray<Account>, need: Need): Fit => {
  const smallest = sizeOf(need, need.least)
  for (const [at, account] of accounts.entries()) {
    const unit = shortUnit(withoutHolds(account), smallest)
    if (unit !== undefined) return { kind: "short", at, unit, needed: smallest }
  }
  const waiting = accounts.findIndex((account) => shortUnit(account, smallest) !== undefined)
  if (waiting >= 0) return { kind: "held", at: waiting }
  const rooms = accounts.map((account) => roomFor(account, need))
  const cramped = rooms.findIndex((room, i) => {
    const account = accounts[i]
    return room < Math.min(need.output, WORTH) && account !== undefined && roomFor(withoutHolds(account), need) > room
  })
  if (cramped >= 0) return { kind: "held", at: cramped }
  const output = largest(accounts, need, Math.max(need.least, Math.min(need.output, ...rooms)))
  return { kind: "fits", output, amount: sizeOf(need, output) }
}
