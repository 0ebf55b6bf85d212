/** How a call stands, from what is known of it. Pure. */
import type { CallItem } from "./items.ts"

/** Somebody has to decide about it. */
export const isPending = (call: CallItem): boolean =>
  call.request !== undefined && call.resolved === undefined && call.result === undefined

export type Phase = "asked" | "denied" | "ready" | "running" | "ended"

export const phaseOf = (call: CallItem): Phase => {
  if (call.result !== undefined) return "ended"
  if (isPending(call)) return "asked"
  if (call.resolved?.decision === "deny") return "denied"
  return call.started_at === undefined ? "ready" : "running"
}

export type Tone = "asked" | "running" | "good" | "bad" | "quiet"

export const toneOf = (call: CallItem): Tone => {
  const phase = phaseOf(call)
  if (phase === "asked") return "asked"
  if (phase === "running") return "running"
  if (phase !== "ended") return "quiet"
  if (call.result?.status === "ok" && !call.result.is_error) return "good"
  return call.result?.status === "cancelled" || call.result?.status === "denied" ? "quiet" : "bad"
}

/** A decision that whoever looks on did not make: somebody else's, or nobody's. */
export const isNews = ({ request, resolved }: CallItem, me: string | undefined): boolean => {
  if (request === undefined || resolved === undefined || resolved.via === "policy" || resolved.via === "grant")
    return false
  return resolved.via !== "user" || resolved.by !== me
}
