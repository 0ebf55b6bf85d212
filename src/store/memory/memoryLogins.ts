/** Logins in memory. Owns: two maps; they go with their layer. */
import { Clock, Effect } from "effect"
import { type KeptLogin, LoginStore, MOST_LOGINS } from "../LoginStore.ts"

const withNow = <A>(f: (now: number) => A) => Effect.map(Clock.currentTimeMillis, f)

export const makeLogins = () => {
  const logins = new Map<string, KeptLogin>()
  const starts = new Map<string, { readonly made: number; spent: boolean }>()
  const trim = (now: number): void => {
    for (const [digest, { until }] of logins) if (until <= now) logins.delete(digest)
    const soonest = Array.from(logins).toSorted(([, a], [, b]) => a.until - b.until)
    for (const [digest] of soonest.slice(0, Math.max(0, logins.size - MOST_LOGINS))) logins.delete(digest)
  }
  return LoginStore.of({
    keep: (digest, login) =>
      withNow((now) => {
        logins.set(digest, login)
        trim(now)
      }),
    find: (digest) =>
      withNow((now) => {
        const login = logins.get(digest)
        return login !== undefined && login.until > now ? login : undefined
      }),
    forget: (digest) => Effect.sync(() => void logins.delete(digest)),
    started: (digest, since) =>
      withNow((made) => {
        for (const [old, start] of starts) if (start.made < since) starts.delete(old)
        starts.set(digest, { made, spent: false })
      }),
    starts: Effect.sync(() => Array.from(starts.keys())),
    spend: (digest) =>
      Effect.sync(() => {
        const start = starts.get(digest)
        if (start === undefined || start.spent) return false
        start.spent = true
        return true
      }),
    endStarts: Effect.sync(() => {
      for (const [digest, { start }] of logins) if (start === true) logins.delete(digest)
      starts.clear()
    }),
    forgetAll: Effect.sync(() => {
      logins.clear()
      starts.clear()
    })
  })
}
