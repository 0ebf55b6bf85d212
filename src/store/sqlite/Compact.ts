/**
 * Space that removed sessions left goes back to the file system (issue 5). Owns: the small steps of it.
 * Invariants: each step is a transaction of its own that holds the lock for a few milliseconds, and the next one waits,
 * so that a server on the same store is not kept from its own for more than 20 ms; a store of an older claw, which
 * cannot give back in steps, is made anew only where nobody else has it open.
 */
import type { Effect } from "effect"
import type { DatabaseSync } from "node:sqlite"
import * as Points from "../../observability/Points.ts"
import type { StoreError } from "../StoreError.ts"
import { pragma } from "./database.ts"
import { isAlone, withDatabase } from "./offline.ts"

/** The longest that a step should hold the lock, milliseconds; the next one takes fewer pages where one took longer. */
const STEP_MS = 8
const FIRST_PAGES = 64
/** Fewer would only pay the commit more often: moving a page costs microseconds. */
const LEAST_PAGES = 32
const MOST_PAGES = 512
/** Between two steps whoever waits for the lock has it. */
const PAUSE_MS = 10

export interface Compacted {
  readonly bytes_before: number
  readonly bytes_after: number
  /** Bytes in the file that hold nothing and were not given back. */
  readonly free: number
  readonly how: "steps" | "anew" | "in_use" | "nothing"
  /** The longest step, milliseconds. */
  readonly longest_ms: number
}

const number = (db: DatabaseSync, name: string) => Number(pragma(db, name))
const sizeOf = (db: DatabaseSync) => number(db, "page_count") * number(db, "page_size")
const freeOf = (db: DatabaseSync) => number(db, "freelist_count") * number(db, "page_size")

const pause = (ms: number) => new Promise<void>((resolve) => void setTimeout(resolve, ms))

/** Until nothing is free; what is freed meanwhile is taken, too. */
const inSteps = async (db: DatabaseSync): Promise<number> => {
  let pages = FIRST_PAGES
  let longest = 0
  for (let free = number(db, "freelist_count"); free > 0;) {
    const begun = performance.now()
    Points.reach("compact before")
    db.exec(`PRAGMA incremental_vacuum(${pages})`)
    Points.reach("compact after")
    const took = performance.now() - begun
    longest = Math.max(longest, took)
    pages = Math.max(LEAST_PAGES, Math.min(MOST_PAGES, Math.floor(took > STEP_MS ? pages / 2 : pages * 1.5)))
    const left = number(db, "freelist_count")
    if (left >= free) break
    free = left
    if (free > 0) await pause(PAUSE_MS)
  }
  // What no reader needs any more goes from the log into the file; waits for nobody.
  db.exec("PRAGMA wal_checkpoint(PASSIVE)")
  return longest
}

const anew = (db: DatabaseSync): "anew" | "in_use" => {
  if (!isAlone(db)) return "in_use"
  db.exec("PRAGMA auto_vacuum = INCREMENTAL; VACUUM; PRAGMA journal_mode = WAL")
  return "anew"
}

export const compact = (file: string): Effect.Effect<Compacted, StoreError> =>
  withDatabase("compact", file, async (db) => {
    const bytes_before = sizeOf(db)
    const steps = number(db, "auto_vacuum") === 2
    const idle = freeOf(db) === 0
    let longest_ms = 0
    if (!idle && steps) longest_ms = await inSteps(db)
    const how = idle ? "nothing" : steps ? "steps" : anew(db)
    return { bytes_before, bytes_after: sizeOf(db), free: freeOf(db), how, longest_ms }
  })
