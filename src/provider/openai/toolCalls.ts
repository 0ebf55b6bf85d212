/**
 * Tool calls put together from the fragments of a stream (R101–R104, LESSONS 1–4). Owns: which call a fragment belongs
 * to, and what the finished calls are. Pure: a reducer and a finish. Does not own: running anything, repairing anything.
 * Invariant: the id decides, then the index, then the position; id and name are set once and never concatenated; no two
 * calls are ever merged by a repeated id; arguments that are not a JSON object are kept raw and never run.
 */
import type { CallId } from "../../domain/Ids.ts"
import type { ToolCall } from "../../domain/Message.ts"
import type { BadCall } from "../ModelPart.ts"
import { type Scan, advance, isObjectText, startScan } from "./objectScan.ts"

/** Calls of one answer; more is a server gone wrong, and costs quadratic time to tell apart. */
export const CALLS_LIMIT = 512
/** Arguments beyond this many characters are refused, and not kept. */
export const ARGUMENTS_LIMIT = 1024 * 1024
/** A tool's name is no longer than this; what follows is not looked at. */
const NAME_LIMIT = 256

interface Fragment {
  readonly index: number | undefined
  readonly id: string | undefined
  readonly name: string | undefined
  readonly args: string
}

/** One call so far. */
export interface Draft {
  readonly index: number | undefined
  readonly id: string | undefined
  readonly name: string | undefined
  /** All that came as a name, one behind the other; and what came last. */
  readonly joined: string
  readonly latest: string
  readonly args: string
  readonly scan: Scan
  readonly oversize: boolean
  /** The arguments may be another call's. */
  readonly doubtful: boolean
  /** The arguments on the assumption that every fragment comes twice; undefined once that is refuted. */
  readonly halved: { readonly args: string; readonly open: string | undefined } | undefined
}

export interface Assembly {
  readonly drafts: ReadonlyArray<Draft>
  /** Which draft the last fragment went to. */
  readonly last: number
  /** More calls came than an answer may have; the rest was not looked at. */
  readonly flooded: boolean
  /** A call's arguments are longer than they may be. */
  readonly oversize: boolean
  /** Characters of all the arguments that ever came, and one for each call: what does not add to it is no progress. */
  readonly size: number
}

export const nothing: Assembly = { drafts: [], last: -1, flooded: false, oversize: false, size: 0 }

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  value !== null && typeof value === "object" && !Array.isArray(value)

const text = (value: unknown): string | undefined => (typeof value === "string" && value !== "" ? value : undefined)

/** Some servers send the arguments as an object; an empty one says nothing (LESSONS 2). */
export const argumentText = (value: unknown): string => {
  if (typeof value === "string") return value
  if (value === null || typeof value !== "object" || Object.keys(value).length === 0) return ""
  return JSON.stringify(value)
}

/** Some servers write the number as a text; anything else is no index. */
export const indexOf = (value: unknown): number | undefined => {
  const index = typeof value === "string" && /^\d{1,9}$/.test(value) ? Number(value) : value
  return typeof index === "number" && Number.isInteger(index) && index >= 0 ? index : undefined
}

const fragmentOf = (value: unknown): Fragment | undefined => {
  if (!isRecord(value)) return undefined
  const fn = isRecord(value.function) ? value.function : {}
  const index = indexOf(value.index)
  const fragment = { index, id: text(value.id), name: text(fn.name), args: argumentText(fn.arguments) }
  return fragment.id === undefined && fragment.name === undefined && fragment.args === "" ? undefined : fragment
}

/** Whether `fragment` cannot continue `draft`: that one is whole already, and this begins something else. */
const opensAnother = (draft: Draft, fragment: Fragment): boolean =>
  fragment.name !== undefined &&
  fragment.args.trim() !== "" &&
  fragment.args !== draft.args &&
  draft.scan.end !== undefined &&
  isObjectText(draft.args) &&
  (fragment.id === undefined || isObjectText(fragment.args))

const lastWhere = (drafts: ReadonlyArray<Draft>, is: (draft: Draft) => boolean): number => drafts.findLastIndex(is)

