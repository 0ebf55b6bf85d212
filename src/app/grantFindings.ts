/**
 * What `claw doctor` says of the store's grants. Owns: that one finding. Invariant: looking changes nothing; where there
 * is no store yet, none is made.
 */
import { existsSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { GrantStore } from "../approval/GrantStore.ts"
import type { ConfigShape } from "../config/AppConfig.ts"
import type { GrantId } from "../domain/Ids.ts"
import { reading } from "./layers.ts"

const count = Effect.gen(function* () {
  const { everyone } = yield* GrantStore
  const damaged: Array<GrantId> = []
  let inForce = 0
  for (let page = yield* everyone.page(); ; page = yield* everyone.page({ after: page.next })) {
    inForce += page.grants.length
    damaged.push(...page.damaged)
    if (page.next === undefined) return { inForce, damaged }
  }
})

export const grantFindings = (config: ConfigShape) =>
  Effect.suspend(() => {
    if (!existsSync(join(config.state_dir, "claw.db"))) return Effect.succeed([])
    return Effect.match(Effect.provide(count, reading(config)), {
      onFailure: (error) => [{ name: "grants", status: "problem" as const, detail: error.message }],
      onSuccess: ({ inForce, damaged }) => [
        damaged.length === 0
          ? { name: "grants", status: "ok" as const, detail: `${inForce} in force` }
          : {
              name: "grants",
              status: "problem" as const,
              detail:
                `${damaged.length} cannot be read and grant nothing: ${damaged.join(", ").slice(0, 200)}. ` +
                "What they covered is asked about again."
            }
      ]
    })
  })
