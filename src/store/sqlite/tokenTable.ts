/**
 * API tokens in SQLite. Owns: the rows of `api_tokens`. Invariant: a row that cannot be read as a token is no token:
 * it lets nobody in, and to whoever is in by it, it has ended.
 */
import { Clock, Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import type { TokenId } from "../../domain/Ids.ts"
import * as Rule from "../tokenRule.ts"
import { ApiToken, counts, type NewToken, TokenStore } from "../TokenStore.ts"
import type { Access } from "./access.ts"

type Row = { readonly [K in keyof ApiToken]: unknown } & { readonly digest: string }

const isToken = Schema.is(ApiToken)

const fromRow = ({ digest: _, ...row }: Row): ReadonlyArray<ApiToken> => {
  const token: unknown = Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null))
  return isToken(token) ? [token] : []
}

const byDigest = (sql: SqlClient.SqlClient, digest: string) =>
  sql<Row>`SELECT * FROM api_tokens WHERE digest = ${digest}`

const create = ({ sql, run }: Access) =>
  Effect.fnUntraced(function* (spec: NewToken) {
    const { token, secret, digest } = Rule.make(spec, yield* Clock.currentTimeMillis)
    yield* run("create a token", sql`INSERT INTO api_tokens ${sql.insert({ ...token, digest })}`)
    return { token, secret }
  })

const find = ({ sql, run }: Access) =>
  Effect.fnUntraced(function* (secret: string) {
    const digest = Rule.digestOfGiven(secret)
    if (digest === undefined) return undefined
    const now = yield* Clock.currentTimeMillis
    const rows = yield* run("find a token", byDigest(sql, digest))
    return rows
      .filter((row) => Rule.same(row.digest, digest))
      .flatMap(fromRow)
      .find((token) => counts(token, now))
  })

const revoke = ({ sql, run }: Access) =>
  Effect.fnUntraced(function* (id: TokenId) {
    const at = new Date(yield* Clock.currentTimeMillis).toISOString()
    const rows = yield* run(
      "revoke a token",
      sql`UPDATE api_tokens SET revoked_at = coalesce(revoked_at, ${at}) WHERE token_id = ${id} RETURNING token_id`
    )
    return rows.length > 0
  })

const ended = ({ sql, run }: Access) =>
  Effect.fnUntraced(function* (ids: ReadonlyArray<TokenId>) {
    const now = yield* Clock.currentTimeMillis
    const rows = yield* run(
      "look at tokens",
      sql<Row>`SELECT * FROM api_tokens WHERE token_id IN (SELECT value FROM json_each(${JSON.stringify(ids)}))`
    )
    const good = new Set(
      rows
        .flatMap(fromRow)
        .filter((token) => counts(token, now))
        .map((token) => token.token_id)
    )
    return ids.filter((id) => !good.has(id))
  })

const used = ({ sql, run }: Access) =>
  Effect.fnUntraced(function* (id: TokenId) {
    const now = yield* Clock.currentTimeMillis
    const due = new Date(now - Rule.COARSE_MS).toISOString()
    const [row] = yield* run(
      "look at a token",
      sql`SELECT 1 FROM api_tokens WHERE token_id = ${id} AND coalesce(last_used_at, '') < ${due}`
    )
    if (row === undefined) return
    yield* run(
      "remember a token's use",
      sql`UPDATE api_tokens SET last_used_at = ${Rule.isoMinute(now)} WHERE token_id = ${id}`
    )
  })

export const make = (access: Access) =>
  TokenStore.of({
    create: create(access),
    find: find(access),
    list: Effect.map(access.run("list tokens", access.sql<Row>`SELECT * FROM api_tokens`), (rows) =>
      rows.flatMap(fromRow).toSorted(Rule.newestFirst)
    ),
    revoke: revoke(access),
    ended: ended(access),
    used: used(access)
  })
