/** How long sessions are kept. Owns: the section `retention`. Invariant: where nothing is said, nothing is removed. */
import { Schema } from "effect"
import { int } from "./schemaParts.ts"

export const retentionDefaults = { days: 0, max_sessions: 0, max_bytes: 0 } as const

export const Retention = Schema.Struct({
  days: int(0, 36_500, 0, "Days after its last use that a session is kept; 0: for ever."),
  max_sessions: int(0, 100_000_000, 0, "Sessions that are kept, the newest ones; 0: all."),
  max_bytes: int(
    0,
    Number.MAX_SAFE_INTEGER,
    0,
    "Bytes that the records of all sessions may take together; the oldest sessions go first. 0: no limit."
  )
})
