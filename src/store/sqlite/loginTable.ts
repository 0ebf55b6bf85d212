/**
 * Logins in SQLite. Owns: the rows of `logins` and `start_tokens`. Invariant: a row that cannot be read as a login lets
 * nobody in.
 */
import { Clock, Effect, Schema } from "effect"
import { KeptLogin, LoginStore, MOST_LOGINS } from "../LoginStore.ts"
import type { Access } from "./access.ts"

const read = Schema.decodeUnknownOption(Schema.fromJsonString(KeptLogin))

const keep = ({ sql, transact }: Access) =>
  Effect.fnUntraced(function* (digest: string, login: KeptLogin) {
    const now = yield* Clock.currentTimeMillis
    const row = { digest, until: login.until, payload: JSON.stringify(login) }
    yield* transact(
      "keep a login",
      Effect.gen(function* () {
        yield* sql`INSERT INTO logins ${sql.insert(row)}`
        yield* sql`DELETE FROM logins WHERE until <= ${now} OR digest IN (
          SELECT digest FROM logins ORDER BY until DESC LIMIT -1 OFFSET ${MOST_LOGINS})`
      })
    )
  })

const find = ({ sql, run }: Access) =>
  Effect.fnUntraced(function* (digest: string) {
    const now = yield* Clock.currentTimeMillis
    const rows = yield* run(
      "find a login",
      sql<{ readonly payload: string }>`SELECT payload FROM logins WHERE digest = ${digest} AND until > ${now}`
    )
    const login = read(rows[0]?.payload)
    return login._tag === "Some" && login.value.until > now ? login.value : undefined
  })

const started = ({ sql, transact }: Access) =>
  Effect.fnUntraced(function* (digest: string, since: number) {
    const made_at = yield* Clock.currentTimeMillis
    yield* transact(
      "keep a start",
      Effect.andThen(
        sql`DELETE FROM start_tokens WHERE made_at < ${since}`,
        sql`INSERT INTO start_tokens ${sql.insert({ digest, made_at, spent: 0 })}`
      )
    )
  })

const endStarts = ({ sql, transact }: Access) =>
  transact(
    "end starts",
    Effect.andThen(
      sql`DELETE FROM logins WHERE json_extract(payload, '$.start') = 1`,
      Effect.asVoid(sql`DELETE FROM start_tokens`)
    )
  )

const forgetAll = ({ sql, transact }: Access) =>
  transact("forget logins", Effect.andThen(sql`DELETE FROM logins`, Effect.asVoid(sql`DELETE FROM start_tokens`)))

export const make = (access: Access) => {
  const { sql, run } = access
  return LoginStore.of({
    keep: keep(access),
    find: find(access),
    forget: (digest) => Effect.asVoid(run("forget a login", sql`DELETE FROM logins WHERE digest = ${digest}`)),
    started: started(access),
    starts: Effect.map(
      run("look at starts", sql<{ readonly digest: string }>`SELECT digest FROM start_tokens ORDER BY made_at`),
      (rows) => rows.map(({ digest }) => digest)
    ),
    spend: (digest) =>
      Effect.map(
        run(
          "spend a start token",
          sql`UPDATE start_tokens SET spent = 1 WHERE digest = ${digest} AND spent = 0 RETURNING digest`
        ),
        (rows) => rows.length > 0
      ),
    endStarts: endStarts(access),
    forgetAll: forgetAll(access)
  })
}
