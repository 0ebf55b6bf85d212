/**
 * The programs whose options are known well enough that a prefix of theirs may be granted (SECURITY P5, P8). Owns: that
 * list. Does not own: what else is known of a program (commandTables), its own commands (commandLevels). Invariant: a
 * program that is not here is granted word for word or not at all.
 */
import { exactOnly, isReadOnlyProgram, SHELL_STATE, WRITERS } from "./commandTables.ts"

const set = (names: string): ReadonlySet<string> => new Set(names.split(/\s+/).filter((name) => name !== ""))

/** `patch` and `rename` follow a text that nobody has judged, the others make names that no word says. */
const FOLLOWING = set("patch rename split csplit")

const OTHERS =
  set(`git npm pnpm yarn cargo go pytest ruff mypy black tsc jest vitest eslint prettier uniq xxd fd fdfind ptx shuf yq sleep
  printenv cal tput arch groups tty base64 base32 b2sum sha224sum sha384sum zcat egrep fgrep`)

export const isKnown = (name: string): boolean =>
  !FOLLOWING.has(name) && (isReadOnlyProgram(name) || WRITERS.has(name) || OTHERS.has(name))

/** Why none of these names of one program may have a prefix grant; undefined: it may. */
export const onlyExactly = (names: ReadonlyArray<string>): string | undefined => {
  const why = names.map(exactOnly).find((found) => found !== undefined)
  if (why !== undefined || names.some(isKnown)) return why
  if (names.some((name) => SHELL_STATE.has(name))) return "it changes the shell for what follows"
  const following = names.find((name) => FOLLOWING.has(name))
  if (following !== undefined) return `${following} writes files that no word names`
  return `${names[0] ?? "it"} is not known here, and may run whatever its words name`
}
