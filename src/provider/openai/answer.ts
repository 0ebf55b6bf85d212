/**
 * One answer of `/chat/completions` as its chunks come in. Owns: what a chunk means. Does not own: bytes and events
 * (decoder.ts), what has grown so far (growing.ts), whether the end is a good one (conclusion.ts).
 */
import type { ModelPart } from "../ModelPart.ts"
import type { Usage } from "../../domain/Usage.ts"
import { type Draft, heavier } from "./conclusion.ts"
import { openGrowing } from "./growing.ts"

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
  readonly length: () => number
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

/** `sent`: bytes of the request. */
export const openAnswer = (reasoning_fields: ReadonlyArray<string>, sent?: number): Answer => {
  const growing = openGrowing(sent)
  let reason: string | undefined
  let model: string | undefined

  const delta = (fields: Fields) => {
    const thought = firstText(fields, reasoning_fields)
    if (thought !== "") growing.think(thought)
    const text = textOf(fields.content) || textOf(fields.refusal)
    if (text !== "") growing.say(text)
    if (fields.tool_calls !== undefined) growing.call(fields.tool_calls)
  }

  return {
    chunk: (chunk) => {
      if (model === undefined && typeof chunk.model === "string" && chunk.model !== "") model = chunk.model
      const choice: unknown = Array.isArray(chunk.choices) ? chunk.choices[0] : undefined
      if (isFields(choice)) {
        // A server that ends with the whole message again has said nothing new.
        const said = isFields(choice.delta) ? choice.delta : growing.untouched() ? choice.message : undefined
        if (isFields(said)) delta(said)
        if (typeof choice.finish_reason === "string" && choice.finish_reason !== "")
          reason = heavier(reason, choice.finish_reason)
      }
      growing.count(chunk.usage ?? (isFields(choice) ? choice.usage : undefined))
    },
    take: growing.take,
    draft: () => ({ ...growing.so_far(), reason, usage: growing.usage(), model }),
    told: growing.told,
    length: growing.length,
    finished: () => reason !== undefined,
    over: () => false
  }
}
