/**
 * From the claims of a verified JWT to a principal. Pure. Invariants: the issuer names nobody of the tenant that this
 * machine's own people have; a claim that is there and is not understood refuses the token, it is never replaced by a
 * default; two subjects never become one user.
 */
import { Result, Schema } from "effect"
import { localOwner, type Principal, Role, ScopeName } from "../domain/Principal.ts"
import { digestOf } from "./digest.ts"

/** Where the claims are; absent: under the usual name, and then it may be missing. */
export interface ClaimNames {
  readonly tenant: string | undefined
  readonly project: string | undefined
  readonly role: string | undefined
}

export type Claims = Readonly<Record<string, unknown>>
type Read<A> = Result.Result<A, string>

const isScopeName = Schema.is(ScopeName)
const isRole = Schema.is(Role)

const HASHED = "sub-"

/** OpenID Connect allows any printable ASCII; what cannot stand in a key of the store stands there as its digest. */
const userOf = (sub: unknown): Read<string> => {
  if (typeof sub !== "string" || !/^[\x20-\x7e]{1,255}$/.test(sub)) return Result.fail("claim sub is no subject")
  if (isScopeName(sub) && !sub.startsWith(HASHED)) return Result.succeed(sub)
  return Result.succeed(HASHED + digestOf(sub))
}

const claim = (claims: Claims, name: string): unknown => (Object.hasOwn(claims, name) ? claims[name] : undefined)

const named = (claims: Claims, name: string | undefined, usual: string): Read<string> => {
  const value = claim(claims, name ?? usual)
  if (value === undefined && name === undefined) return Result.succeed("default")
  return isScopeName(value) ? Result.succeed(value) : Result.fail(`claim ${name ?? usual} is no name`)
}

/** A word, or a list in which one word is a role of ours. */
const roleOf = (claims: Claims, name: string | undefined): Read<Role> => {
  const value = claim(claims, name ?? "role")
  if (value === undefined && name === undefined) return Result.succeed("member")
  const found = (Array.isArray(value) ? value : [value]).filter(isRole)
  const [role] = found
  return role !== undefined && found.length === 1
    ? Result.succeed(role)
    : Result.fail(`claim ${name ?? "role"} names ${found.length === 0 ? "no role" : "several roles"}`)
}

/** Who the claims say it is, or why they say nobody; the reason holds no value of a claim. */
export const principalOf = (claims: Claims, names: ClaimNames): Read<Principal> =>
  Result.gen(function* () {
    const user = yield* userOf(claims["sub"])
    const tenant = yield* named(claims, names.tenant, "tenant")
    const project = yield* named(claims, names.project, "project")
    const role = yield* roleOf(claims, names.role)
    if (tenant === localOwner.tenant) return yield* Result.fail("claim of the tenant names this machine's own")
    return { tenant, project, user, role, name: user }
  })
