/** API tokens in memory. Owns: one map; it goes with its layer. Keeps digests only, as a disk would. */
import { Clock, Effect } from "effect"
import type { TokenId } from "../../domain/Ids.ts"
import * as Rule from "../tokenRule.ts"
import { type ApiToken, counts, TokenStore } from "../TokenStore.ts"

interface Kept {
  readonly digest: string
  token: ApiToken
}

const withNow = <A>(f: (now: number) => A) => Effect.map(Clock.currentTimeMillis, f)

export const makeTokens = () => {
  const tokens = new Map<TokenId, Kept>()
  const change = (id: TokenId, fields: (token: ApiToken) => Partial<ApiToken>): boolean => {
    const kept = tokens.get(id)
    if (kept !== undefined) kept.token = { ...kept.token, ...fields(kept.token) }
    return kept !== undefined
  }
  return TokenStore.of({
    create: (spec) =>
      withNow((now) => {
        const { token, secret, digest } = Rule.make(spec, now)
        tokens.set(token.token_id, { digest, token })
        return { token, secret }
      }),
    find: (secret) =>
      withNow((now) => {
        const digest = Rule.digestOfGiven(secret)
        if (digest === undefined) return undefined
        const kept = [...tokens.values()].find((each) => Rule.same(each.digest, digest))
        return kept !== undefined && counts(kept.token, now) ? kept.token : undefined
      }),
    list: Effect.sync(() => [...tokens.values()].map((kept) => kept.token).toSorted(Rule.newestFirst)),
    revoke: (id) => withNow((now) => change(id, ({ revoked_at = new Date(now).toISOString() }) => ({ revoked_at }))),
    ended: (ids) =>
      withNow((now) =>
        ids.filter((id) => {
          const kept = tokens.get(id)
          return kept === undefined || !counts(kept.token, now)
        })
      ),
    used: (id) =>
      withNow((now) => {
        change(id, ({ last_used_at }) =>
          last_used_at !== undefined && Date.parse(last_used_at) > now - Rule.COARSE_MS
            ? {}
            : { last_used_at: Rule.isoMinute(now) }
        )
      })
  })
}
