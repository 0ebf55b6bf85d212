/**
 * What every driver of the token store does alike: making a secret, its digest, comparing digests.
 * Invariant: comparing takes equal time wherever two digests differ, and a secret never leaves this file but redacted.
 */
import { createHash, randomBytes, timingSafeEqual } from "node:crypto"
import { Redacted } from "effect"
import { newTokenId } from "../domain/Ids.ts"
import { ownerOf } from "../domain/Principal.ts"
import type { ApiToken, NewToken } from "./TokenStore.ts"

const PREFIX = "claw_"
/** Longer than any secret of ours: not worth a digest. */
const LONGEST = 128
const MINUTE = 60_000
/** `last_used_at` may be this far behind. */
export const COARSE_MS = 10 * MINUTE

export const isoMinute = (now: number): string => new Date(now - (now % MINUTE)).toISOString()

export const digestOf = (secret: string): string => createHash("sha256").update(secret).digest("hex")

/** `undefined`: this can be no token of ours. */
export const digestOfGiven = (secret: string): string | undefined =>
  secret.startsWith(PREFIX) && secret.length <= LONGEST ? digestOf(secret) : undefined

/** For two digests of the same length. */
export const same = (a: string, b: string): boolean =>
  a.length === b.length && timingSafeEqual(Buffer.from(a, "latin1"), Buffer.from(b, "latin1"))

export const make = (
  { name, owner, role, lasts_ms }: NewToken,
  now: number
): { readonly token: ApiToken; readonly secret: Redacted.Redacted; readonly digest: string } => {
  const secret = PREFIX + randomBytes(32).toString("base64url")
  const token: ApiToken = {
    token_id: newTokenId(),
    name: name.toWellFormed(),
    ...ownerOf(owner),
    role,
    created_at: new Date(now).toISOString(),
    ...(lasts_ms === undefined ? {} : { expires_at: new Date(now + lasts_ms).toISOString() })
  }
  return { token, secret: Redacted.make(secret, { label: "API token" }), digest: digestOf(secret) }
}

/** Newest first; of the same instant by id, which is ordered by time too. */
export const newestFirst = (a: ApiToken, b: ApiToken): number => (a.token_id < b.token_id ? 1 : -1)
