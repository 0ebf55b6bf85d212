/**
 * Events as the text of one message. Invariant: an event that many connections send is made into text once; so is a
 * run of deltas that they all merged alike, for a stream's text is its first delta and a length.
 */
import type { Delta, LiveEvent, SessionEvent } from "../domain/Event.ts"
import type { ServerEvent } from "../protocol/ServerEvent.ts"

/** Beside the event's own fields: neither written out nor copied with them. A weak map costs ten times the writing. */
const cache = Symbol("text")
interface Cached {
  [cache]?: string
}

const remember = (event: object, text: string): string => {
  if (Object.isExtensible(event)) Object.defineProperty(event, cache, { value: text, enumerable: false })
  return text
}

export const textOf = (event: ServerEvent | SessionEvent): string =>
  (event as Cached)[cache] ?? remember(event, JSON.stringify(event))

let last: { readonly first: LiveEvent & Delta; readonly content: string; readonly text: string } | undefined

/**
 * `first` with the text that followed it. Only the last one is kept: whoever else sends it does so in the same turn.
 */
export const mergedText = (first: LiveEvent & Delta, content: string): string => {
  if (last?.first === first && last.content.length === content.length) return last.text
  const text = JSON.stringify(content.length === first.content.length ? first : { ...first, content })
  last = { first, content, text }
  return text
}
