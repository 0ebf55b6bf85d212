/**
 * By what a principal was recognised, and when that ends (attack W013). Owns: the tie between a principal and its
 * credential, and whoever waits for its end. Invariants: the tie is the very object that was given out, so a principal
 * that nobody here vouched for counts as ended; an end is noticed within `LOOK_MS`, whichever process caused it; a store
 * that cannot be asked ends nobody.
 */
import { Clock, Effect } from "effect"
import type { TokenId } from "../domain/Ids.ts"
import type { Principal } from "../domain/Principal.ts"
import type { TokenStore } from "../store/TokenStore.ts"

/** How often tokens of live connections are looked at. */
const LOOK_MS = 2_000

export interface Credential {
  /** The API token behind it. */
  readonly token_id?: TokenId
  /** Epoch milliseconds; `Infinity`: no end of its own. */
  readonly until: number
  /** What it was derived from: it ends with that. */
  readonly parent?: Credential
}

export type Credentials = ReturnType<typeof make>

/** The API tokens that it rests on. */
const tokensOf = ({ token_id, parent }: Credential): ReadonlyArray<TokenId> => [
  ...(token_id === undefined ? [] : [token_id]),
  ...(parent === undefined ? [] : tokensOf(parent))
]

type IsOver = (credential: Credential) => boolean

/** Whoever waits for the end of a credential. */
const makeWaiting = () => {
  const waiting = new Map<Credential, Set<() => void>>()
  return {
    tokens: (): ReadonlyArray<TokenId> => Array.from(new Set(Array.from(waiting.keys()).flatMap(tokensOf))),
    isEmpty: () => waiting.size === 0,
    wake: (isOver: IsOver): void => {
      for (const [credential, waiters] of waiting) {
        if (!isOver(credential)) continue
        waiting.delete(credential)
        for (const waiter of waiters) waiter()
      }
    },
    wait: (credential: Credential): Effect.Effect<void> =>
      Effect.callback((resume) => {
        const waiter = () => resume(Effect.void)
        const waiters = waiting.get(credential) ?? new Set()
        waiting.set(credential, waiters.add(waiter))
        return Effect.sync(() => {
          waiters.delete(waiter)
          if (waiters.size === 0 && waiting.get(credential) === waiters) waiting.delete(credential)
        })
      })
  }
}

export const make = (tokens: TokenStore["Service"]) => {
  const known = new WeakMap<Principal, Credential>()
  const closed = new WeakSet<Credential>()
  const waiting = makeWaiting()

  const isClosed = (credential: Credential): boolean =>
    closed.has(credential) || (credential.parent !== undefined && isClosed(credential.parent))

  /** What has ended by now, of these tokens and by the clock. */
  const look = Effect.fnUntraced(function* (ids: ReadonlyArray<TokenId>) {
    const ended = new Set(ids.length === 0 ? [] : yield* tokens.ended(ids))
    const now = yield* Clock.currentTimeMillis
    const isOver: IsOver = ({ token_id, until, parent }) =>
      until <= now || (token_id !== undefined && ended.has(token_id)) || (parent !== undefined && isOver(parent))
    return isOver
  })
  const lookAtAll = Effect.suspend(() =>
    waiting.isEmpty() ? Effect.void : Effect.map(look(waiting.tokens()), waiting.wake)
  )

  return {
    /** The principal to give out for this credential. */
    vouch: (principal: Principal, credential: Credential): Principal => {
      const own = { ...principal }
      known.set(own, credential)
      return own
    },
    of: (principal: Principal) => known.get(principal),
    /** Whether it counts now; asks the store where a token is behind it. */
    good: (credential: Credential) =>
      Effect.map(look(tokensOf(credential)), (isOver) => !isClosed(credential) && !isOver(credential)),
    /** Ends it now, with all that was derived from it. */
    close: (credential: Credential): void => {
      closed.add(credential)
      waiting.wake(isClosed)
    },
    /** Ends when the principal's credential does. */
    ended: (principal: Principal): Effect.Effect<void> =>
      Effect.suspend(() => {
        const credential = known.get(principal)
        return credential === undefined || isClosed(credential) ? Effect.void : waiting.wait(credential)
      }),
    /** Looks again and again; for the layer's own fiber. */
    watch: Effect.forever(
      Effect.andThen(
        Effect.sleep(LOOK_MS),
        Effect.catchTag(lookAtAll, "StoreError", (error) =>
          Effect.logWarning("tokens could not be looked at", { code: error.code })
        )
      )
    )
  }
}
