/**
 * One answer of `/chat/completions` as its chunks come in. Owns: what a chunk means. Does not own: bytes and events
 * (decoder.ts), what has grown so far (growing.ts), whether the end is a good one (conclusion.ts).
 */
import type { ModelPart } from "../ModelPart.ts"
import type { Usage } from "../../domain/Usage.ts"
import { type Draft, heavier } from "./conclusion.ts"
import { type Growing, openGrowing } from "./growing.ts"

export type Fields = Readonly<Record<string, unknown>>
export const isFields = (value: unknown): value is Fields =>
  value !== null && typeof value === "object" && !Array.isArray(value)

/** Content is a text, or a list of parts that have one. */
const textOf = (value: unknown): string => {
  if (typeof value === "string") return value
  if (!Array.isArray(value)) return ""
  return value.map((part: unknown) => (isFields(part) && typeof part.text === "string" ? part.text : "")).join("")
}

const firstText = (fields: Fields, names: ReadonlyArray<string>): string => {
  for (const name of names) {
    const text = fields[name]
    if (typeof text === "string" && text !== "") return text
  }
  return ""
}

/** What the dialects of one package have in common. */
export interface Answer {
  /** Takes one chunk, or a whole document, in. */
  readonly chunk: (chunk: Fields) => void
  /** The parts since the last call; `last`: nothing will follow. */
  readonly take: (last: boolean) => Array<ModelPart>
  /** Everything so far, for the conclusion; call `take(true)` first. */
  readonly draft: () => Draft
  /** What the server counted so far, as far as it can be. */
  readonly told: () => Usage | undefined
  /** Characters of whatever kind that came so far; what does not add to them is no progress. */
  readonly length: () => number
  /** Why this cannot be an answer any more, whatever else comes; for people. */
  readonly excess: () => string | undefined
  /** The answer is whole even if the connection breaks now; more may be said of it. */
  readonly finished: () => boolean
  /** Nothing more will be said. */
  readonly over: () => boolean
}

/** The error object of a chunk that is none, however it is dressed. */
export const errorIn = (chunk: Fields, event: string | undefined): unknown => {
  if (chunk.error !== undefined && chunk.error !== null) return chunk.error
  if (chunk.object === "error" || event === "error") return chunk
  return undefined
}

/** Fields of a delta that say nothing by themselves. */
const PLAIN = new Set(["role", "content", "refusal", "tool_calls", "function_call"])

/** Characters of a field that nobody here knows: a model that thinks into it is at work, and has the limit that all have. */
const sizeOf = (value: unknown): number => {
  if (typeof value === "string") return value.length
  if (value === null || typeof value !== "object" || Object.keys(value).length === 0) return 0
  return JSON.stringify(value).length
}

/** What of the whole message is news after what came in pieces. */
const rest = (whole: string, said: string): string => (whole.startsWith(said) ? whole.slice(said.length) : "")

/** The deltas of one choice, and the whole message that some servers end with. */
const openChoice = (growing: Growing, reasoning_fields: ReadonlyArray<string>) => {
  const known = new Set([...PLAIN, ...reasoning_fields])
  let listed = false
  const calls = ({ function_call, tool_calls }: Fields) => {
    listed ||= Array.isArray(tool_calls) && tool_calls.length > 0
    growing.call(tool_calls)
    // The old form has one call; a server that sends both forms means the same call.
    if (!listed && isFields(function_call)) growing.call([{ index: 0, function: function_call }])
  }
  const texts = (fields: Fields) => ({
    thought: firstText(fields, reasoning_fields),
    text: textOf(fields.content) || textOf(fields.refusal)
  })
  return {
    delta: (fields: Fields) => {
      const { text, thought } = texts(fields)
      if (thought !== "") growing.think(thought)
      if (text !== "") growing.say(text)
      calls(fields)
      for (const name in fields) if (!known.has(name)) growing.unseen(sizeOf(fields[name]))
    },
    /** A server that ends with the whole message again has said nothing new, but what it left out before. */
    message: (fields: Fields) => {
      const { text, thought } = texts(fields)
      const moreThought = rest(thought, growing.thought())
      const moreText = rest(text, growing.said())
      if (moreThought !== "") growing.think(moreThought)
      if (moreText !== "") growing.say(moreText)
      if (growing.so_far().assembly.drafts.length === 0) calls(fields)
    }
  }
}

/** `sent`: bytes of the request. */
export const openAnswer = (reasoning_fields: ReadonlyArray<string>, sent?: number): Answer => {
  const growing = openGrowing(sent)
  const { delta, message } = openChoice(growing, reasoning_fields)
  let reason: string | undefined
  let model: string | undefined
  return {
    chunk: (chunk) => {
      if (model === undefined && typeof chunk.model === "string" && chunk.model !== "") model = chunk.model
      const choice: unknown = Array.isArray(chunk.choices) ? chunk.choices[0] : undefined
      if (isFields(choice)) {
        if (isFields(choice.delta)) delta(choice.delta)
        if (isFields(choice.message)) message(choice.message)
        if (typeof choice.finish_reason === "string" && choice.finish_reason !== "")
          reason = heavier(reason, choice.finish_reason)
      }
      growing.count(chunk.usage ?? (isFields(choice) ? choice.usage : undefined))
    },
    take: growing.take,
    draft: () => ({ ...growing.so_far(), reason, usage: growing.usage(), model }),
    told: growing.told,
    length: growing.length,
    excess: growing.excess,
    finished: () => reason !== undefined,
    over: () => false
  }
}
