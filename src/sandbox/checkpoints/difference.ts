/** What steps did to the files, as one unified diff for people: bounded in size and in the time to compute. */
import { createTwoFilesPatch, FILE_HEADERS_ONLY } from "diff"
import { withReadableNames } from "../../domain/PatchNames.ts"
import type { Difference } from "../Checkpoints.ts"
import type { Blobs } from "./blobs.ts"
import { type Change, type Held, isExecutable, isLink, same, shown } from "./entry.ts"

const MAX_FILE_CHARS = 500_000
const MAX_CHARS = 200_000
const TIMEOUT_MS = 300

/** First before, last after, by path; what ended as it began is left out. */
export const composed = (steps: ReadonlyArray<ReadonlyArray<Change>>): ReadonlyArray<Change> => {
  const all = new Map<string, Change>()
  for (const change of steps.flat()) {
    const earlier = all.get(change.path)
    all.set(change.path, earlier === undefined ? change : { ...earlier, after: change.after })
  }
  return Array.from(all.values())
    .filter(({ before, after }) => !same(before, after))
    .toSorted((a, b) => (a.path < b.path ? -1 : 1))
}

const textOf = async (blobs: Blobs, held: Held): Promise<string | undefined> => {
  if (held === null) return ""
  const bytes = held === "unknown" ? undefined : await blobs.get(held.blob)
  return bytes === undefined || bytes.includes(0) ? undefined : bytes.toString("utf8")
}

const kindOf = (held: Held): string => {
  if (held === null || held === "unknown") return ""
  return isLink(held) ? "120000" : isExecutable(held) ? "100755" : "100644"
}

const head = ({ path, before, after }: Change): string => {
  const name = shown(path)
  const [old, fresh] = [kindOf(before), kindOf(after)]
  const modes =
    before === null
      ? [`new file mode ${fresh}`]
      : after === null
        ? [`deleted file mode ${old}`]
        : old === fresh
          ? []
          : [`old mode ${old}`, `new mode ${fresh}`]
  return [`diff a/${name} b/${name}`, ...modes, ""].join("\n")
}

const bodyOf = async (blobs: Blobs, change: Change): Promise<string> => {
  const [old, fresh] = [await textOf(blobs, change.before), await textOf(blobs, change.after)]
  const name = shown(change.path)
  if (old === undefined || fresh === undefined || old.length + fresh.length > MAX_FILE_CHARS)
    return `Binary or large file ${name} differs\n`
  if (old === fresh) return ""
  const options = { context: 3, timeout: TIMEOUT_MS, headerOptions: FILE_HEADERS_ONLY }
  const [from, to] = [
    change.before === null ? "/dev/null" : `a/${name}`,
    change.after === null ? "/dev/null" : `b/${name}`
  ]
  const diff = createTwoFilesPatch(from, to, old, fresh, undefined, undefined, options)
  return diff === undefined ? `File ${name} differs\n` : withReadableNames(diff, from, to)
}

export const difference = async (blobs: Blobs, changes: ReadonlyArray<Change>): Promise<Difference> => {
  let text = ""
  let hidden = 0
  for (const change of changes) {
    const part = hidden > 0 ? "" : head(change) + (await bodyOf(blobs, change))
    if (hidden > 0 || text.length + part.length > MAX_CHARS) hidden += 1
    else text += part
  }
  return { text: text.toWellFormed(), files: changes.length, hidden }
}
