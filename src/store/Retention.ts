/**
 * Which sessions are kept no longer (issue 5). Pure. Owns: the decision. Does not own: the removal.
 * Invariants: without a limit nothing goes; what is newer goes only for a limit of its own; a session that is held or
 * has a task without an end stays, and does not make another go in its place.
 */
import type { SessionKey } from "../domain/Principal.ts"

export interface Policy {
  /** 0: no limit, each of them. */
  readonly days: number
  readonly max_sessions: number
  readonly max_bytes: number
}

export interface Kept {
  readonly key: SessionKey
  /** RFC 3339. */
  readonly updated_at: string
  readonly bytes: number
  /** Somebody has it open, or its task can go on. */
  readonly busy: boolean
}

export interface Verdict<A extends Kept = Kept> {
  readonly session: A
  /** The limit that it is beyond. */
  readonly because: keyof Policy
}

const DAY_MS = 86_400_000

export const beyond = <A extends Kept>(
  sessions: ReadonlyArray<A>,
  { days, max_sessions, max_bytes }: Policy,
  now: number
): ReadonlyArray<Verdict<A>> => {
  const newest = sessions.toSorted((a, b) => (a.updated_at < b.updated_at ? 1 : a.updated_at > b.updated_at ? -1 : 0))
  const verdicts: Array<Verdict<A>> = []
  let [count, bytes] = [0, 0]
  for (const session of newest) {
    const age = now - Date.parse(session.updated_at)
    const old = days > 0 && age > days * DAY_MS
    const many = max_sessions > 0 && count >= max_sessions
    const large = max_bytes > 0 && bytes + session.bytes > max_bytes
    const because = old ? "days" : many ? "max_sessions" : large ? "max_bytes" : undefined
    if (because !== undefined && !session.busy) {
      verdicts.push({ session, because })
      continue
    }
    count += 1
    bytes += session.bytes
  }
  return verdicts
}
