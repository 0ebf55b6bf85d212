/**
 * Bytes of a response → parts, and the one end (LESSONS 5–7). Owns: UTF-8 and event framing (one decoder per response),
 * JSON of each event, `[DONE]`, errors inside a 200, limits on size. Does not own: sockets, time.
 * Invariant: any cutting of the bytes gives the same parts up to merging of neighbours, and nothing follows the end.
 */
import { createParser } from "eventsource-parser"
import { fault } from "../../domain/FaultTexts.ts"
import type { CallId } from "../../domain/Ids.ts"
import type { Usage } from "../../domain/Usage.ts"
import type { Completed, ModelPart } from "../ModelPart.ts"
import { ProviderError, withUsage } from "../ProviderError.ts"
import { type Answer, type Fields, isFields } from "./answer.ts"
import { conclude } from "./conclusion.ts"

/** Characters of one event, and of a whole answer that is not a stream. */
const EVENT_LIMIT = 4 * 1024 * 1024
/** Characters of text, reasoning and arguments together, and of what is not shown. */
const ANSWER_LIMIT = 16 * 1024 * 1024

export interface DecoderOptions {
  /** An answer in the dialect that is spoken. */
  readonly open: () => Answer
  /** The error object of an event or a document that is none. */
  readonly errorIn: (chunk: Fields, event: string | undefined) => unknown
  readonly newId: () => CallId
  /** The names of the tools that the model was offered, as they are on the wire. */
  readonly offered?: ReadonlySet<string>
  /** What an error object of the server means. */
  readonly refusal: (error: unknown) => ProviderError
}

/** What one read gave. `heard`: it was progress: the answer has grown or come to its end, or has just begun. */
export interface Read {
  readonly parts: Array<ModelPart>
  readonly heard: boolean
  readonly failure: ProviderError | undefined
  readonly ended: boolean
}

export interface Decoder {
  readonly feed: (bytes: Uint8Array) => Read
  /** The body ended cleanly. */
  readonly end: () => Read
  /** A finish reason came: the answer is whole even if the connection breaks now. */
  readonly finished: () => boolean
  /** What the server counted so far. */
  readonly told: () => Usage | undefined
}

const CUT = fault("cut")
const NOTHING = fault("nothing")

const bad = (detail: string) => new ProviderError({ code: "provider_bad_stream", detail })
const tooMuch = (detail: string) => new ProviderError({ code: "provider_bad_stream", detail, excess: true })

const excessOf = (answer: Answer): ProviderError | undefined => {
  const excess = answer.length() > ANSWER_LIMIT ? fault("answer_too_large") : answer.excess()
  return excess === undefined ? undefined : tooMuch(excess)
}

interface Ending {
  completed: Completed | undefined
  failure: ProviderError | undefined
}

/** The parts of what has come, with the completion behind them where there is one. */
const readOf = (answer: Answer, ending: Ending, heard: boolean): Read => {
  const parts = answer.take(ending.completed !== undefined || ending.failure !== undefined)
  if (ending.completed !== undefined) parts.push(ending.completed)
  return {
    parts,
    heard,
    failure: ending.failure === undefined ? undefined : withUsage(ending.failure, answer.told()),
    ended: ending.completed !== undefined || ending.failure !== undefined
  }
}

const completing = (options: DecoderOptions, answer: Answer, ending: Ending) => {
  const parts = answer.take(true)
  const result = conclude(answer.draft(), options.newId, options.offered)
  if (result instanceof ProviderError) ending.failure = result
  else ending.completed = result
  return parts
}

/** `undefined`: not JSON. */
const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Whether the chunk was progress. One that adds nothing is a heartbeat; only the first says that an answer has begun. */
const absorbs = (answer: Answer, chunk: Fields): boolean => {
  const [length, finished] = [answer.length(), answer.finished()]
  answer.chunk(chunk)
  return answer.length() > length || answer.finished() !== finished
}

