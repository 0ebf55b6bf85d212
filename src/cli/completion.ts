/** What Tab offers: commands at the start of a line, paths elsewhere. Owns: the word it completes, and the answers. */
import { readdirSync } from "node:fs"
import { dirname, join } from "node:path"

export interface Completion {
  /** The text before the caret, completed as far as it is certain. */
  readonly text: string
  /** More than one: what it could be. */
  readonly choices: ReadonlyArray<string>
}

const MAX_CHOICES = 60

const commonPrefix = (words: ReadonlyArray<string>): string => {
  const [first = "", ...rest] = words
  let end = first.length
  for (const word of rest) while (!word.startsWith(first.slice(0, end))) end--
  return first.slice(0, end)
}

/** Names of `directory` that begin with `start`; folders end with a slash. */
const pathsIn = (workspace: string, word: string): ReadonlyArray<string> => {
  const folder = word.endsWith("/") ? word : dirname(word)
  const prefix = folder === "." && !word.startsWith("./") ? "" : folder.endsWith("/") ? folder : `${folder}/`
  try {
    return readdirSync(join(workspace, folder), { withFileTypes: true })
      .map((entry) => `${prefix}${entry.name}${entry.isDirectory() ? "/" : ""}`)
      .filter(
        (path) =>
          path.startsWith(word) &&
          (word.slice(prefix.length).startsWith(".") || !path.slice(prefix.length).startsWith("."))
      )
      .toSorted()
  } catch {
    return []
  }
}

const fitting = (words: ReadonlyArray<string>, start: string): ReadonlyArray<string> =>
  words.filter((word) => word.startsWith(start))

/** Completes the word before the caret; `undefined` where nothing fits. `grants`: ids, for `/revoke`. */
export const complete = (
  before: string,
  commands: ReadonlyArray<string>,
  workspace: string,
  grants: ReadonlyArray<string> = []
): Completion | undefined => {
  const command = /^\/\S*$/.test(before)
  const revoking = /^\/revoke\s+\S*$/i.test(before)
  const word = /\S*$/.exec(before)?.[0] ?? ""
  const at = word.startsWith("@") ? "@" : ""
  const found = command
    ? fitting(
        commands.map((name) => `/${name}`),
        word
      )
    : revoking
      ? fitting(grants, word)
      : word === "" || word.startsWith("/")
        ? []
        : pathsIn(workspace, word.slice(at.length)).map((path) => at + path)
  if (found.length === 0) return undefined
  const sure = commonPrefix(found)
  const only = found.length === 1 && !sure.endsWith("/") ? " " : ""
  return {
    text: before.slice(0, before.length - word.length) + sure + only,
    choices: found.length === 1 ? [] : found.slice(0, MAX_CHOICES)
  }
}
