/**
 * A session lived again from its journal alone (issue 5; R259, R324). Owns: what is rebuilt, and where it stops being
 * the same: each fact from the state before it, each request to the model from the folded history and the stored head,
 * and the state at the end once more from the facts as a client reads them.
 * Does not own: the network; nothing here can reach a model or run a tool.
 * Invariants: the first difference ends it and is told with its place and both values; a record that cannot be read is
 * a difference.
 */
import { createHash } from "node:crypto"
import { Effect } from "effect"
import { stringify } from "../domain/Canonical.ts"
import { type DurableBody, isPrivate, type ReportBody } from "../domain/Event.ts"
import { fold } from "../domain/Fold.ts"
import { makeView } from "../domain/History.ts"
import type { CallId } from "../domain/Ids.ts"
import type { SessionKey } from "../domain/Principal.ts"
import { initial, type SessionState } from "../domain/Session.ts"
import { headDigest, makeChain, type RequestHead } from "../engine/RequestDigest.ts"
import { Journal, type JournalRecord } from "../store/Journal.ts"
import { type Context, rebuild, rebuildNested } from "./rebuilt.ts"

export interface Difference {
  readonly pos: number
  readonly seq?: number
  /** The record's type; `state` where the end differs. */
  readonly type: string
  /** A sentence: what was compared. */
  readonly what: string
  /** UTF-8 bytes that are the same. */
  readonly byte: number
  readonly stored: string
  readonly rebuilt: string
}

export interface Replayed {
  readonly records: number
  readonly events: number
  /** Requests to the model that were rebuilt and are the same. */
  readonly requests: number
  /** Turns without a record of their request: made by an older claw, or ended before it was stored. */
  readonly unrecorded: number
  readonly difference: Difference | undefined
  readonly state: SessionState
  /** SHA-256 of the state as canonical JSON. */
  readonly state_digest: string
}

export interface ReplayOptions {
  /** The last `seq` that is looked at; absent: all. */
  readonly until?: number
  /** Told of each record that was rebuilt. */
  readonly each?: (record: JournalRecord) => void
}

const sameBytes = (one: string, other: string): number => {
  const [a, b] = [Buffer.from(one), Buffer.from(other)]
  const end = Math.min(a.length, b.length)
  let i = 0
  while (i < end && a[i] === b[i]) i++
  return i
}

const differs = (record: JournalRecord, what: string, stored: string, rebuilt: string): Difference => {
  const { pos, seq, body } = record
  const place = seq === undefined ? { pos } : { pos, seq }
  return { ...place, type: body.type, what, byte: sameBytes(stored, rebuilt), stored, rebuilt }
}

const plain = ({ keys, subagents, ...state }: SessionState): object => ({
  ...state,
  keys: [...keys],
  subagents: [...subagents].map(([id, one]) => [id, { ...one, state: plain(one.state) }])
})

const stateText = (state: SessionState): string => stringify(plain(state))

interface Requests {
  readonly head: RequestHead
  readonly digest: string
  readonly view: ReturnType<typeof makeView>
  readonly chain: ReturnType<typeof makeChain>
}

interface Walk {
  state: SessionState
  /** Folded from events as a client has them: out of text. */
  told: SessionState
  context: Context
  /** By the call of the subagent that asks; empty: the session's own. */
  readonly requests: Map<string, Requests>
  pos: number
  count: { events: number; requests: number; turns: number; recorded: Set<string> }
}

const begin = (): Walk => ({
  state: initial,
  told: initial,
  context: { usage: undefined },
  requests: new Map(),
  pos: 0,
  count: { events: 0, requests: 0, turns: 0, recorded: new Set() }
})

const newHead = (walk: Walk, record: JournalRecord, body: Extract<ReportBody, { type: "model_head" }>) => {
  const { type: _, digest, parent_call_id = "", ...head } = body
  const made = headDigest(head)
  if (made !== digest) return differs(record, "the digest of what requests begin with", digest, made)
  const system = { role: "system", content: head.system } as const
  walk.requests.set(parent_call_id, { head, digest, view: makeView(system), chain: makeChain(head) })
  return undefined
}

