/**
 * Events as the text of one message. Invariant: an event that many connections send is made into text once; so is a
 * run of deltas that they all merged alike, for a stream's text is its first delta and a length.
 */
import type { Delta, LiveEvent, SessionEvent } from "../domain/Event.ts"
import type { ServerEvent } from "../protocol/ServerEvent.ts"

export const isDelta = (event: ServerEvent | SessionEvent): event is LiveEvent & Delta =>
  event.type === "text_delta" || event.type === "thinking_delta" || event.type === "tool_output_delta"

const texts = new WeakMap<object, string>()

export const textOf = (event: ServerEvent | SessionEvent): string => {
  const known = texts.get(event)
  if (known !== undefined) return known
  const text = JSON.stringify(event)
  texts.set(event, text)
  return text
}

const merged = new WeakMap<object, { readonly length: number; readonly text: string }>()

/** `first` with the text that followed it. */
export const mergedText = (first: LiveEvent & Delta, content: string): string => {
  const known = merged.get(first)
  if (known?.length === content.length) return known.text
  const text = JSON.stringify(content.length === first.content.length ? first : { ...first, content })
  merged.set(first, { length: content.length, text })
  return text
}
