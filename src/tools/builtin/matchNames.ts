/**
 * Which files a glob pattern leaves. The matching runs in the thread of a search, with a deadline, since a pattern with many
 * stars has no bound of its own (SECURITY T13, LESSONS 33). Order is kept.
 */
import { Effect } from "effect"
import type { Glob } from "./pattern.ts"
import type { Walked } from "./walk.ts"
import { scan, type Scanned } from "./scan.ts"

export const MATCH_DEADLINE_MS = 10_000

export const matchNames = (
  root: string,
  base: string,
  walked: Walked,
  glob: Glob,
  deadlineMs = MATCH_DEADLINE_MS
): Effect.Effect<Walked & { readonly ending: Scanned["ending"] }> => {
  const files = [...walked.files, ...walked.leftFiles]
  const below = (path: string) => (base === "" ? path : path.slice(base.length + 1))
  const request = {
    root,
    files,
    names: files.map((path) => (glob.basename ? path.slice(path.lastIndexOf("/") + 1) : below(path))),
    source: glob.regex.source,
    flags: glob.regex.flags,
    mode: "names" as const,
    context: 0,
    limit: files.length + 1,
    maxFileBytes: 0,
    lineChars: 0
  }
  if (files.length === 0) return Effect.succeed({ ...walked, ending: "done" })
  return Effect.map(scan(request, deadlineMs), (found) => {
    const matched = new Set(found.files.map(({ path }) => path))
    const leftFiles = walked.leftFiles.filter((path) => matched.has(path))
    const left = walked.left - walked.leftFiles.length + leftFiles.length
    const shown = walked.files.filter((path) => matched.has(path))
    return { ...walked, files: shown, left, leftFiles, ending: found.ending }
  })
}