/** Where the fragment goes; the number of drafts stands for a new call. */
const place = (
  { drafts, last }: Pick<Assembly, "drafts" | "last">,
  f: Fragment,
  position: number,
  count: number
): number => {
  const fresh = drafts.length
  const orFresh = (at: number): number => {
    const draft = drafts[at]
    return draft === undefined || opensAnother(draft, f) ? fresh : at
  }
  if (f.id !== undefined) {
    const same = (d: Draft) => d.id === f.id && (d.index === undefined || f.index === undefined || d.index === f.index)
    const known = lastWhere(drafts, same)
    if (known >= 0) return orFresh(known)
    // The id may come late, but only to a call that has none.
    const at = f.index === undefined ? last : lastWhere(drafts, (d) => d.index === f.index)
    const open = drafts[at]
    const late = open !== undefined && open.id === undefined && (f.index !== undefined || f.name === undefined)
    return late ? orFresh(at) : fresh
  }
  if (f.index !== undefined) {
    const known = lastWhere(drafts, (d) => d.index === f.index)
    if (known >= 0) return orFresh(known)
    return f.name === undefined ? orFresh(lastWhere(drafts, (d) => d.index === undefined)) : fresh
  }
  const at = count > 1 ? position : last
  const draft = drafts[at]
  const renamed = f.name !== undefined && draft?.name !== undefined && f.name !== draft.name
  return renamed ? fresh : orFresh(at)
}

const halve = (halved: Draft["halved"], args: string): Draft["halved"] => {
  if (halved === undefined || args === "") return halved
  if (halved.open === undefined) return { args: halved.args, open: args }
  return halved.open === args ? { args: halved.args + args, open: undefined } : undefined
}

const blank: Draft = {
  index: undefined,
  id: undefined,
  name: undefined,
  joined: "",
  latest: "",
  args: "",
  scan: startScan,
  oversize: false,
  doubtful: false,
  halved: { args: "", open: undefined }
}

const extend = (draft: Draft, f: Fragment): Draft => {
  const oversize = draft.oversize || draft.args.length + f.args.length > ARGUMENTS_LIMIT
  const args = oversize ? draft.args : draft.args + f.args
  return {
    index: draft.index ?? f.index,
    id: draft.id ?? f.id,
    name: draft.name ?? f.name,
    joined: f.name === undefined ? draft.joined : (draft.joined + f.name).slice(0, NAME_LIMIT),
    latest: f.name ?? draft.latest,
    args,
    scan: oversize ? draft.scan : advance(draft.scan, f.args),
    oversize,
    doubtful: draft.doubtful,
    halved: oversize ? undefined : halve(draft.halved, f.args)
  }
}

/** The assembly with `draft` at `at`, where it has `added` characters that it had not. */
const put = (assembly: Assembly, at: number, draft: Draft, added: number): Assembly => {
  const { drafts, flooded, oversize, size } = assembly
  const fresh = at >= drafts.length
  return {
    drafts: fresh ? [...drafts, draft] : drafts.with(at, draft),
    last: at,
    flooded,
    oversize: oversize || draft.oversize,
    size: size + added + (fresh ? 1 : 0)
  }
}

/** Folds the `tool_calls` of one delta in. Anything that is not a fragment says nothing. */
export const absorb = (assembly: Assembly, tool_calls: unknown): Assembly => {
  if (!Array.isArray(tool_calls)) return assembly
  let now = assembly
  tool_calls.forEach((value: unknown, position) => {
    const fragment = fragmentOf(value)
    if (fragment === undefined || now.flooded) return
    const at = place(now, fragment, position, tool_calls.length)
    now =
      at >= CALLS_LIMIT
        ? { ...now, flooded: true }
        : put(now, at, extend(now.drafts[at] ?? blank, fragment), fragment.args.length)
  })
  return now
}

/** What is known of a call whose place is known, too. */
export interface Change {
  readonly id?: string | undefined
  readonly name?: string | undefined
  /** More of the arguments. */
  readonly more?: string
  /** All of the arguments, whatever came of them before. */
  readonly whole?: string
  /** They may be another call's. */
  readonly doubtful?: boolean
}

