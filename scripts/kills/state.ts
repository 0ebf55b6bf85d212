/** What rows say in a few words, and which crash point of RELIABILITY 3.3 a kill was. Pure. */
import { ENDS } from "./client.ts"
import type { Row, Store } from "./disk.ts"
import type { Pair } from "./job.ts"

const NOISE = new Set(["model_head", "model_request", "usage", "thinking", "checkpoint", "process_started"])

/** Of one call: how far it is. */
const progress = (rows: ReadonlyArray<Row>, call: unknown): string => {
  const own = rows.filter(({ body }) => body.call_id === call)
  const has = (type: string) => own.some((row) => row.type === type)
  if (has("tool_result")) return "result"
  const question = own.findLast(({ type, body }) => type === "approval_request" && body.kind === "recovery")
  const since = own.filter(({ pos }) => pos > (question?.pos ?? Infinity))
  if (question !== undefined && since.length === 0) return "in question"
  if (has("tool_started")) return "begun"
  const decided = own.findLast(({ type }) => type === "approval_resolved")
  if (decided !== undefined) return decided.body.decision === "deny" ? "denied" : "allowed"
  return has("approval_request") ? "asked" : "unchecked"
}

export interface Standing {
  /** `none`, `accepted`, `model asked`, `calls`, `answered`, `ended`. */
  readonly at: string
  readonly calls: ReadonlyArray<string>
  readonly canceling: boolean
}

export const standingOf = ({ rows }: Store): Standing => {
  const started = rows.findLast(({ type }) => type === "task_started")
  if (started === undefined) return { at: "none", calls: [], canceling: false }
  const own = rows.filter(({ pos }) => pos >= started.pos)
  const canceling = own.some(({ type }) => type === "cancel_requested")
  if (own.some(({ type }) => ENDS.has(type))) return { at: "ended", calls: [], canceling }
  const answer = own.findLast(({ type }) => type === "text_completed")
  const asked = own.findLast(({ type }) => type === "thinking" || type === "stream_reset")
  if (answer === undefined && asked === undefined) return { at: "accepted", calls: [], canceling }
  if (answer === undefined || (asked !== undefined && asked.pos > answer.pos))
    return { at: "model asked", calls: [], canceling }
  const calls = own.filter(({ type, pos }) => type === "tool_call" && pos > answer.pos)
  if (calls.length === 0) return { at: "answered", calls: [], canceling }
  return { at: "calls", calls: calls.map(({ body }) => progress(own, body.call_id)), canceling }
}

export const describe = (store: Store): string => {
  const { at, calls, canceling } = standingOf(store)
  const waiting = store.rows.filter(({ type }) => type === "prompt_queued").length
  const used = store.rows.filter(({ type }) => type === "prompt_steered").length
  return [
    at === "calls" ? `calls ${calls.join(", ")}` : at,
    ...(canceling && at !== "ended" ? ["cancelling"] : []),
    ...(waiting > used && at !== "none" ? [`${waiting - used} queued`] : [])
  ].join("; ")
}

/** What was stored behind the kill, up to the next end of a task. */
export const resumedTo = (then: Store, now: Store): string => {
  const after = now.rows.slice(then.rows.length).filter(({ type }) => !NOISE.has(type))
  const end = after.findIndex(({ type }) => ENDS.has(type))
  const own = standingOf(then).at === "ended" ? [] : after.slice(0, end + 1)
  const words = own.map(({ type, body }) => {
    if (type === "tool_result") return `result ${String(body.status)}`
    if (type === "tool_started") return `run ${String(body.attempt)}`
    if (type === "approval_resolved") return `${String(body.decision)} by ${String(body.via)}`
    if (type === "task_failed") return `failed ${String((body.error as { code: unknown }).code)}`
    return type.replace("task_", "").replace("text_completed", "answer").replace("approval_request", "ask")
  })
  return words.filter((word) => word !== "tool_call").join(", ") || "nothing to do"
}

const byName: ReadonlyArray<readonly [RegExp, string]> = [
  [/^(migration|backup|restore|compact|checkpoint|content|put back)/, "C20"],
  [/^(claim|release)/, "C21"],
  [/^recovery/, "C22"],
  [/^drain/, "C23"],
  [/^commit .*grant.* inside/, "C19"],
  [/^commit task_started.* (before|inside)/, "C1"],
  [/^commit task_started.* after/, "C2"],
  [/^model text/, "C4"],
  [/^commit .*text_completed.* (before|inside)|^model after/, "C5"],
  [/^commit approval_resolved.* (before|inside)/, "C8"],
  [/^(process released|process output)/, "C11"],
  [
    /^(process ended|process family|tool after|file renamed|file in place)|^commit .*tool_result.* (before|inside)/,
    "C12"
  ],
  [/^commit .*tool_result.* after/, "C13"],
  [/^commit .*task_(completed|canceled|failed) after/, "C17"]
]

const byStanding = ({ at, calls, canceling }: Standing): ReadonlyArray<string> => {
  const has = (state: string) => calls.includes(state)
  return [
    ...(at === "accepted" ? ["C3"] : []),
    ...(has("unchecked") ? ["C6"] : []),
    ...(has("asked") ? ["C7"] : []),
    ...(has("allowed") ? ["C9"] : []),
    ...(has("begun") || has("in question") ? ["C10"] : []),
    ...(has("result") && calls.some((state) => state !== "result") ? ["C14"] : []),
    ...(at === "calls" && calls.every((state) => state === "result") ? ["C15"] : []),
    ...(at === "answered" ? ["C16"] : []),
    ...(canceling && at !== "ended" ? ["C18"] : [])
  ]
}

/** The most telling first: what the point says, then what the disk says. */
export const casesOf = ({ name }: Pair, store: Store): ReadonlyArray<string> => {
  const named = byName.flatMap(([pattern, point]) => (pattern.test(name) ? [point] : []))
  return Array.from(new Set([...named, ...byStanding(standingOf(store))]))
}
