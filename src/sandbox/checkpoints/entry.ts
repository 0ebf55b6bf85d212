/**
 * What a path may hold, as far as a checkpoint knows: a regular file or a link with its content's name in the store,
 * nothing, or something that it does not keep. Pure. Paths are bytes, kept as latin1 text, relative, with `/`.
 */
import type { KeptFile } from "../../domain/Event.ts"

/** `mode`: type and permission bits. `blob`: SHA-1 of the content as git names it; of a link, where it points. */
export interface Entry {
  readonly mode: number
  readonly blob: string
}

/** `null`: nothing (or a directory, which holds paths of its own). `unknown`: there was something that is not kept. */
export type Held = Entry | null | "unknown"

export interface Change {
  readonly path: string
  readonly before: Held
  readonly after: Held
}

/** What one call did. `began`: milliseconds of the clock; directories that are older are not ours to remove. */
export interface StepRecord {
  readonly v: 1
  readonly began: number
  readonly changes: ReadonlyArray<Change>
}

export interface PlanItem {
  readonly path: string
  readonly from: Entry | null
  readonly to: Entry | null
}

export interface PlanRecord {
  readonly v: 1
  readonly since: number
  readonly made: number
  readonly items: ReadonlyArray<PlanItem>
  /** What is left alone, so that whoever carries the plan out can tell; absent in old plans. */
  readonly kept?: ReadonlyArray<KeptFile>
}

const TYPE = 0o170000
const LINK = 0o120000
const EXECUTABLE = 0o111

export const isLink = ({ mode }: Entry): boolean => (mode & TYPE) === LINK
export const isExecutable = ({ mode }: Entry): boolean => !isLink({ mode, blob: "" }) && (mode & EXECUTABLE) !== 0

/** As git sees it: content, kind, and whether it can be executed. */
export const same = (a: Held, b: Held): boolean => {
  if (a === "unknown" || b === "unknown") return false
  if (a === null || b === null) return a === b
  return a.blob === b.blob && isLink(a) === isLink(b) && isExecutable(a) === isExecutable(b)
}

/** Of a file that stays: its own permissions with the wanted executability. */
export const withExecutability = (mode: number, wanted: Entry): number =>
  isExecutable(wanted) ? mode | ((mode & 0o444) >> 2) : mode & ~EXECUTABLE

/** A path's bytes. */
export const bytesOf = (path: string): Buffer => Buffer.from(path, "latin1")

/** For people and models. */
export const shown = (path: string): string => bytesOf(path).toString("utf8")

export const pathOf = (text: string): string => Buffer.from(text, "utf8").toString("latin1")
