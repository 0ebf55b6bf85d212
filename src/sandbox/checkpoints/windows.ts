/**
 * The calls that run, on disk, so that a process that dies leaves behind what it was looking at. Owns: those files, one
 * a call; the newest ended ones stay, since what they found may not be in the journal yet.
 */
import { createHash } from "node:crypto"
import { readdirSync, readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import * as Points from "../../observability/Points.ts"
import type { ChangingCall, Step } from "../Checkpoints.ts"
import type { Held } from "./entry.ts"
import { replaceText } from "./layout.ts"
import type { Base } from "./scan.ts"

type Call = Omit<ChangingCall, "touch">

/** What it is to be compared with. */
export type Looked =
  | { readonly kind: "paths"; readonly held: ReadonlyArray<readonly [path: string, held: Held]> }
  | { readonly kind: "anything"; readonly base: Base }

export interface Open extends Call {
  readonly v: 1
  readonly began: number
  readonly looked: Looked
}
export interface Ended extends Call {
  readonly v: 1
  readonly began: number
  readonly found: Step | null
}
export type Stored = Open | Ended

const KEPT = 32
const PREFIX = "call-"

const fileOf = (own: string, { task_id, call_id, began }: Stored): string => {
  const name = createHash("sha256").update(`${task_id}\n${call_id}`).digest("hex").slice(0, 16)
  return join(own, `${PREFIX}${String(began).padStart(15, "0")}-${name}`)
}

export const write = (own: string, window: Stored): void => {
  Points.reach("checkpoint before")
  replaceText(fileOf(own, window), JSON.stringify(window))
  Points.reach("checkpoint after")
}

const names = (own: string): ReadonlyArray<string> =>
  readdirSync(own)
    .filter((name) => name.startsWith(PREFIX) && !name.endsWith(".new"))
    .toSorted()

const readOne = (path: string): Stored | undefined => {
  try {
    const found = JSON.parse(readFileSync(path, "utf8")) as Partial<Stored>
    return found.v === 1 ? (found as Stored) : undefined
  } catch {
    return undefined
  }
}

/** Oldest first. */
export const all = (own: string): ReadonlyArray<Stored> => names(own).flatMap((name) => readOne(join(own, name)) ?? [])

const MODES = "modes.json"

/** Permissions that git does not keep. */
export const readModes = (own: string): Map<string, number> => {
  try {
    return new Map(JSON.parse(readFileSync(join(own, MODES), "utf8")) as ReadonlyArray<[string, number]>)
  } catch {
    return new Map()
  }
}

export const writeModes = (own: string, modes: ReadonlyMap<string, number>): void =>
  replaceText(join(own, MODES), JSON.stringify(Array.from(modes)))

/** Ended ones beyond the newest are done with. */
export const prune = (own: string): void => {
  for (const name of names(own).slice(0, -KEPT)) {
    const path = join(own, name)
    const found = readOne(path)
    if (found === undefined || "found" in found) rmSync(path, { force: true })
  }
}
