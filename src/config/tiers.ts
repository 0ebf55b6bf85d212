/**
 * Rules of several files as one policy. Owns: that they are added and never replaced, each with the tier it came from
 * (SECURITY P1, P13). Does not own: how rules are weighed; deny beats ask beats allow, whoever says so.
 */
import type { ConfigFile, Settings, Tier, TieredRule } from "./Settings.ts"

export interface Tiered {
  readonly tier: Tier
  readonly file: ConfigFile
  /** For a person. */
  readonly path: string
}

const actions = ["allow", "ask", "deny"] as const

/** A workspace may only make claw stricter: an `allow` of its own is none, also where nobody checked the file. */
const rulesOf = ({ tier, file, path }: Tiered, action: (typeof actions)[number]): ReadonlyArray<TieredRule> =>
  tier === "workspace" && action === "allow"
    ? []
    : (file.rules?.[action] ?? []).map((rule, at) => ({ ...rule, tier, where: path, key: `rules.${action}[${at}]` }))

export const allRules = (files: ReadonlyArray<Tiered>): Settings["rules"] => {
  const of = (action: (typeof actions)[number]) => files.flatMap((file) => rulesOf(file, action))
  return { allow: of("allow"), ask: of("ask"), deny: of("deny") }
}
