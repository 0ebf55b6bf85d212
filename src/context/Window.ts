/**
 * What of a conversation stays and what goes when a request would be too long (DESIGN §4, step 1; LESSONS 13, 14). Pure.
 * Owns: the room there is, the choice, and the sentence where nothing helps. Does not own: the summary (Compactor).
 * Invariants: whole items go, so that a call and its result are never apart; the prompt of the running task stays as it
 * is; what the model has not read yet stays as it is, unless it cannot fit by itself: then its longest results become
 * shorter, and the model is told; the same state and sizes give the same choice.
 */
import type { HistoryItem, SessionState } from "../domain/Session.ts"
import { shortResults } from "../domain/Shorten.ts"
import type { Parts } from "./Meter.ts"

export interface Room {
  /** Tokens that the model takes, the answer's included. */
  readonly window: number
  /** Of these, kept for the answer. */
  readonly reserve: number
  /** Percent of the rest at which there is less from then on. */
  readonly compact_at: number
}

/** An answer that needs more is rare. */
const ANSWER = 8_192

export interface Limits {
  readonly window: number
  /** Tokens that an answer may have. */
  readonly output: number
  readonly compact_at: number
}

/** The answer has its limit, though at most a quarter of a small window, and an eighth of a large one. */
export const roomOf = ({ window, output, compact_at }: Limits): Room => ({
  window,
  reserve: Math.min(output, Math.max(Math.floor(window / 8), Math.min(Math.floor(window / 4), ANSWER))),
  compact_at
})

export const usable = ({ window, reserve }: Room): number => Math.max(1, window - reserve)
export const threshold = (room: Room): number => Math.floor((usable(room) * room.compact_at) / 100)
/** Room for a summary: it is to stay a small part, and no book. */
export const summaryTokens = (room: Room): number => Math.round(Math.min(4_000, Math.max(250, usable(room) * 0.12)))

/** Parts of the usable room: what the newest items may keep, and what there shall be afterwards. */
const KEPT = 0.3
const AIM = 0.5
/** Characters that an older result may keep. */
export const LONG = 1_600

/** `up_to`: index of the first item that stays. */
export type Choice =
  | { readonly do: "shorten"; readonly up_to_seq: number; readonly chars: number }
  | { readonly do: "summarise"; readonly from: ReadonlyArray<HistoryItem>; readonly up_to_seq: number }
  | { readonly do: "nothing" }

export interface Given {
  readonly state: SessionState
  readonly room: Room
  /** Tokens of the whole request. */
  readonly total: number
  readonly sizeOf: (item: HistoryItem) => number
}

/** The first item that the model has not read: results of its newest answer, and what came behind it. */
export const unreadFrom = (history: ReadonlyArray<HistoryItem>): number => {
  const last = history.findLastIndex((item) => item.kind === "answer")
  const answer = history[last]
  return answer?.kind === "answer" && answer.calls.length > 0 ? last : last + 1
}

const isAsked = ({ task }: SessionState, item: HistoryItem): boolean =>
  item.kind === "prompt" && item.prompt_id === task?.prompt_id

/** Where the newest items begin that fit in `room`; what is unread is always among them. */
const tailFrom = (history: ReadonlyArray<HistoryItem>, room: number, sizeOf: Given["sizeOf"]): number => {
  let from = history.length
  for (let left = room; from > 0; from--) {
    const item = history[from - 1]
    left -= item === undefined ? 0 : sizeOf(item)
    if (left < 0) break
  }
  return Math.min(from, unreadFrom(history))
}

const seqOf = (history: ReadonlyArray<HistoryItem>, before: number): number => history[before - 1]?.seq ?? 0

/** What can become a summary; a summary alone, or the prompt itself, is nothing new. */
const goes = (state: SessionState, before: number): ReadonlyArray<HistoryItem> | undefined => {
  const old = state.history.slice(0, before).filter((item) => !isAsked(state, item))
  return old.some(({ kind }) => kind !== "summary") ? old : undefined
}

const saved = (items: ReadonlyArray<HistoryItem>, sizeOf: Given["sizeOf"]): number =>
  items.reduce((sum, item) => {
    const short = shortResults(item, LONG)
    return short === item ? sum : sum + Math.max(0, sizeOf(item) - sizeOf(short))
  }, 0)

const whole = (sum: number, item: HistoryItem, sizeOf: Given["sizeOf"]) => sum + sizeOf(item)

