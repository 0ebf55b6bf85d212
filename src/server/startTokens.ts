/**
 * What a start of the server prints, for whoever sits at the machine (SETTLED 21). Owns: making it, and how long those of
 * earlier starts count: whoever is attached by one goes on when the server comes back. Invariants: none is kept but as
 * its digest; they all stand for one credential, which is this process's.
 */
import { Clock, Effect } from "effect"
import type { LoginStore } from "../store/LoginStore.ts"
import type { Credential } from "./credentials.ts"
import { digestOf, matches, newSecret } from "./digest.ts"

const LIFE_MS = 7 * 86_400_000

export interface StartTokens {
  /** This start's. */
  readonly secret: string
  readonly digests: ReadonlyArray<string>
  readonly credential: Credential
}

export const make = Effect.fnUntraced(function* (logins: LoginStore["Service"]) {
  const secret = newSecret("claw_")
  yield* logins.started(digestOf(secret), (yield* Clock.currentTimeMillis) - LIFE_MS)
  const made: StartTokens = {
    secret,
    digests: yield* logins.starts,
    credential: { until: Number.POSITIVE_INFINITY }
  }
  return made
})

/** All are compared, so that the time says nothing. */
export const isOne = ({ digests }: StartTokens, token: string): boolean =>
  digests.filter((digest) => matches(token, digest)).length > 0
