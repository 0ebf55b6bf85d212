/**
 * Grants that outlive the runtime of their session: a server takes an idle session from memory and brings it back with
 * the next request, and what was granted for the session holds all the same (SETTLED 18). Owns: which store belongs to
 * which session. Does not own: how long a grant lasts. Invariants: a session that was deleted and made anew under the
 * same id has none of the old one's grants; what holds no grant in force is not kept.
 */
import { Effect, type Scope } from "effect"
import type { GrantStore } from "../approval/GrantStore.ts"
import { makeMemory } from "../approval/GrantStore.ts"
import { sessionKey } from "../domain/Principal.ts"
import type { SessionMeta } from "../store/SessionIndex.ts"

/** Kept stores that are looked through for expired grants at most. */
const SWEPT = 64

interface Kept {
  readonly store: GrantStore["Service"]
  readonly meta: SessionMeta
  users: number
}

const nameOf = ({ owner, session_id, created_at }: SessionMeta) => `${sessionKey(owner, session_id)} ${created_at}`

export interface KeptGrants {
  /** The session's store, for as long as the scope; the same one the next time, while a grant is in force. */
  readonly of: (meta: SessionMeta) => Effect.Effect<GrantStore["Service"], never, Scope.Scope>
  readonly size: () => number
}

export const make = (): KeptGrants => {
  const all = new Map<string, Kept>()

  const dropIfEmpty = (name: string, kept: Kept) =>
    Effect.map(
      Effect.orElseSucceed(kept.store.list(kept.meta.session_id), () => []),
      (grants) => void (kept.users === 0 && grants.length === 0 && all.delete(name))
    )
  /** The longest unused first: a store that is used moves to the end. */
  const sweep = Effect.suspend(() =>
    Effect.forEach(Array.from(all).slice(0, SWEPT), ([name, kept]) => dropIfEmpty(name, kept), { discard: true })
  )
  const use = (meta: SessionMeta): Kept => {
    const name = nameOf(meta)
    const kept = all.get(name) ?? { store: makeMemory(), meta, users: 0 }
    all.delete(name)
    all.set(name, kept)
    kept.users += 1
    return kept
  }
  return {
    of: (meta) =>
      Effect.acquireRelease(
        Effect.sync(() => use(meta)),
        (kept) => {
          kept.users -= 1
          return Effect.andThen(dropIfEmpty(nameOf(meta), kept), sweep)
        }
      ).pipe(Effect.map(({ store }) => store)),
    size: () => all.size
  }
}
