/**
 * What a request takes of the model's window. Owns: the counts of messages, and what the server's own figures teach.
 * Does not own: what is done where it is too much (Window, Compactor).
 * Invariants: what the server counted of the last request counts for that part of the next; a figure that cannot be is
 * not believed; a message is counted once, as long as it is the same object.
 */
import { Effect } from "effect"
import type { Message, ToolDefinition } from "../domain/Message.ts"
import { type Counter, counterFor, estimated, messageTokens, MOST_PER_UNIT, PRIMING, toolTokens } from "./Tokens.ts"

export interface Asked {
  readonly messages: ReadonlyArray<Message>
  readonly tools: ReadonlyArray<ToolDefinition>
}

/** Tokens of a request, taken apart; they sum up to what it takes by our own count. */
export interface Parts {
  readonly system: number
  readonly tools: number
  readonly history: number
}

export interface Meter {
  /** Counts with the model's own tokenizer from now on, where there is one. */
  readonly exactly: (model: string) => Effect.Effect<void>
  readonly total: (asked: Asked) => number
  /** At least the total, without looking at a text. */
  readonly atMost: (asked: Asked) => number
  readonly parts: (asked: Asked) => Parts
  readonly messages: (messages: ReadonlyArray<Message>) => number
  /** The model's own tokenizer counts, or the server did. */
  readonly isSure: () => boolean
  /** `input_tokens`: what the server counted of this request. */
  readonly learn: (asked: Asked, input_tokens: number) => void
  /** Another one that learns with this one, for other requests. */
  readonly beside: () => Meter
}

/** Servers that count only what was not cached, or nothing, are not believed. */
const BELIEVED = { least: 0.35, most: 3 }

/** What meters of one session know together. */
interface Learned {
  counter: Counter
  model: string | undefined
  /** Server's count over ours, once there is one. */
  ratio: number
  told: boolean
}

interface Known {
  readonly learned: Learned
  counts: WeakMap<Message, number>
  /** Whose counts these are. */
  by: Counter
  tools: { readonly of: Asked["tools"]; readonly tokens: number } | undefined
  /** The last request that a server counted, and whether that was looked at by now. */
  last: { readonly asked: Asked; readonly input_tokens: number } | undefined
  fresh: boolean
}

const counterOf = (known: Known): Counter => {
  const { counter } = known.learned
  if (known.by !== counter) {
    known.by = counter
    known.counts = new WeakMap()
    known.tools = undefined
    known.fresh = true
  }
  return counter
}

const countOf = (known: Known, message: Message): number => {
  const counter = counterOf(known)
  const found = known.counts.get(message)
  if (found !== undefined) return found
  const fresh = messageTokens(counter, message)
  known.counts.set(message, fresh)
  return fresh
}

const sumOf = (known: Known, messages: ReadonlyArray<Message>): number =>
  messages.reduce((sum, message) => sum + countOf(known, message), 0)

const toolsOf = (known: Known, tools: Asked["tools"]): number => {
  const counter = counterOf(known)
  if (known.tools?.of !== tools) known.tools = { of: tools, tokens: toolTokens(counter, tools) }
  return known.tools.tokens
}

const partsOf = (known: Known, { messages, tools }: Asked): Parts => {
  const [first] = messages
  const system = first?.role === "system" ? countOf(known, first) : 0
  return { system, tools: toolsOf(known, tools), history: sumOf(known, messages) - system + PRIMING }
}

const ownTotal = (known: Known, asked: Asked): number => {
  const { system, tools, history } = partsOf(known, asked)
  return system + tools + history
}

/** The part that the server counted already, where this request begins with it. */
const counted = ({ last }: Known, { messages, tools }: Asked) =>
  last !== undefined &&
  last.asked.tools === tools &&
  last.asked.messages.length <= messages.length &&
  last.asked.messages.every((message, at) => message === messages[at])
    ? { input_tokens: last.input_tokens, from: last.asked.messages.length }
    : undefined

const lengthOf = (message: Message): number =>
  message.role === "assistant"
    ? message.tool_calls.reduce(
        (sum, call) => sum + call.tool_name.length + call.arguments.length + 8,
        message.content.length
      )
    : message.content.length

/** Looked at when it matters: most requests are far from any limit. */
const settle = (known: Known): void => {
  counterOf(known)
  if (!known.fresh || known.last === undefined) return
  known.fresh = false
  const ratio = known.last.input_tokens / Math.max(1, ownTotal(known, known.last.asked))
  if (ratio < BELIEVED.least || ratio > BELIEVED.most) {
    known.last = undefined
    return
  }
  known.learned.ratio = ratio
  known.learned.told = true
}

const total = (known: Known, asked: Asked): number => {
  settle(known)
  const there = counted(known, asked)
  const { ratio } = known.learned
  if (there === undefined) return Math.ceil(ownTotal(known, asked) * ratio)
  return there.input_tokens + Math.ceil(sumOf(known, asked.messages.slice(there.from)) * ratio)
}

/** The most that a request can take, by the lengths of its texts. */
const atMost = (known: Known, asked: Asked): number => {
  const units = asked.messages.reduce((sum, message) => sum + lengthOf(message) + 4, 0)
  return Math.ceil((toolsOf(known, asked.tools) + units * MOST_PER_UNIT) * Math.max(1, known.learned.ratio))
}

const exactly = ({ learned }: Known, model: string): Effect.Effect<void> =>
  learned.model === model
    ? Effect.void
    : Effect.map(counterFor(model), (counter) => {
        learned.model = model
        if (counter.name === learned.counter.name) return
        learned.counter = counter
        learned.ratio = 1
        learned.told = false
      })

const over = (learned: Learned): Meter => {
  const known: Known = {
    learned,
    counts: new WeakMap(),
    by: learned.counter,
    tools: undefined,
    last: undefined,
    fresh: false
  }
  return {
    exactly: (model) => Effect.suspend(() => exactly(known, model)),
    total: (asked) => total(known, asked),
    atMost: (asked) => atMost(known, asked),
    parts: (asked) => partsOf(known, asked),
    messages: (messages) => Math.ceil(sumOf(known, messages) * learned.ratio),
    isSure: () => learned.counter.name !== "estimate" || learned.told,
    learn: (asked, input_tokens) => {
      known.last = { asked, input_tokens }
      known.fresh = true
    },
    beside: () => over(learned)
  }
}

/** Of one session, or of one conversation in it. */
export const makeMeter = (): Meter => over({ counter: estimated, model: undefined, ratio: 1, told: false })
