/**
 * What is known of a model: how much it takes and gives, what it can do, what it costs (R113, R119). Owns: which row
 * counts for a name, the stated defaults for a model that nobody knows, and the cost of a count. Pure. Does not own:
 * the rows (catalogueRows.ts), a person's own (config/ModelSettings.ts), the adding up (domain/Usage.ts).
 * Invariants: every model has a window and a limit; a cost is what the prices say or absent, never zero for unknown; a
 * vendor's price counts at that vendor's servers alone.
 */
import { Context } from "effect"
import type { ModelPrices, Models, ModelSetting } from "../config/ModelSettings.ts"
import type { Usage } from "../domain/Usage.ts"
import { type Row, rows } from "./catalogueRows.ts"

export interface ModelEntry {
  /** The row that was found, or the person's own; absent: nothing is known of this model, and the rest is assumed. */
  readonly id?: string
  /** Tokens, prompt and answer together. */
  readonly context_window: number
  /** Tokens of one answer. */
  readonly output_limit: number
  /** US$ for a million tokens; absent: unknown. */
  readonly prices?: ModelPrices
  readonly tools: boolean
  readonly images: boolean
  readonly reasoning: boolean
  /** Where these figures stand, and the month in which they were read there; absent: assumed. */
  readonly source?: string
  readonly read?: string
}

export type Lookup = (model: string) => ModelEntry

/**
 * What is assumed of a model that nobody knows: small enough for what people run at home, since a window that is too
 * large fails requests and one that is too small only summarises sooner.
 */
export const assumed: ModelEntry = {
  context_window: 32_768,
  output_limit: 8192,
  tools: true,
  images: false,
  reasoning: false
}

/** `openai/gpt-5`, `models/gpt-5`, `GLM-4.6`: the name that vendors use. */
const plain = (model: string): string => model.slice(model.lastIndexOf("/") + 1).toLowerCase()

/** What vendors put behind a name for one state of the same model. */
const SNAPSHOT = /(?:[-@](?:\d{4}-\d{2}-\d{2}|\d{8}|\d{6}|\d{4})|[-:]latest)$/

/** The name itself, else without its snapshot, else the longest beginning that stands there with a `*`. */
const find = <A>(table: ReadonlyMap<string, A>, name: string): readonly [id: string, found: A] | undefined => {
  for (const id of [name, name.replace(SNAPSHOT, "")]) {
    const found = table.get(id)
    if (found !== undefined) return [id, found]
  }
  const beginnings = [...table].filter(([id]) => id.endsWith("*") && name.startsWith(id.slice(0, -1)))
  return beginnings.toSorted(([a], [b]) => b.length - a.length)[0]
}

const known: ReadonlyMap<string, Row> = new Map(rows.map((row) => [row.id, row]))

const hostOf = (base_url: string | undefined): string | undefined =>
  base_url === undefined ? undefined : URL.parse(base_url)?.hostname

const builtin = (model: string, base_url: string | undefined): ModelEntry => {
  const row = find(known, plain(model))?.[1]
  if (row === undefined) return assumed
  const { hosts = [], prices, ...rest } = row
  const theirs = base_url === undefined || hosts.includes(hostOf(base_url) ?? "")
  return { ...assumed, ...rest, ...(prices !== undefined && theirs ? { prices } : {}) }
}

const withOwn = ({ read: _, ...entry }: ModelEntry, id: string, own: ModelSetting): ModelEntry => {
  const { context_window_tokens, output_tokens, ...rest } = own
  return {
    ...entry,
    ...rest,
    id,
    source: "your configuration",
    ...(context_window_tokens === undefined ? {} : { context_window: context_window_tokens }),
    ...(output_tokens === undefined ? {} : { output_limit: output_tokens })
  }
}

export interface CatalogueOptions {
  /** A person's own rows: what they say counts, for the rest the catalogue does. */
  readonly models?: Models
  /** Whose servers answer; absent: each model's vendor. */
  readonly base_url?: string
}

/** Names whose rows are remembered; a request looks its model up a few times. */
const REMEMBERED = 64

/** A lookup over the built-in rows and a person's own. */
export const make = ({ models = {}, base_url }: CatalogueOptions): Lookup => {
  const own = new Map(Object.entries(models))
  const remembered = new Map<string, ModelEntry>()
  const look = (model: string): ModelEntry => {
    const entry = builtin(model, base_url)
    const found = find(own, model) ?? find(own, plain(model))
    return found === undefined ? entry : withOwn(entry, ...found)
  }
  return (model) => {
    const before = remembered.get(model)
    if (before !== undefined) return before
    if (remembered.size >= REMEMBERED) remembered.clear()
    const entry = look(model)
    remembered.set(model, entry)
    return entry
  }
}

/** What the built-in rows say of a model at its vendor's. */
export const lookup: Lookup = make({})

/** The lookup of this process: with the configuration's own rows, for the server that is configured. */
export const ModelCatalogue = Context.Reference<Lookup>("claw/provider/ModelCatalogue", { defaultValue: () => lookup })

const MILLION = 1_000_000

/** US$; absent: the price is unknown. */
export const costOf = (usage: Usage, { prices }: Pick<ModelEntry, "prices">): number | undefined => {
  if (prices === undefined) return undefined
  const { cached_tokens = 0, input_tokens, output_tokens } = usage
  const cached = Math.min(cached_tokens, input_tokens)
  const { input, cached_input = input, output } = prices
  const micros = (input_tokens - cached) * input + cached * cached_input + output_tokens * output
  // Without the noise of binary fractions: a billionth of a dollar is the least that a token costs.
  return Number((micros / MILLION).toFixed(12))
}

/** The count with its cost, where that is known; what the server itself said of it stands. */
export const priced = (usage: Usage, entry: Pick<ModelEntry, "prices">): Usage => {
  const cost_usd = usage.cost_usd ?? costOf(usage, entry)
  return cost_usd === undefined ? usage : { ...usage, cost_usd }
}

/** Of the model that was asked for; where nobody knows that name, of the one that the server says answered. */
export const entryOf = (lookup: Lookup, asked: string, answered?: string): ModelEntry => {
  const entry = lookup(asked)
  return entry.id !== undefined || answered === undefined ? entry : lookup(answered)
}
