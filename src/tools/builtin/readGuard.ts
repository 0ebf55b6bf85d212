/**
 * What a tool that walks over a folder may not take along (SECURITY P1, T2, T6): what a rule denies or asks about, and
 * what holds secrets. Owns: the shape, and how what was left out is told. Does not own: rules (approval), places (sandbox).
 */
import { secretFiles } from "../../sandbox/SecretFiles.ts"

export interface ReadGuard {
  /** A rule on paths denies this tool this path, or asks about it. `path`: absolute. */
  readonly ruled: (tool: string, path: string) => boolean
  readonly secret: (path: string) => boolean
}

/** Without rules, and without a home. */
export const unruled: ReadGuard = { ruled: () => false, secret: secretFiles([]).has }

/** A row of brackets under the result; none where nothing was left out. */
export const leftOutNote = (count: number): ReadonlyArray<string> =>
  count === 0
    ? []
    : [
        `${count} ${count === 1 ? "entry was" : "entries were"} left out: a rule denies or asks about ` +
          `${count === 1 ? "it, or it" : "them, or they"} may hold secrets`
      ]
