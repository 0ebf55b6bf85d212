/** What a person sees of a change before it is made: a unified diff, bounded in size and in the time to compute. */
import { createTwoFilesPatch, FILE_HEADERS_ONLY } from "diff"
import type { Preview } from "../../domain/Approval.ts"
import { withReadableNames } from "../../domain/PatchNames.ts"

const MAX_INPUT_CHARS = 2_000_000
const MAX_DIFF_CHARS = 60_000
const TIMEOUT_MS = 300

const lines = (text: string): number => (text === "" ? 0 : text.split("\n").length - (text.endsWith("\n") ? 1 : 0))

const summary = (path: string, before: string, after: string): Preview => ({
  kind: "text",
  text: `${path}: the change is too large to be shown as a diff; ${lines(before)} lines become ${lines(after)}.`
})

/** `before` undefined: the file is new. */
export const diffPreview = (path: string, before: string | undefined, after: string): Preview => {
  const old = before ?? ""
  if (old.length + after.length > MAX_INPUT_CHARS) return summary(path, old, after)
  const from = before === undefined ? "/dev/null" : path
  const options = { context: 3, timeout: TIMEOUT_MS, headerOptions: FILE_HEADERS_ONLY }
  const diff = createTwoFilesPatch(from, path, old, after, undefined, undefined, options)
  if (diff === undefined || diff.length > MAX_DIFF_CHARS) return summary(path, old, after)
  return { kind: "diff", path, diff: withReadableNames(diff, from, path).toWellFormed() }
}
