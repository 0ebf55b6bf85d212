/**
 * An answer that grows, whatever dialect it comes in. Owns: text, reasoning and calls so far, and the parts of the current
 * read. Does not own: what an event means (answer.ts, responses/answer.ts), whether the end is a good one (conclusion.ts).
 * Invariant: the text deltas concatenate to the content, and no delta ends inside a surrogate pair.
 */
import { fault } from "../../domain/FaultTexts.ts"
import type { Usage } from "../../domain/Usage.ts"
import type { ModelPart } from "../ModelPart.ts"
import { type Assembly, type Change, absorb, ARGUMENTS_LIMIT, CALLS_LIMIT, nothing, revise } from "./toolCalls.ts"
import { guess, usageOf } from "./usage.ts"

/** A text that grows by deltas and is handed out in wellformed pieces. */
interface Text {
  whole: string
  pending: string
}

const endsInHighSurrogate = (text: string): boolean => {
  const last = text.charCodeAt(text.length - 1)
  return last >= 0xd800 && last <= 0xdbff
}

/** What can be shown now; a lone first half waits for its second. */
const takePiece = (text: Text, last: boolean): string => {
  const { pending } = text
  if (pending === "") return ""
  const hold = !last && endsInHighSurrogate(pending)
  const piece = (hold ? pending.slice(0, -1) : pending).toWellFormed()
  text.pending = hold ? pending.slice(-1) : ""
  text.whole += piece
  return piece
}

/** What of the calls is new since it was last shown. */
const progress = (assembly: Assembly, shown: Assembly): ReadonlyArray<ModelPart> =>
  assembly.drafts.flatMap((draft, index) =>
    draft === shown.drafts[index]
      ? []
      : [{ type: "tool_call_progress", index, tool_name: (draft.name ?? "").toWellFormed(), bytes: draft.args.length }]
  )

export interface Growing {
  readonly say: (text: string) => void
  readonly think: (text: string) => void
  /** Fragments of calls, as `tool_calls` of a delta has them. */
  readonly call: (fragments: unknown) => void
  /** What is known of the call at a place. */
  readonly revise: (at: number, change: Change) => void
  /** Characters that came and are nothing to show: sealed reasoning, fields that nobody knows. */
  readonly unseen: (characters: number) => void
  /** What came is more than an answer may have; for people. */
  readonly refuse: (detail: string) => void
  /** What the server counts; the newest that can be read stands. */
  readonly count: (value: unknown) => void
  /** The parts since the last call; `last`: nothing will follow. */
  readonly take: (last: boolean) => Array<ModelPart>
  /** All the text, or all the reasoning, so far. */
  readonly said: () => string
  readonly thought: () => string
  /** Characters of whatever kind that came so far; what does not add to them is no progress. */
  readonly length: () => number
  /** Why this cannot be an answer any more, whatever else comes; for people. */
  readonly excess: () => string | undefined
  readonly so_far: () => { readonly content: string; readonly reasoning: string; readonly assembly: Assembly }
  /** As the server told it, with a guess for what is missing where `sent` is known. */
  readonly usage: () => Usage | undefined
  /** Only where the server told something. */
  readonly told: () => Usage | undefined
}

/** One call that is too long is the model's mistake, and told to it; what never ends is no answer. */
const ENDLESS = 4 * ARGUMENTS_LIMIT

const excessOf = ({ flooded, oversize, size }: Assembly): string | undefined => {
  if (flooded) return fault("too_many_calls", { most: CALLS_LIMIT })
  if (oversize && size > ENDLESS) return fault("endless_arguments", { most: ENDLESS })
  return undefined
}

const bytesOf = (texts: ReadonlyArray<string>): number => texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0)

/** `sent`: bytes of the request, for a guess at tokens where the server counts none; absent: then nothing is counted. */
export const openGrowing = (sent: number | undefined): Growing => {
  const content: Text = { whole: "", pending: "" }
  const reasoning: Text = { whole: "", pending: "" }
  let assembly: Assembly = nothing
  let shown: Assembly = nothing
  let counted: unknown
  let unseen = 0
  let shown_length = 0
  let refused: string | undefined
  let parts: Array<ModelPart> = []
  const cut = (text: Text, type: "text_delta" | "reasoning_delta", last = false) => {
    const piece = takePiece(text, last)
    if (piece !== "") parts.push({ type, text: piece })
  }
  const guessed = (bytes: number) => {
    const texts = [content.whole, reasoning.whole, ...assembly.drafts.map(({ args }) => args)]
    return { input_tokens: guess(bytes), output_tokens: guess(bytesOf(texts)) }
  }
  const told = () => usageOf(counted, sent === undefined ? undefined : guessed(sent))
  return {
    say: (text) => {
      if (reasoning.pending !== "") cut(reasoning, "reasoning_delta")
      content.pending += text
      shown_length += text.length
    },
    think: (text) => {
      cut(content, "text_delta")
      reasoning.pending += text
      shown_length += text.length
    },
    call: (fragments) => void (assembly = absorb(assembly, fragments)),
    revise: (at, change) => void (assembly = revise(assembly, at, change)),
    unseen: (characters) => void (unseen += characters),
    refuse: (detail) => void (refused ??= detail),
    count: (value) => {
      const found = usageOf(value)
      if (found === undefined) return
      // Nothing but zeros is no news of what was counted before.
      if (counted === undefined || found.input_tokens + found.output_tokens > 0) counted = value
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
    said: () => content.whole + content.pending,
    thought: () => reasoning.whole + reasoning.pending,
    length: () => shown_length + assembly.size + unseen,
    excess: () => refused ?? excessOf(assembly),
    so_far: () => ({ content: content.whole, reasoning: reasoning.whole, assembly }),
    told,
    usage: () => (sent === undefined ? told() : (told() ?? { ...guessed(sent), estimated: true }))
  }
}
