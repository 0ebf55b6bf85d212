/**
 * What outlives a start of the server although nobody's token stands for it (SETTLED 21): browsers that signed in, and
 * the tokens that earlier starts printed. Owns: the contract. Same drivers as the journal. Invariants: of a secret only
 * its digest is kept; what has ended is never given; a start token is spent once, in whatever process.
 */
import { Context, type Effect, Schema } from "effect"
import { TokenId } from "../domain/Ids.ts"
import { Principal } from "../domain/Principal.ts"
import type { StoreError } from "./StoreError.ts"

export const KeptLogin = Schema.Struct({
  principal: Principal,
  /** Epoch milliseconds. */
  until: Schema.Int,
  /** The API token that it rests on. */
  token_id: Schema.optionalKey(TokenId),
  /** It rests on a start token, and counts only where these do. */
  start: Schema.optionalKey(Schema.Literal(true))
})
export type KeptLogin = typeof KeptLogin.Type

/** More browsers than that: those that end first go. */
export const MOST_LOGINS = 10_000

export class LoginStore extends Context.Service<
  LoginStore,
  {
    readonly keep: (digest: string, login: KeptLogin) => Effect.Effect<void, StoreError>
    readonly find: (digest: string) => Effect.Effect<KeptLogin | undefined, StoreError>
    readonly forget: (digest: string) => Effect.Effect<void, StoreError>
    /** A start token is made now; those made before `since` (epoch milliseconds) are forgotten. */
    readonly started: (digest: string, since: number) => Effect.Effect<void, StoreError>
    /** Digests of the start tokens that are kept, spent or not. */
    readonly starts: Effect.Effect<ReadonlyArray<string>, StoreError>
    /** True for the first who asks. */
    readonly spend: (digest: string) => Effect.Effect<boolean, StoreError>
    /** Start tokens and what rests on them: what is refused once stays refused. */
    readonly endStarts: Effect.Effect<void, StoreError>
    /** All of it. */
    readonly forgetAll: Effect.Effect<void, StoreError>
  }
>()("claw/store/LoginStore") {}