/** The session's, or its subagent's. */
const stateOf = (state: SessionState, parent: CallId | undefined): SessionState =>
  parent === undefined ? state : (state.subagents.get(parent)?.state ?? initial)

const request = (walk: Walk, record: JournalRecord, body: Extract<ReportBody, { type: "model_request" }>) => {
  const { count } = walk
  const requests = walk.requests.get(body.parent_call_id ?? "")
  if (body.head === undefined) return undefined
  if (requests?.digest !== body.head)
    return differs(record, "what requests begin with is stored before them", body.head, requests?.digest ?? "nothing")
  const rebuilt = requests.chain(requests.view(stateOf(walk.state, body.parent_call_id)).slice(1))
  count.recorded.add(`${body.task_id} ${body.turn} ${body.parent_call_id ?? ""}`)
  if (rebuilt !== body.digest) {
    const what = `the digest of the request of turn ${body.turn}, as the history makes it`
    return differs(record, what, body.digest, rebuilt)
  }
  count.requests += 1
  return undefined
}

const fact = (walk: Walk, record: JournalRecord, body: DurableBody) => {
  const { count, context, state } = walk
  const stored = stringify(body)
  const made = "parent_call_id" in body ? rebuildNested(state, body) : rebuild(state, body, context)
  if ("impossible" in made) return differs(record, `the event, where ${made.impossible}`, stored, "")
  const rebuilt = stringify(made.body)
  if (rebuilt !== stored) return differs(record, "the event, made of what came before it", stored, rebuilt)
  count.events += 1
  if (body.type === "thinking") count.turns += 1
  if (body.type === "text_completed" && body.parent_call_id === undefined) walk.context = { usage: body.usage }
  walk.state = fold(state, body)
  walk.told = fold(walk.told, JSON.parse(JSON.stringify(body)) as DurableBody)
  return undefined
}

const step = (walk: Walk, record: JournalRecord): Difference | undefined => {
  const { body, pos, seq } = record
  walk.pos += 1
  if (pos !== walk.pos) return differs(record, "its position", String(pos), String(walk.pos))
  if (isPrivate(body)) {
    if (body.type === "model_head") return newHead(walk, record, body)
    return body.type === "model_request" ? request(walk, record, body) : undefined
  }
  const next = walk.count.events + 1
  return seq === next ? fact(walk, record, body) : differs(record, "its number", String(seq), String(next))
}

const lost = (pos: number): Difference => ({
  pos,
  type: "record",
  what: "a record that can be read back",
  byte: 0,
  stored: "",
  rebuilt: ""
})

const conclude = (walk: Walk, found: Difference | undefined): Replayed => {
  const [once, again] = [stateText(walk.state), stateText(walk.told)]
  const { events, requests, turns, recorded } = walk.count
  const state = { pos: walk.pos, type: "state", what: "the state, folded twice" }
  const twice = once === again ? undefined : { ...state, byte: sameBytes(once, again), stored: once, rebuilt: again }
  return {
    records: walk.pos,
    events,
    requests,
    unrecorded: Math.max(0, turns - recorded.size),
    difference: found ?? twice,
    state: walk.state,
    state_digest: createHash("sha256").update(once).digest("hex")
  }
}

export const replay = Effect.fnUntraced(function* (key: SessionKey, { until, each }: ReplayOptions = {}) {
  const journal = yield* Journal
  const walk = begin()
  for (let more = true; more;) {
    const page = yield* journal.read(key, walk.pos)
    for (const record of page.records) {
      const gone = page.damaged.find((pos) => pos > walk.pos && pos < record.pos)
      if (gone !== undefined) return conclude(walk, lost(gone))
      if (until !== undefined && (record.seq ?? 0) > until) return conclude(walk, undefined)
      const found = step(walk, record)
      if (found !== undefined) return conclude(walk, found)
      each?.(record)
    }
    const gone = page.damaged.find((pos) => pos > walk.pos)
    if (gone !== undefined) return conclude(walk, lost(gone))
    more = page.more
  }
  return conclude(walk, undefined)
})
