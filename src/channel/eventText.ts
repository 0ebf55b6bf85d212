/**
 * Events as the text of one message. Invariant: an event that many connections send is made into text once; so is a
 * run of deltas that they all merged alike, for a stream's text is its first delta and a length.
 */
import type { Delta, LiveEvent, SessionEvent } from "../domain/Event.ts"
import type { ServerEvent } from "../protocol/ServerEvent.ts"

/** Beside the event's own fields: neither written out nor copied with them. */
const cache = Symbol("text")
interface Cached {
  [cache]?: { readonly length: number; readonly text: string }
}

/** `length`: of the content it was made with; -1: the event as it is. A weak map costs ten times the writing itself. */
const remember = (event: object, length: number, text: string): string => {
  const value = { length, text }
  if (cache in event) (event as Cached)[cache] = value
  else if (Object.isExtensible(event)) Object.defineProperty(event, cache, { value, writable: true, enumerable: false })
  return text
}

const known = (event: object, length: number): string | undefined => {
  const found = (event as Cached)[cache]
  return found?.length === length ? found.text : undefined
}

export const textOf = (event: ServerEvent | SessionEvent): string =>
  known(event, -1) ?? remember(event, -1, JSON.stringify(event))

/** `first` with the text that followed it. */
export const mergedText = (first: LiveEvent & Delta, content: string): string =>
  known(first, content.length) ??
  remember(
    first,
    content.length,
    JSON.stringify(content.length === first.content.length ? first : { ...first, content })
  )
