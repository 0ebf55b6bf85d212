/**
 * One program's files in the tables of what it runs (SECURITY P12). Owns: the shape of such a row. Pure. Does not own: the
 * rows (commandManifests). Invariant: an absent part makes no file count.
 */
import type { Language } from "./commandSources.ts"

export interface Manifest {
  readonly files: ReadonlyArray<string>
  /** Options whose value is such a file; attached, behind `=` or apart. */
  readonly option?: RegExp
  /** Its plain words are such files. */
  readonly words?: RegExp
  /** How the files pull in others, where their names do not tell. */
  readonly language?: Language
  /** Of paths below the working directory: each such file counts. */
  readonly below?: RegExp
  /** Of its commands, those that follow the files; absent: all of them. */
  readonly only?: ReadonlySet<string>
  /** Commands of which nobody can tell what they run. */
  readonly unnamed?: ReadonlySet<string>
  /** What belongs to it holds manifests of its own. */
  readonly members?: "npm" | "cargo"
  /** Of its commands, those that also follow these. */
  readonly locked?: { readonly commands: ReadonlySet<string>; readonly files: ReadonlyArray<string> }
}

export const list = (text: string): ReadonlyArray<string> => text.trim().split(/\s+/)
export const set = (text: string): ReadonlySet<string> => new Set(list(text))
export const files = (text: string): Manifest => ({ files: list(text) })
