/**
 * What `npm run check` remembers from one time to the next, beside the packages: which files passed, and what was read
 * of each text. Owns: `node_modules/.cache/claw/check.json`. A fresh clone has none; one that cannot be read is none.
 */
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import type { Facts } from "../rooms/facts.ts"

export interface Memory {
  /** Path → the digest of all it depends on, when it passed. */
  readonly passed: Readonly<Record<string, string>>
  /** Digest of a path and its text → what was read of it. */
  readonly facts: Readonly<Record<string, Facts>>
}

const EMPTY: Memory = { passed: {}, facts: {} }

const place = (root: string): string => join(root, "node_modules/.cache/claw/check.json")

const isTable = (value: unknown): boolean => typeof value === "object" && value !== null && !Array.isArray(value)

/** `version` is of the code that reads: other code, other memory. */
export const recall = (root: string, version: string): Memory => {
  try {
    const { version: written, ...memory } = JSON.parse(readFileSync(place(root), "utf8")) as Memory & {
      readonly version: string
    }
    return written === version && isTable(memory.passed) && isTable(memory.facts) ? memory : EMPTY
  } catch {
    return EMPTY
  }
}

/** A check that cannot write its memory has checked all the same. */
export const remember = (root: string, version: string, memory: Memory): void => {
  const path = place(root)
  try {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(`${path}.${process.pid}`, JSON.stringify({ version, ...memory }))
    renameSync(`${path}.${process.pid}`, path)
  } catch {
    // The next one looks at everything.
  }
}
