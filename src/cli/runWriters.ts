/**
 * What of an event `claw run` writes where, as text or as JSON lines. Owns: both forms.
 * Invariants: the text on standard output is the model's answer, whole, once, safe for a terminal, and ends with a line
 * break (R106), whether it was streamed, streamed in part or not at all. Only a screen shows what was cut: a file or a
 * program gets an answer when it is whole.
 */
import { type Durable, isNested, type SessionEvent } from "../domain/Event.ts"
import { makeCallNotes } from "./callNotes.ts"
import type { Locale } from "./Commands.ts"
import { describe } from "./Complaint.ts"
import { makeSanitiser, sanitise } from "./Sanitise.ts"
import { skippedLine } from "./restoreCommands.ts"
import { texts } from "./texts.ts"
import { cutNote } from "./Transcript.ts"

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
  /** The line ends here, the answer does not. */
  const breakLine = (): string => {
    const end = open ? "\n" : ""
    open = false
    return end
  }
  const close = (): string => {
    const rest = write(sanitiser.flush())
    written = 0
    return rest + breakLine()
  }
  return { add, breakLine, close }
}
type Answer = ReturnType<typeof makeAnswer>

/** Notes on the screen on which text stands begin on a line of their own. */
const asLines =
  (answer: Answer, write: Writer): Writer =>
  (event) => {
    const { out = "", err = "" } = write(event)
    return { out: err === "" ? out : out + answer.breakLine(), err }
  }

/** A whole answer that its server ended before the model did. */
const shortened = (event: Durable<"text_completed">, locale: Locale): string => {
  const note = cutNote(event)
  return event.partial === true || note === undefined ? "" : `claw: ${texts[locale][note]}\n`
}

/** Of a reset answer: what comes next. */
const resetNote = (event: Durable<"stream_reset">, streams: boolean, locale: Locale): string => {
  if (event.model !== undefined) return `claw: ${sanitise(describe.standsIn(event.model, event.reason, locale))}\n`
  return streams ? `${describe.retried(locale)}\n` : ""
}

const noteOf = (event: SessionEvent, calls: (event: SessionEvent) => string, locale: Locale): string => {
  switch (event.type) {
    case "retrying":
      // Of another model the reset that follows says it.
      return event.model === undefined
        ? `${sanitise(describe.waits(event.delay_ms, event.code, locale, event.message))}\n`
        : ""
    case "hook_failed":
      return `claw: ${sanitise(describe.hookFailed(event.hook, event.reason, locale))}\n`
    case "checkpoint_skipped":
      return `${skippedLine(event.reason, locale)}\n`
    default:
      return calls(event)
  }
}

/** On a screen, text as it comes: a person sees that an attempt was cut and that the answer starts over. */
const streaming = (locale: Locale): Writer => {
  const [answer, calls] = [makeAnswer(), makeCallNotes(locale)]
  return asLines(answer, (event) => {
    if (isNested(event)) return { err: calls(event) }
    switch (event.type) {
      case "text_delta":
        return { out: answer.add(event.offset, event.content) }
      case "text_completed":
        return { out: answer.add(0, event.content) + answer.close(), err: shortened(event, locale) }
      case "stream_reset":
        return { out: answer.close(), err: resetNote(event, true, locale) }
      default:
        return { err: noteOf(event, calls, locale) }
    }
  })
}

/** What there is of an answer that never became whole: no answer, and not lost. */
const remainder = (content: string, locale: Locale): string =>
  content.trim() === "" ? "" : `${describe.unfinished(locale)}\n${sanitise(content).trimEnd()}\n`

/** For a file or a program: each whole answer once. A cut attempt is none, and its text is seen by nobody. */
const whole = (locale: Locale): Writer => {
  const calls = makeCallNotes(locale)
  return (event) => {
    if (isNested(event)) return { err: calls(event) }
    switch (event.type) {
      case "text_completed": {
        if (event.partial === true) return { err: remainder(event.content, locale) }
        const answer = makeAnswer()
        return { out: answer.add(0, event.content) + answer.close(), err: shortened(event, locale) }
      }
      case "stream_reset":
        return { err: resetNote(event, false, locale) }
      default:
        return { err: noteOf(event, calls, locale) }
    }
  }
}

/** `streams`: standard output is a screen. */
export const textWriter = (locale: Locale, streams: boolean): Writer => (streams ? streaming(locale) : whole(locale))
