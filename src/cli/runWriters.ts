/**
 * What of an event `claw run` writes where, as text or as JSON lines. Owns: both forms.
 * Invariants: the text on standard output is the model's answer, whole, once, safe for a terminal, and ends with a line
 * break (R106), whether it was streamed, streamed in part or not at all.
 */
import { isNested, type SessionEvent } from "../domain/Event.ts"
import type { Locale } from "./Commands.ts"
import { describe } from "./Complaint.ts"
import { makeSanitiser, sanitise } from "./Sanitise.ts"
import { skippedLine } from "./restoreCommands.ts"
import { toolEnded, toolStarted } from "./toolNotes.ts"

export type Writer = (event: SessionEvent) => { readonly out?: string; readonly err?: string }

/** Facts and deltas, one a line. */
export const jsonWriter = (): Writer => (event) =>
  "seq" in event || "offset" in event ? { out: `${JSON.stringify(event)}\n` } : {}

/** The open answer: how much of it is written, and whether the line is open. */
const makeAnswer = () => {
  const sanitiser = makeSanitiser()
  let written = 0
  let open = false
  const write = (text: string): string => {
    if (text !== "") open = !text.endsWith("\n")
    return text
  }
  /** The part of a piece of the answer that is not written yet. */
  const add = (offset: number, content: string): string => {
    const fresh = content.slice(Math.max(0, written - offset))
    written = Math.max(written, offset + content.length)
    return write(sanitiser.push(fresh))
  }
  const close = (): string => {
    const rest = write(sanitiser.flush())
    const end = open ? "\n" : ""
    open = false
    written = 0
    return rest + end
  }
  return { add, close }
}

/** Text as it comes; a retry into a new stream says that it starts over. */
export const textWriter = (locale: Locale): Writer => {
  const answer = makeAnswer()
  return (event) => {
    if (isNested(event))
      return event.type === "tool_call" ? { err: `  ${toolStarted(event.tool_name, event.content)}\n` } : {}
    switch (event.type) {
      case "text_delta":
        return { out: answer.add(event.offset, event.content) }
      case "text_completed":
        return { out: answer.add(0, event.content) + answer.close() }
      case "stream_reset":
        if (event.model !== undefined)
          return {
            out: answer.close(),
            err: `claw: ${sanitise(describe.standsIn(event.model, event.reason, locale))}\n`
          }
        return { out: answer.close(), err: `${describe.retried(locale)}\n` }
      case "retrying":
        // The reset that follows says it.
        if (event.model !== undefined) return {}
        return { err: `${describe.waits(event.delay_ms, event.code, locale)}\n` }
      case "tool_call":
        return { err: `${toolStarted(event.tool_name, event.content)}\n` }
      case "tool_result":
        return { err: `${toolEnded(event, locale)}\n` }
      case "checkpoint_skipped":
        return { err: `${skippedLine(event.reason, locale)}\n` }
      default:
        return {}
    }
  }
}