/** Server-sent events. */
export const openEventDecoder = (options: DecoderOptions): Decoder => {
  const answer = options.open()
  const ending: Ending = { completed: undefined, failure: undefined }
  const utf8 = new TextDecoder()
  let early: Array<ModelPart> = []
  let heard = false
  let ever = false
  let closing = false
  const over = () => ending.completed !== undefined || ending.failure !== undefined
  const done = () => void (early = completing(options, answer, ending))
  const parser = createParser({
    maxBufferSize: EVENT_LIMIT,
    onError: ({ type }) => {
      if (type === "max-buffer-size-exceeded") ending.failure ??= tooMuch(fault("event_too_large"))
    },
    onEvent: ({ data, event }) => {
      if (over() || data === "") return
      if (data.length <= 16 && data.trim() === "[DONE]") return done()
      const chunk = parsed(data)
      // At the end of the body a half event is a cut, not a mistake.
      if (chunk === undefined && !closing) ending.failure = bad(fault("no_json"))
      if (!isFields(chunk)) return
      const error = options.errorIn(chunk, event)
      if (error !== undefined) {
        ending.failure = options.refusal(error)
        return
      }
      const grown = absorbs(answer, chunk)
      heard ||= grown || !ever
      ever = true
      ending.failure = excessOf(answer)
      if (!over() && answer.over()) done()
    }
  })
  const read = (): Read => {
    const found = readOf(answer, ending, heard)
    if (early.length > 0) found.parts.unshift(...early)
    early = []
    heard = false
    return found
  }
  return {
    feed: (bytes) => {
      if (over()) return read()
      parser.feed(utf8.decode(bytes, { stream: true }))
      return read()
    },
    end: () => {
      closing = true
      if (!over()) parser.feed(`${utf8.decode()}\n\n`)
      if (!over() && answer.finished()) done()
      if (!over()) ending.failure = bad(ever ? CUT : NOTHING)
      return read()
    },
    finished: answer.finished,
    told: answer.told
  }
}

/** One JSON document: the answer to a request that did not stream, or a server that does not. */
export const openDocumentDecoder = (options: DecoderOptions): Decoder => {
  const answer = options.open()
  const ending: Ending = { completed: undefined, failure: undefined }
  const utf8 = new TextDecoder()
  let text = ""
  const document = (): Read => {
    text += utf8.decode()
    // Some proxies call a stream of events JSON.
    if (/^\s*(?:data|event|id|retry)?:/.test(text)) {
      const events = openEventDecoder(options)
      const first = events.feed(new TextEncoder().encode(text))
      if (first.ended) return first
      const rest = events.end()
      return { ...rest, parts: [...first.parts, ...rest.parts] }
    }
    const body = parsed(text)
    if (body === undefined) {
      ending.failure = bad(text.trim() === "" ? NOTHING : fault("cut_or_no_json"))
      return readOf(answer, ending, false)
    }
    const error = isFields(body) ? options.errorIn(body, undefined) : undefined
    if (error !== undefined) ending.failure = options.refusal(error)
    if (!isFields(body) || error !== undefined) {
      ending.failure ??= bad(fault("no_object"))
      return readOf(answer, ending, false)
    }
    answer.chunk(body)
    ending.failure = excessOf(answer)
    if (ending.failure !== undefined) return readOf(answer, ending, true)
    const parts = completing(options, answer, ending)
    const found = readOf(answer, ending, true)
    found.parts.unshift(...parts)
    return found
  }
  return {
    feed: (bytes) => {
      const piece = utf8.decode(bytes, { stream: true })
      text += piece
      if (text.length > EVENT_LIMIT) ending.failure = tooMuch(fault("answer_too_large"))
      // Blanks are a heartbeat.
      return { parts: [], heard: piece.trim() !== "", failure: ending.failure, ended: ending.failure !== undefined }
    },
    end: document,
    finished: () => false,
    told: answer.told
  }
}
