/**
 * What `claw doctor` finds in the store, and mends with `--fix` (issue 5). Owns: how that reads. Does not own: the looking
 * and the mending (`store/sqlite/Repair`). Invariant: without `--fix` nothing of the store is changed.
 */
import { existsSync } from "node:fs"
import { join } from "node:path"
import { Clock, Effect, Result } from "effect"
import type { ConfigShape } from "../config/AppConfig.ts"
import { isAlive } from "../sandbox/ProcessIdentity.ts"
import { examine, repair, type StoreFinding } from "../store/sqlite/Repair.ts"
import type { Finding } from "./finding.ts"
import { storeFile } from "./layers.ts"

const HINT = "Mend it: claw doctor --fix"

/** What `--fix` can do nothing about is mended otherwise, and says how itself. */
const shown = ({ trouble, detail, fixed }: StoreFinding): Finding => {
  if (fixed !== undefined) return { name: "store", status: "ok", detail: `${detail} ${fixed}`, fixed }
  if (trouble === "pages") return { name: "store", status: "problem", detail }
  return {
    name: "store",
    status: trouble === "locks" || trouble === "log" ? "note" : "problem",
    detail: `${detail} ${HINT}`
  }
}

export const storeFindings = Effect.fnUntraced(function* (config: ConfigShape, fix: boolean) {
  const file = storeFile(config)
  if (!existsSync(file)) return []
  const stamp = new Date(yield* Clock.currentTimeMillis).toISOString().replaceAll(/[:.]/g, "-")
  const quarantine = join(config.state_dir, `quarantine-${stamp}.jsonl`)
  const looked = yield* Effect.result(fix ? repair(file, { isAlive, quarantine }) : examine(file, isAlive))
  if (Result.isFailure(looked)) {
    return [{ name: "store", status: "problem", detail: looked.failure.detail }] satisfies ReadonlyArray<Finding>
  }
  const findings: ReadonlyArray<Finding> = looked.success.map(shown)
  return findings.length > 0 ? findings : [{ name: "store", status: "ok", detail: file } satisfies Finding]
})
