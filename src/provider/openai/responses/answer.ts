/**
 * One answer of `/responses` as its events come in, or as one document. Owns: what an event means. Does not own: bytes and
 * framing (decoder.ts), what has grown so far (growing.ts), whether the end is a good one (conclusion.ts).
 * Invariants: an item that came in pieces is not taken again from its own end or from the whole response; only the last
 * event, which says how the response stands, ends an answer.
 */
import { type Answer, type Fields, isFields } from "../answer.ts"
import { type Growing, openGrowing } from "../growing.ts"
import { reasoningState, type Whose } from "./encode.ts"

const text = (value: unknown): string => (typeof value === "string" ? value : "")
const list = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])

/** The texts of an item's parts, one behind the other. */
const partsText = (value: unknown): string =>
  list(value)
    .map((part) => (isFields(part) ? text(part.text) || text(part.refusal) : ""))
    .join("")

/** Paragraphs of a summary. */
const summaryText = (value: unknown): string =>
  list(value)
    .flatMap((part) => (isFields(part) && text(part.text) !== "" ? [text(part.text)] : []))
    .join("\n\n")

/** What ended the response, in the words of `/chat/completions`; undefined: it has not ended. */
const reasonOf = (response: Fields): string | undefined => {
  if (response.status === "completed") return "stop"
  if (response.status === "cancelled" || response.status === "failed") return "error"
  if (response.status !== "incomplete") return undefined
  const details = isFields(response.incomplete_details) ? response.incomplete_details : {}
  const why = text(details.reason)
  return why === "max_output_tokens" || why === "" ? "length" : why
}

/** What goes back to the server of a reasoning item. */
const kept = ({ encrypted_content, id, summary }: Fields): ReadonlyArray<unknown> =>
  text(encrypted_content) === ""
    ? []
    : [{ type: "reasoning", ...(text(id) === "" ? {} : { id }), summary: list(summary), encrypted_content }]

/** The items of an answer: what came of each in pieces, and the reasoning that goes back. */
const openItems = (growing: Growing) => {
  /** Output indexes of which text, arguments or reasoning came. */
  const pieces = new Set<number>()
  const reasoning = new Map<number, ReadonlyArray<unknown>>()
  const argumentsOf = (index: number, args: unknown) => growing.call([{ index, function: { arguments: text(args) } }])
  const opened = (index: number, item: unknown) => {
    if (!isFields(item) || item.type !== "function_call") return
    const id = text(item.call_id) || text(item.id)
    growing.call([{ index, id, function: { name: text(item.name), arguments: "" } }])
  }
  return {
    opened,
    arguments: argumentsOf,
    piece: (index: number) => void pieces.add(index),
    /** A whole item: what of it did not come in pieces. */
    whole: (index: number, item: unknown) => {
      if (!isFields(item)) return
      if (item.type === "reasoning") reasoning.set(index, kept(item))
      if (pieces.has(index)) return
      pieces.add(index)
      if (item.type === "message") growing.say(partsText(item.content))
      else if (item.type === "reasoning") growing.think(summaryText(item.summary) || partsText(item.content))
      else if (item.type === "function_call") {
        opened(index, item)
        argumentsOf(index, item.arguments)
      }
    },
    sealed: () => [...reasoning].toSorted(([a], [b]) => a - b).flatMap(([, item]) => item)
  }
}

type Items = ReturnType<typeof openItems>

/** What an event adds; the one that says how the response stands is another matter. */
const took = (chunk: Fields, growing: Growing, items: Items): void => {
  const index = typeof chunk.output_index === "number" ? chunk.output_index : 0
  const delta = text(chunk.delta)
  if (delta !== "") items.piece(index)
  switch (chunk.type) {
    case "response.output_text.delta":
    case "response.refusal.delta":
      return growing.say(delta)
    case "response.reasoning_summary_text.delta":
    case "response.reasoning_text.delta":
      return growing.think(delta)
    case "response.reasoning_summary_part.added":
      return typeof chunk.summary_index === "number" && chunk.summary_index > 0 ? growing.think("\n\n") : undefined
    case "response.function_call_arguments.delta":
      return items.arguments(index, delta)
    case "response.output_item.added":
      return items.opened(index, chunk.item)
    case "response.output_item.done":
      return items.whole(index, chunk.item)
  }
}

/** `sent`: bytes of the request. */
export const openResponsesAnswer = (whose: Whose, sent?: number): Answer => {
  const growing = openGrowing(sent)
  const items = openItems(growing)
  let reason: string | undefined
  let model: string | undefined
  const standing = (response: Fields) => {
    if (model === undefined && text(response.model) !== "") model = text(response.model)
    growing.count(response.usage)
    reason ??= reasonOf(response)
    if (reason !== undefined) list(response.output).forEach((item, index) => items.whole(index, item))
  }
  const over = () => reason !== undefined
  return {
    chunk: (chunk) => {
      if (chunk.object === "response") standing(chunk)
      else if (isFields(chunk.response)) standing(chunk.response)
      else took(chunk, growing, items)
    },
    take: growing.take,
    draft: () => {
      const state = reasoningState(whose, items.sealed())
      return { ...growing.so_far(), reason, usage: growing.usage(), model, ...(state === undefined ? {} : { state }) }
    },
    told: growing.told,
    length: growing.length,
    finished: over,
    over
  }
}

/** What went wrong with the whole response, where it says so. */
export const responsesErrorIn = (chunk: Fields, event: string | undefined): unknown => {
  if (event === "error" || chunk.type === "error") return isFields(chunk.error) ? chunk.error : chunk
  const response = isFields(chunk.response) ? chunk.response : chunk
  const { error } = response
  return error === undefined || error === null ? undefined : error
}
