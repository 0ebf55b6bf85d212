/**
 * One answer as its chunks come in. Owns: what a chunk means, and the parts of the current read. Does not own: bytes and
 * events (sse.ts), whether the end is a good one (conclusion.ts).
 * Invariant: the text deltas concatenate to the content, and no delta ends inside a surrogate pair.
 */
import type { ModelPart } from "../ModelPart.ts"
import type { Usage } from "../../domain/Usage.ts"
import { type Draft, heavier } from "./conclusion.ts"
import { absorb, type Assembly, nothing } from "./toolCalls.ts"
import { usageOf } from "./usage.ts"

type Fields = Readonly<Record<string, unknown>>
export const isFields = (value: unknown): value is Fields =>
  value !== null && typeof value === "object" && !Array.isArray(value)

/** Content is a text, or a list of parts that have one. */
const textOf = (value: unknown): string => {
  if (typeof value === "string") return value
  if (!Array.isArray(value)) return ""
  return value.map((part: unknown) => (isFields(part) && typeof part.text === "string" ? part.text : "")).join("")
}

/** A text that grows by deltas and is handed out in wellformed pieces. */
interface Growing {
  whole: string
  pending: string
}

const endsInHighSurrogate = (text: string): boolean => {
  const last = text.charCodeAt(text.length - 1)
  return last >= 0xd800 && last <= 0xdbff
}

/** What can be shown now; a lone first half waits for its second. */
const takePiece = (growing: Growing, last: boolean): string => {
  const { pending } = growing
  if (pending === "") return ""
  const hold = !last && endsInHighSurrogate(pending)
  const piece = (hold ? pending.slice(0, -1) : pending).toWellFormed()
  growing.pending = hold ? pending.slice(-1) : ""
  growing.whole += piece
  return piece
}

const firstText = (fields: Fields, names: ReadonlyArray<string>): string => {
  for (const name of names) {
    const text = fields[name]
    if (typeof text === "string" && text !== "") return text
  }
  return ""
}

/** What of the calls is new since it was last shown. */
const progress = (assembly: Assembly, shown: Assembly): ReadonlyArray<ModelPart> =>
  assembly.drafts.flatMap((draft, index) =>
    draft === shown.drafts[index]
      ? []
      : [{ type: "tool_call_progress", index, tool_name: draft.name ?? "", bytes: draft.args.length }]
  )

export interface Answer {
  /** Takes one chunk, or a whole completion, in. */
  readonly chunk: (chunk: Fields) => void
  /** The parts since the last call; `last`: nothing will follow. */
  readonly take: (last: boolean) => Array<ModelPart>
  /** Everything so far, for the conclusion; call `take(true)` first. */
  readonly draft: () => Draft
  readonly length: () => number
  readonly finished: () => boolean
}

export const openAnswer = (reasoning_fields: ReadonlyArray<string>): Answer => {
  const content: Growing = { whole: "", pending: "" }
  const reasoning: Growing = { whole: "", pending: "" }
  let assembly: Assembly = nothing
  let shown: Assembly = nothing
  let reason: string | undefined
  let usage: Usage | undefined
  let model: string | undefined
  let parts: Array<ModelPart> = []

  const cut = (growing: Growing, type: "text_delta" | "reasoning_delta", last = false) => {
    const text = takePiece(growing, last)
    if (text !== "") parts.push({ type, text })
  }
  const delta = (fields: Fields) => {
    const thought = firstText(fields, reasoning_fields)
    if (thought !== "") {
      cut(content, "text_delta")
      reasoning.pending += thought
    }
    const text = textOf(fields.content) || textOf(fields.refusal)
    if (text !== "") {
      if (reasoning.pending !== "") cut(reasoning, "reasoning_delta")
      content.pending += text
    }
    if (fields.tool_calls !== undefined) assembly = absorb(assembly, fields.tool_calls)
  }
  const untouched = () => content.whole === "" && content.pending === "" && assembly.drafts.length === 0

  return {
    chunk: (chunk) => {
      if (model === undefined && typeof chunk.model === "string" && chunk.model !== "") model = chunk.model
      const choice: unknown = Array.isArray(chunk.choices) ? chunk.choices[0] : undefined
      if (isFields(choice)) {
        // A server that ends with the whole message again has said nothing new.
        const said = isFields(choice.delta) ? choice.delta : untouched() ? choice.message : undefined
        if (isFields(said)) delta(said)
        if (typeof choice.finish_reason === "string" && choice.finish_reason !== "")
          reason = heavier(reason, choice.finish_reason)
      }
      const counted = chunk.usage ?? (isFields(choice) ? choice.usage : undefined)
      if (counted !== undefined && counted !== null) usage = usageOf(counted) ?? usage
    },
    take: (last) => {
      cut(reasoning, "reasoning_delta", last)
      cut(content, "text_delta", last)
      if (assembly !== shown) parts.push(...progress(assembly, shown))
      shown = assembly
      const taken = parts
      parts = []
      return taken
    },
    draft: () => ({ content: content.whole, reasoning: reasoning.whole, assembly, reason, usage, model }),
    length: () => content.whole.length + reasoning.whole.length,
    finished: () => reason !== undefined
  }
}