/** Long results of older turns first, which costs nothing but their middles; then older turns. */
export const choose = ({ state, room, total, sizeOf }: Given): Choice => {
  const { history } = state
  const aim = usable(room) * AIM
  const from = tailFrom(history, usable(room) * KEPT, sizeOf)
  const less = saved(history.slice(0, from), sizeOf)
  if (less > 0 && total - less <= aim) return { do: "shorten", up_to_seq: seqOf(history, from), chars: LONG }
  // Behind a tail that leaves too little: only what is unread stays.
  const unread = unreadFrom(history)
  const rest = total - history.slice(0, from).reduce((sum, item) => whole(sum, item, sizeOf), 0)
  const before = rest > aim ? unread : from
  const old = goes(state, before) ?? goes(state, unread)
  if (old === undefined) return { do: "nothing" }
  return { do: "summarise", from: old, up_to_seq: seqOf(history, goes(state, before) === undefined ? unread : before) }
}

/** Characters of an unread result below which nothing is left of it. */
const TELLING = 400

/** The most characters that each of the unread results may have, so that the request has `most` tokens. */
export const chooseUnread = ({ state, total, sizeOf }: Given, most: number): Choice => {
  const item = state.history[unreadFrom(state.history)]
  if (item?.kind !== "answer") return { do: "nothing" }
  const around = total - sizeOf(item)
  const fits = (chars: number) => around + sizeOf(shortResults(item, chars, true)) <= most
  if (!fits(TELLING)) return { do: "nothing" }
  let [chars, above] = [TELLING, Math.max(...item.calls.map(({ result }) => result?.result.length ?? 0))]
  while (above - chars > 100) {
    const middle = Math.floor((chars + above) / 2)
    if (fits(middle)) chars = middle
    else above = middle
  }
  return { do: "shorten", up_to_seq: item.seq, chars }
}

/** The whole conversation, as a person asked for it. */
export const chooseAll = (state: SessionState): Choice => {
  const old = goes(state, state.history.length)
  if (old === undefined || !old.some(({ kind }) => kind === "answer")) return { do: "nothing" }
  return { do: "summarise", from: old, up_to_seq: seqOf(state.history, state.history.length) }
}

/** What servers say of their limit when a request was too long for it. */
export const limitTold = (said: string): number | undefined => {
  const found =
    /(?:maximum context length(?: is| of)?|context (?:window|length|size)(?: is| of)?|max_model_len\W*|n_ctx\W*|limit of)\D{0,24}?(\d[\d,]{3,9})/i.exec(
      said
    )
  const tokens = Number(found?.[1]?.replaceAll(",", ""))
  return Number.isInteger(tokens) && tokens >= 1_000 ? tokens : undefined
}

const about = (tokens: number): string => (tokens < 10_000 ? `${tokens}` : `${Math.round(tokens / 1000)}k`)

/** What can be done about it; a summary where there is enough to be summarised. */
const ways = ({ state, sizeOf, total }: Given): string => {
  const all = chooseAll(state)
  const gone = all.do === "summarise" ? all.from.reduce((sum, item) => sum + sizeOf(item), 0) : 0
  const compact = gone > total / 10 ? "have the conversation summarised with /compact, " : ""
  return `Ask for less at once, ${compact}begin anew with /clear, or choose a model with a larger window.`
}

/** What takes the room, for a person, and what they can do; `said`: what the server refused it with. */
export const overflowText = (given: Given, parts: Parts, said?: string): string => {
  const { room, state, total, sizeOf } = given
  const unread = unreadFrom(state.history)
  const sizes = (items: ReadonlyArray<HistoryItem>) => items.reduce((sum, item) => whole(sum, item, sizeOf), 0)
  const asked = sizes(state.history.filter((item) => isAsked(state, item)))
  const newest = sizes(state.history.slice(unread).filter((item) => !isAsked(state, item)))
  const rest = Math.max(0, parts.history - asked - newest)
  const named = [
    ["the system prompt", parts.system],
    ["the tools", parts.tools],
    ["your prompt", asked],
    ["results that the model has not read", newest],
    ["the conversation before", rest]
  ] as const
  const list = named.flatMap(([name, tokens]) => (tokens > 0 ? [`${name} ${about(tokens)}`] : [])).join(", ")
  if (said !== undefined)
    return `${said} By claw's own count it is about ${about(total)} tokens: ${list}. ${ways(given)}`
  return (
    `The conversation does not fit the model's context window: about ${about(total)} tokens, where the model takes ${about(room.window)} and ` +
    `${about(room.reserve)} of them are for its answer. It is made of: ${list}. ${ways(given)}`
  )
}
