/**
 * One answer of `/responses` as its events come in, or as one document. Owns: what an event means. Does not own: bytes and
 * framing (decoder.ts), what the items hold (contents.ts), whether the end is a good one (conclusion.ts).
 * Invariant: only the last event, which says how the response stands, ends an answer.
 */
import { type Answer, type Fields, isFields } from "../answer.ts"
import { type Growing, openGrowing } from "../growing.ts"
import { argumentText, indexOf } from "../toolCalls.ts"
import { type Contents, namesIn, openContents, text } from "./contents.ts"
import { reasoningState, type Whose } from "./encode.ts"

/** What ended the response, in the words of `/chat/completions`; undefined: it has not ended. */
const reasonOf = (response: Fields): string | undefined => {
  if (response.status === "completed") return "stop"
  if (response.status === "cancelled" || response.status === "failed") return "error"
  if (response.status !== "incomplete") return undefined
  const details = isFields(response.incomplete_details) ? response.incomplete_details : {}
  const why = text(details.reason)
  return why === "max_output_tokens" || why === "" ? "length" : why
}

/** What an event adds; the one that says how the response stands is another matter. */
const took = (chunk: Fields, contents: Contents, growing: Growing): void => {
  const names = namesIn(chunk)
  const delta = text(chunk.delta)
  switch (chunk.type) {
    case "response.output_text.delta":
    case "response.refusal.delta":
      return contents.piece("message", names, delta)
    case "response.output_text.done":
    case "response.refusal.done":
      return contents.ended("message", names, text(chunk.text) || text(chunk.refusal), chunk)
    case "response.reasoning_summary_text.delta":
    case "response.reasoning_text.delta":
      return contents.piece("reasoning", names, delta)
    case "response.reasoning_summary_text.done":
    case "response.reasoning_text.done":
      return contents.ended("reasoning", names, text(chunk.text), chunk)
    case "response.reasoning_summary_part.added":
      return (indexOf(chunk.summary_index) ?? 0) > 0 ? contents.apart(names) : undefined
    case "response.function_call_arguments.delta":
      return contents.piece("function_call", names, delta)
    case "response.function_call_arguments.done":
      return contents.ended("function_call", names, argumentText(chunk.arguments), chunk)
    case "response.output_item.added":
      return contents.opened(chunk.item, names.index)
    case "response.output_item.done":
      return contents.whole(chunk.item, names.index)
    default:
      // Of a kind that is not known here; the model is at work all the same.
      growing.unseen(delta.length)
  }
}

/** `sent`: bytes of the request. */
export const openResponsesAnswer = (whose: Whose, sent?: number): Answer => {
  const growing = openGrowing(sent)
  const contents = openContents(growing)
  let reason: string | undefined
  let model: string | undefined
  const standing = (response: Fields) => {
    if (model === undefined && text(response.model) !== "") model = text(response.model)
    growing.count(response.usage)
    reason ??= reasonOf(response)
    if (reason !== undefined) contents.output(response.output)
  }
  const over = () => reason !== undefined
  return {
    chunk: (chunk) => {
      if (chunk.object === "response") standing(chunk)
      else if (isFields(chunk.response)) standing(chunk.response)
      else took(chunk, contents, growing)
    },
    take: growing.take,
    draft: () => {
      contents.conclude()
      const state = reasoningState(whose, contents.sealed())
      return { ...growing.so_far(), reason, usage: growing.usage(), model, ...(state === undefined ? {} : { state }) }
    },
    told: growing.told,
    length: growing.length,
    excess: growing.excess,
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
