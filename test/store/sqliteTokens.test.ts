/** Tokens on the disk: no secret there, and what another process does is seen (issue 3, Identity; SECURITY T6; W013). */
import { assert, it } from "@effect/vitest"
import { Context, Effect, Layer, Redacted } from "effect"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { localOwner } from "../../src/domain/Principal.ts"
import { layerSqlite } from "../../src/store/sqlite/SqliteStore.ts"
import { TokenStore } from "../../src/store/TokenStore.ts"
import { tempDirectory } from "../support/tempStore.ts"

const spec = { name: "laptop", owner: localOwner, role: "member" } as const

it.effect("keeps no secret, and no part of one, in any of its files", () =>
  Effect.gen(function* () {
    const file = join(yield* tempDirectory, "store.db")
    yield* Effect.gen(function* () {
      const tokens = yield* TokenStore
      const { secret } = yield* tokens.create(spec)
      const text = Redacted.value(secret)
      yield* tokens.find(text)
      const bytes = ["", "-wal", "-shm"].map((end) => readFileSync(file + end, "latin1")).join("\n")
      assert.include(bytes, "laptop")
      assert.notInclude(bytes, text.slice(5, 17))
      assert.notInclude(bytes, "claw_")
    }).pipe(Effect.provide(layerSqlite(file)))
  })
)

it.effect("sees what another process revokes or makes while both are open", () =>
  Effect.gen(function* () {
    const file = join(yield* tempDirectory, "store.db")
    const open = Effect.map(Layer.build(layerSqlite(file)), (context) => Context.get(context, TokenStore))
    const [server, command] = [yield* open, yield* open]
    const { token, secret } = yield* command.create(spec)
    assert.deepStrictEqual(yield* server.find(Redacted.value(secret)), token)
    assert.deepStrictEqual(yield* server.ended([token.token_id]), [])
    yield* command.revoke(token.token_id)
    assert.isUndefined(yield* server.find(Redacted.value(secret)))
    assert.deepStrictEqual(yield* server.ended([token.token_id]), [token.token_id])
  })
)

it.effect("lets nobody in by a row that was tampered with or that a newer claw wrote", () =>
  Effect.gen(function* () {
    const file = join(yield* tempDirectory, "store.db")
    yield* Effect.gen(function* () {
      const tokens = yield* TokenStore
      for (const change of ["role = 'emperor'", "tenant = 'a/b'", "expires_at = 'whenever'", "user = ''"]) {
        const { token, secret } = yield* tokens.create(spec)
        const db = new DatabaseSync(file)
        db.exec(`UPDATE api_tokens SET ${change} WHERE token_id = '${token.token_id}'`)
        db.close()
        assert.isUndefined(yield* tokens.find(Redacted.value(secret)), change)
        assert.deepStrictEqual(yield* tokens.ended([token.token_id]), [token.token_id], change)
      }
    }).pipe(Effect.provide(layerSqlite(file)))
  })
)
