/** How a call stands, from what is known of it. Pure. */
import { type HookName, hookIn } from "../../domain/HookName.ts"
import type { CallItem } from "./items.ts"

/** Calls that somebody has to decide about: itself, and those of what runs inside it. */
export const asking = (call: CallItem): ReadonlyArray<CallItem> => {
  const own = call.request !== undefined && call.resolved === undefined && call.result === undefined ? [call] : []
  const inside = call.inside?.ended === undefined ? (call.inside?.items ?? []) : []
  return [...own, ...inside.flatMap((item) => (item.kind === "call" ? asking(item) : []))]
}

/** Somebody has to decide about it, or about what it does. */
export const isPending = (call: CallItem): boolean => asking(call).length > 0

/** What began in it goes on, also where the call has its result. */
const goesOn = ({ inside }: CallItem): boolean =>
  inside?.background === true && inside.ended === undefined && inside.items.length > 0

/** It ran, and may have changed something; or what runs inside it did. */
export const acted = (call: CallItem): boolean =>
  (call.started_at !== undefined && call.risk !== "safe" && call.inside === undefined) ||
  (call.inside?.items ?? []).some((item) => item.kind === "call" && acted(item))

export type Phase = "asked" | "denied" | "ready" | "running" | "ended"

export const phaseOf = (call: CallItem): Phase => {
  if (isPending(call)) return "asked"
  if (goesOn(call)) return "running"
  if (call.result !== undefined) return "ended"
  if (call.resolved?.decision === "deny") return "denied"
  return call.started_at === undefined ? "ready" : "running"
}

/** How long a call ran; unknown where its end was written for it by whoever cut it off. */
export const tookOf = ({ inside, result, started_at, ended_at }: CallItem): number | undefined => {
  if (result === undefined) return undefined
  if (inside?.background === true && inside.ended_at !== undefined) return inside.ended_at - inside.since
  if (result.duration_ms > 0 || (result.status !== "cancelled" && result.status !== "uncertain"))
    return result.duration_ms
  // What was cut off by a stop ran until then; when a program that was killed had ended, nobody knows.
  if (result.status === "uncertain" || started_at === undefined || ended_at === undefined) return undefined
  return Math.max(0, ended_at - started_at)
}

export type Tone = "asked" | "running" | "good" | "bad" | "quiet"

export const toneOf = (call: CallItem): Tone => {
  const phase = phaseOf(call)
  if (phase === "asked") return "asked"
  if (phase === "running") return "running"
  if (phase !== "ended") return "quiet"
  if (call.inside?.ended?.status === "failed") return "bad"
  if (call.result?.status === "ok" && !call.result.is_error) return "good"
  return call.result?.status === "cancelled" || call.result?.status === "denied" ? "quiet" : "bad"
}

/** The hook that refused it, and what it says. */
export const refusedBy = ({ resolved }: CallItem): (HookName & { readonly why: string }) | undefined => {
  const hook = resolved?.via === "policy" && resolved.decision === "deny" ? hookIn(resolved.rule ?? "") : undefined
  if (hook === undefined) return undefined
  const said = hookIn(resolved?.reason ?? "")?.rest ?? resolved?.reason ?? ""
  return { ...hook, why: said.replace(/^:?\s*/, "") }
}

/** A decision that whoever looks on did not make: somebody else's, their own elsewhere, a hook's, or nobody's. */
export const isNews = (call: CallItem, me: string | undefined, elsewhere = false): boolean => {
  const { request, resolved } = call
  if (elsewhere || refusedBy(call) !== undefined) return true
  if (request === undefined || resolved === undefined || resolved.via === "policy" || resolved.via === "grant")
    return false
  return resolved.via !== "user" || resolved.by !== me
}
