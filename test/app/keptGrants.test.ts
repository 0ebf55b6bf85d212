/** What was granted for a session holds while its runtime comes and goes, and not a moment longer (SETTLED 18, R156). */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import * as KeptGrants from "../../src/app/keptGrants.ts"
import type { SessionId } from "../../src/domain/Ids.ts"
import { localOwner } from "../../src/domain/Principal.ts"
import type { SessionMeta } from "../../src/store/SessionIndex.ts"
import { makeGrant } from "../support/approvalCorpus.ts"

const meta = (created_at: string, user = "local"): SessionMeta => ({
  owner: { ...localOwner, user },
  session_id: "s" as SessionId,
  workspace: "/",
  title: "",
  created_at,
  updated_at: created_at
})

const first = meta("2026-01-01T00:00:00.000Z")
const until = (ms: number) => ({ expires_at: new Date(ms).toISOString() })

const granted = (kept: KeptGrants.KeptGrants, of: SessionMeta) =>
  Effect.scoped(Effect.flatMap(kept.of(of), (store) => Effect.map(store.list(of.session_id), (all) => all.length)))

it.effect("a grant is there when the session comes back, not in another one, and gone when it has expired", () =>
  Effect.gen(function* () {
    const kept = KeptGrants.make()
    yield* Effect.scoped(
      Effect.flatMap(kept.of(first), (store) =>
        store.save(first.session_id, { ...makeGrant("/", "exact", ["npm", "test"]), ...until(60_000) })
      )
    )
    assert.strictEqual(yield* granted(kept, first), 1)
    assert.strictEqual(yield* granted(kept, meta("2026-01-02T00:00:00.000Z")), 0)
    assert.strictEqual(yield* granted(kept, meta(first.created_at, "ann")), 0)
    assert.strictEqual(kept.size(), 1)
    yield* TestClock.adjust(60_001)
    assert.strictEqual(yield* granted(kept, meta("2026-01-03T00:00:00.000Z")), 0)
    assert.strictEqual(kept.size(), 0)
  })
)
