/**
 * A reader that proves that it lost nothing: facts without a gap, each stream's text without a hole. Owns: the position
 * to resume at, and what was wrong. Pure but for its state.
 */
import type { Message } from "./client.ts"

export interface Follower {
  readonly take: (message: Message) => void
  readonly position: () => { readonly seq: number; readonly stream_id?: string; readonly offset?: number }
  readonly facts: () => number
  readonly characters: () => number
  /** Whether its task's end has come. */
  readonly ended: () => boolean
  /** What contradicts the promises; empty: gapless. */
  readonly faults: () => ReadonlyArray<string>
}

const ENDS: ReadonlySet<string> = new Set(["task_completed", "task_canceled", "task_failed"])

export const follower = (seq = 0): Follower => {
  let last = seq
  let facts = 0
  let stream: string | undefined
  let text = ""
  let characters = 0
  /** Since it asked for the rest nothing of the stream came: the fact at its end may bring all of it. */
  let asked = false
  let ended = false
  const faults: Array<string> = []
  const delta = ({ stream_id, offset = 0, content = "" }: Message): void => {
    if (stream_id !== stream) {
      stream = stream_id
      text = ""
    }
    if (offset > text.length) faults.push(`a hole of ${offset - text.length} in ${stream_id} at ${text.length}`)
    // What is sent again after a resume must be what was there before.
    const known = text.slice(offset, offset + content.length)
    if (!content.startsWith(known)) faults.push(`${stream_id} changed at ${offset}`)
    const more = content.slice(known.length)
    text += more
    characters += more.length
    asked = false
  }
  const fact = ({ type, seq: at = 0, stream_id, content }: Message): void => {
    if (at !== last + 1) faults.push(`fact ${at} after ${last}`)
    last = at
    facts++
    ended ||= ENDS.has(type)
    const whole = asked ? content?.startsWith(text) : content === text
    if (type === "text_completed" && stream_id === stream && whole !== true) {
      faults.push(`the whole text is not what its deltas gave: ${content?.length} and ${text.length}`)
    }
  }
  return {
    take: (message) => {
      if (message.seq !== undefined) fact(message)
      else if (message.type === "text_delta") delta(message)
    },
    position: () => {
      asked = true
      return { seq: last, ...(stream === undefined ? {} : { stream_id: stream, offset: text.length }) }
    },
    facts: () => facts,
    characters: () => characters,
    ended: () => ended,
    faults: () => faults
  }
}