/** Folds in what is said of the call at `at`, which is one of those there are, or the next. */
export const revise = (
  assembly: Assembly,
  at: number,
  { doubtful = false, id, name, more = "", whole }: Change
): Assembly => {
  if (at >= CALLS_LIMIT) return { ...assembly, flooded: true }
  const draft = assembly.drafts[at] ?? { ...blank, index: at }
  const bare: Draft = whole === undefined ? draft : { ...draft, args: "", scan: startScan, halved: blank.halved }
  const args = whole ?? more
  const added = Math.max(0, whole === undefined ? args.length : args.length - draft.args.length)
  return put(assembly, at, { ...extend(bare, { index: at, id, name, args }), id: id ?? draft.id, doubtful }, added)
}

/** A call whose arguments were cut: neither whole nor empty by intent. */
export const isCut = (assembly: Assembly): boolean => assembly.drafts.some((draft) => resolve(draft) === undefined)

/** `s` where the text is `s` two or more times over. */
const unrepeated = (args: string, end: number | undefined): string | undefined => {
  if (end === undefined || end >= args.length || args.length % end !== 0) return undefined
  const once = args.slice(0, end)
  return once.repeat(args.length / end) === args ? once : undefined
}

/** The text that counts: as it came if it parses, else without an exact whole repeat (LESSONS 3). */
const resolve = ({ args, scan, halved }: Draft): string | undefined => {
  const once = unrepeated(args, scan.end)
  const half = halved?.open === undefined ? halved?.args : undefined
  return [args, once, half].find((candidate) => candidate !== undefined && isObjectText(candidate))
}

/** A name comes whole, again and again, or in pieces: which it was is known by what was offered. */
const nameOf = ({ joined, latest, name = "unnamed" }: Draft, offered: Offered): string => {
  const meant = [name, joined, latest].find((one) => offered.has(one)) ?? name
  return meant.slice(0, NAME_LIMIT).toWellFormed()
}

const complaintOf = (draft: Draft): string | undefined => {
  if (draft.name === undefined) return "The call names no tool."
  if (draft.doubtful) return "The model server did not say which of several calls the arguments belong to."
  if (draft.oversize) return `The arguments are longer than ${ARGUMENTS_LIMIT} characters.`
  if (draft.args.trim() === "" || resolve(draft) !== undefined) return undefined
  try {
    JSON.parse(draft.args)
    return "The arguments must be a JSON object."
  } catch (error) {
    return `The arguments are not valid JSON: ${error instanceof Error ? error.message : String(error)}`
  }
}

/** The names of the tools that the model was offered, as they are on the wire. */
export type Offered = ReadonlySet<string>

export interface Finished {
  readonly calls: ReadonlyArray<ToolCall>
  readonly bad: ReadonlyArray<BadCall>
}

/** What an id may look like, so that every server takes it back. */
const USABLE_ID = /^[\x21-\x7e]{1,128}$/

/** The calls in the order they were opened; ids are unique in the answer, and in the session by the engine. */
export const finish = ({ drafts }: Assembly, newId: () => CallId, offered: Offered = new Set()): Finished => {
  const used = new Set<string>()
  const calls: Array<ToolCall> = []
  const bad: Array<BadCall> = []
  for (const draft of drafts) {
    if (draft.name === undefined && draft.args.trim() === "") continue
    const own = draft.id !== undefined && USABLE_ID.test(draft.id) && !used.has(draft.id)
    const call_id = own ? (draft.id as CallId) : newId()
    used.add(call_id)
    const complaint = complaintOf(draft)
    if (complaint !== undefined)
      bad.push({ call_id, raw: draft.args.toWellFormed(), complaint: complaint.toWellFormed() })
    const args = complaint === undefined ? (resolve(draft) ?? "{}") : "{}"
    calls.push({ call_id, tool_name: nameOf(draft, offered), arguments: args.toWellFormed() })
  }
  return { calls, bad }
}
