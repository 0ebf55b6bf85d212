/**
 * API tokens (issue 3, Identity; R241, R272). Owns: the contract, and when a token counts. Same drivers as the journal.
 * Invariants: a token is 256 random bits and exists in the clear only in the answer of `create`; what is stored is its
 * SHA-256, and it is compared in constant time; a revoked or expired token is never given by `find`.
 */
import { Context, type Effect, type Redacted, Schema } from "effect"
import { TokenId } from "../domain/Ids.ts"
import { Owner, Role } from "../domain/Principal.ts"
import type { StoreError } from "./StoreError.ts"

/** What is known of a token; nothing in it is secret. Times are RFC 3339. */
export const ApiToken = Schema.Struct({
  token_id: TokenId,
  name: Schema.String,
  ...Owner.fields,
  role: Role,
  created_at: Schema.String,
  expires_at: Schema.optionalKey(Schema.String),
  revoked_at: Schema.optionalKey(Schema.String),
  /** To the minute, and at most ten minutes behind. */
  last_used_at: Schema.optionalKey(Schema.String)
})
export type ApiToken = typeof ApiToken.Type

export interface NewToken {
  /** For people: what or whom it is for. */
  readonly name: string
  readonly owner: Owner
  readonly role: Role
  /** Milliseconds from now; absent: until it is revoked. */
  readonly lasts_ms?: number
}

export interface MadeToken {
  readonly token: ApiToken
  /** `claw_` and 43 characters. Shown once; nothing can bring it back. */
  readonly secret: Redacted.Redacted
}

/** Whether a token counts at `now` (epoch milliseconds). An expiry that is no time has passed. */
export const counts = (token: ApiToken, now: number): boolean =>
  token.revoked_at === undefined && (token.expires_at === undefined || Date.parse(token.expires_at) > now)

/** Whether a text is meant as an API token: anything else may be a JWT. */
export const looksLikeToken = (text: string): boolean => text.startsWith("claw_")

export class TokenStore extends Context.Service<
  TokenStore,
  {
    readonly create: (spec: NewToken) => Effect.Effect<MadeToken, StoreError>
    /** The token that this secret is, where it counts now. */
    readonly find: (secret: string) => Effect.Effect<ApiToken | undefined, StoreError>
    /** Newest first, with those that no longer count. */
    readonly list: Effect.Effect<ReadonlyArray<ApiToken>, StoreError>
    /** False where there is no such token. A second time changes nothing. */
    readonly revoke: (id: TokenId) => Effect.Effect<boolean, StoreError>
    /** Of these, the ones that count no more: revoked (by whatever process), expired or gone. */
    readonly ended: (ids: ReadonlyArray<TokenId>) => Effect.Effect<ReadonlyArray<TokenId>, StoreError>
    /** Remembers that it was used; writes at most every ten minutes. */
    readonly used: (id: TokenId) => Effect.Effect<void, StoreError>
  }
>()("claw/store/TokenStore") {}
