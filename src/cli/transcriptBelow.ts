/**
 * What of a subagent's facts a transcript shows. Pure. Owns: its last calls and words, and who works in the background.
 * Does not own: how they look (transcriptLines). Invariant: a call and its end are one entry.
 */
import type { Durable, SessionEvent } from "../domain/Event.ts"

/** What a subagent did: a call with its end, or its words. */
export interface Inner {
  readonly call_id?: string
  readonly tool_name: string
  /** Arguments, or words. */
  readonly content: string
  readonly result?: Durable<"tool_result">
  /** What a subagent that this call began did. */
  readonly inner?: ReadonlyArray<Inner>
}

/** It goes on though its call has ended. */
export interface InBackground {
  readonly call_id: string
  readonly title: string
  readonly since: number
  readonly inner: ReadonlyArray<Inner>
}

// Of words, enough for the line that is shown.
const WORDS = 400

// Enough for the lines that are shown of a subagent.
const INNER = 12

export const innerAfter = (inner: ReadonlyArray<Inner>, event: SessionEvent): ReadonlyArray<Inner> => {
  switch (event.type) {
    case "tool_call": {
      const { call_id, content, tool_name } = event
      return [...inner.slice(1 - INNER), { call_id, tool_name, content }]
    }
    case "tool_result":
      return inner.map((one) => (one.call_id === event.call_id ? { ...one, result: event } : one))
    case "text_completed":
      return event.content.trim() === ""
        ? inner
        : [...inner.slice(1 - INNER), { tool_name: "", content: event.content.slice(0, WORDS) }]
    default:
      return inner
  }
}

const isBelow = (inner: ReadonlyArray<Inner>, parent: string): boolean =>
  inner.some((one) => one.call_id === parent || isBelow(one.inner ?? [], parent))

/** Whether what the call `parent` does is shown below the call `root`: it is that one, or was begun below it. */
export const isWithin = (root: string, inner: ReadonlyArray<Inner>, parent: string): boolean =>
  root === parent || isBelow(inner, parent)

/** The same below `root`, however deep the call `parent` stands there. */
export const innerWithin = (
  root: string,
  inner: ReadonlyArray<Inner>,
  parent: string,
  event: SessionEvent
): ReadonlyArray<Inner> => {
  if (root === parent) return innerAfter(inner, event)
  return inner.map((one) => {
    if (one.call_id === undefined || !isWithin(one.call_id, one.inner ?? [], parent)) return one
    return { ...one, inner: innerWithin(one.call_id, one.inner ?? [], parent, event) }
  })
}

export const inBackground = (
  before: ReadonlyArray<InBackground>,
  parent: string,
  event: SessionEvent
): ReadonlyArray<InBackground> => {
  if (event.type === "subagent_started" && event.background === true) {
    return [...before, { call_id: parent, title: event.title, since: Date.parse(event.ts), inner: [] }]
  }
  if (event.type === "subagent_ended") return before.filter(({ call_id }) => call_id !== parent)
  return before.map((one) => ({ ...one, inner: innerWithin(one.call_id, one.inner, parent, event) }))
}
