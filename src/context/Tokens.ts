/**
 * How many tokens a text takes. Owns: which tokenizer a model has, an estimate for all others, what a message and a tool
 * cost besides their text, and a request that nobody counted. Does not own: what a server really counted (Meter).
 * Invariants: a tokenizer is loaded when somebody asks for it and never before, since its table takes a quarter of a
 * second; the estimate rather says too much; no text makes counting slow, whatever it holds.
 */
import { Effect } from "effect"
import type { AssistantMessage, Message, ToolDefinition } from "../domain/Message.ts"

export interface Counter {
  readonly name: "estimate" | "o200k_base" | "cl100k_base"
  readonly count: (text: string) => number
}

/** Tokens for one UTF-16 unit, by what it is: measured, with room above, on prose, code, JSON and Chinese. */
const weightOf = (unit: number): number => {
  if (unit >= 0x2e80) return unit >= 0xd800 && unit < 0xe000 ? 1.5 : 1.45
  if (unit >= 0x80) return 0.75
  if ((unit >= 0x61 && unit <= 0x7a) || (unit >= 0x41 && unit <= 0x5a)) return 0.27
  if (unit === 0x20) return 0.15
  return unit >= 0x30 && unit <= 0x39 ? 0.55 : 0.6
}
const ascii = Float64Array.from({ length: 0x80 }, (_, unit) => weightOf(unit))

/** No unit of a text takes more, by the estimate. */
export const MOST_PER_UNIT = 1.5

const estimate = (text: string): number => {
  let sum = 0
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    sum += ascii[unit] ?? weightOf(unit)
  }
  return Math.ceil(sum)
}

export const estimated: Counter = { name: "estimate", count: estimate }

type Encoding = Exclude<Counter["name"], "estimate">

/** OpenAI's own models; another model's name says nothing about its tokenizer. */
export const encodingOf = (model: string): Encoding | undefined => {
  const name = model.toLowerCase().replace(/^(?:openai|azure)[/:]/, "")
  if (/^(?:chatgpt-4o|gpt-4o|gpt-4\.[15]|gpt-[5-9]|gpt-oss|o[1-9](?![0-9a-z])|codex)/.test(name)) return "o200k_base"
  return /^(?:gpt-4|gpt-3\.5|gpt-35)/.test(name) ? "cl100k_base" : undefined
}

/** A run without a blank takes time with its square: longer texts are counted in pieces, at most a token too much each. */
const PIECE = 4096

const pieces = (text: string): ReadonlyArray<string> => {
  const found: Array<string> = []
  for (let from = 0; from < text.length;) {
    const most = Math.min(from + PIECE, text.length)
    const blank = most === text.length ? most : text.lastIndexOf(" ", most)
    const to = blank > from + PIECE / 2 ? blank : most
    found.push(text.slice(from, to))
    from = to
  }
  return found
}

/** Names of special tokens in a text are text. */
const PLAIN = { disallowedSpecial: new Set<string>() }

const load = async (name: Encoding): Promise<Counter> => {
  const { countTokens } =
    name === "o200k_base"
      ? await import("gpt-tokenizer/encoding/o200k_base")
      : await import("gpt-tokenizer/encoding/cl100k_base")
  const count = (text: string) => pieces(text).reduce((sum, piece) => sum + countTokens(piece, PLAIN), 0)
  return { name, count }
}

/** The model's own tokenizer; the estimate where there is none, or where it cannot be loaded. */
export const counterFor = (model: string): Effect.Effect<Counter> => {
  const name = encodingOf(model)
  if (name === undefined) return Effect.succeed(estimated)
  return Effect.orElseSucceed(
    Effect.tryPromise(() => load(name)),
    () => estimated
  )
}

/** What a message takes beside its text, its role included; a call takes its own. */
const FRAME = 4
const CALL_FRAME = 8
/** The beginning of the answer. */
export const PRIMING = 3

export const messageTokens = ({ count }: Counter, message: Message): number => {
  const said = FRAME + count(message.content)
  if (message.role !== "assistant") return said
  return message.tool_calls.reduce(
    (sum, call) => sum + CALL_FRAME + count(call.tool_name) + count(call.arguments),
    said
  )
}

type Fields = Readonly<Record<string, unknown>>
const fieldsOf = (value: unknown): Fields =>
  value !== null && typeof value === "object" && !Array.isArray(value) ? (value as Fields) : {}

const sentence = (text: unknown): string => (typeof text === "string" ? text.replace(/\.$/, "") : "")

const FUNCTION = { o200k_base: 7, cl100k_base: 10 } as const
const FIELD = 3
const ALL_TOOLS = 12

/** As OpenAI's models are shown a schema: a line for each property, the words of an enumeration apart. */
const fieldTokens = ({ count }: Counter, name: string, schema: unknown): number => {
  const { type, description, enum: words, properties, items } = fieldsOf(schema)
  const line = FIELD + count(`${name}:${typeof type === "string" ? type : "any"}:${sentence(description)}`)
  const named = Array.isArray(words)
    ? words.reduce<number>((sum, word) => sum + FIELD + count(String(word)), -FIELD)
    : 0
  return (
    line +
    named +
    inner({ name: "estimate", count }, properties) +
    (items === undefined ? 0 : count(JSON.stringify(items)))
  )
}

const inner = (counter: Counter, properties: unknown): number => {
  const all = Object.entries(fieldsOf(properties))
  return all.reduce((sum, [name, schema]) => sum + fieldTokens(counter, name, schema), all.length === 0 ? 0 : FIELD)
}

/** What the definitions of tools take; of a model that is not known, as much as their JSON does. */
export const toolTokens = (counter: Counter, tools: ReadonlyArray<ToolDefinition>): number => {
  if (tools.length === 0) return 0
  const { name: encoding } = counter
  if (encoding === "estimate") return counter.count(JSON.stringify(tools))
  return tools.reduce(
    (sum, { name, description, parameters }) =>
      sum +
      FUNCTION[encoding] +
      counter.count(`${name}:${sentence(description)}`) +
      inner(counter, parameters["properties"]),
    ALL_TOOLS
  )
}

/** What a model wrote: its own words, of which `messageTokens` leaves out the reasoning that most servers are not sent again. */
export const answerTokens = ({ count }: Counter, { content, reasoning = "", tool_calls }: AssistantMessage): number =>
  tool_calls.reduce(
    (sum, call) => sum + count(call.tool_name) + count(call.arguments),
    count(content) + count(reasoning)
  )

const known = new WeakMap<object, number>()

const remembered = <A extends object>(value: A, tokens: (value: A) => number): number => {
  const found = known.get(value)
  if (found !== undefined) return found
  const made = tokens(value)
  known.set(value, made)
  return made
}

const sentTokens = (message: Message): number =>
  messageTokens(estimated, message) + (message.role === "assistant" ? estimated.count(message.reasoning ?? "") : 0)

/** By the estimate, of a whole request, reasoning included: rather too much, before anybody counts. */
export const estimateRequest = (messages: ReadonlyArray<Message>, tools: ReadonlyArray<ToolDefinition>): number =>
  messages.reduce((sum, message) => sum + remembered(message, sentTokens), PRIMING) +
  remembered(tools, (all) => toolTokens(estimated, all))
