/**
 * Code in another language than the shell's that stands in the line: `python -c …`, `awk '…'`, a here-document for node
 * (SECURITY P4). Owns: which words that is, and what of it nobody is ever asked about. What such code does nobody can say,
 * so that whatever a rule denies and its text names is a doubt: it asks, and is never allowed. Pure but for the paths.
 */
import { literals } from "./commandLiterals.ts"
import type { Paths } from "./commandPaths.ts"
import { refusalOf } from "./commandRefused.ts"
import { isInterpreter } from "./commandTables.ts"
import type { ShellWord } from "./commandWords.ts"

/** Of a word that is more than a name, a path or an option. */
const CODE = /[\s()'"`;!|<{]/

export interface Code {
  /** As it stands in the line. */
  readonly texts: ReadonlyArray<string>
  /** What of it would be refused as a command. */
  readonly refused?: string
}

const MAX_LITERALS = 200

const literalsIn = (text: string): ReadonlyArray<string> => literals(text, MAX_LITERALS).map(({ value }) => value)

/** `system('sudo id')` as text, `["sudo", "id"]` as words: what would be refused if it were run. */
const refusedIn = (text: string, paths: Paths): string | undefined => {
  const literals = literalsIn(text)
  for (const line of [...literals, literals.join(" ")].flatMap((one) => one.split(/[;&|\n]+/))) {
    const [program = "", ...args] = line.trim().split(/\s+/)
    if (program === "") continue
    paths.budget.spend()
    const why = refusalOf(program.split("/").at(-1) ?? "", args, paths)
    if (why !== undefined) return why
  }
  return undefined
}

/** The code of these texts; undefined: there is none. */
export const codeOf = (texts: ReadonlyArray<string>, paths: Paths): Code | undefined => {
  if (texts.length === 0) return undefined
  const refused = texts.map((text) => refusedIn(text, paths)).find((why) => why !== undefined)
  return { texts, ...(refused === undefined ? {} : { refused }) }
}

/** Words of a program that evaluates some of them. */
export const codeWords = (names: ReadonlyArray<string>, words: ReadonlyArray<ShellWord>): ReadonlyArray<string> =>
  names.some(isInterpreter)
    ? words
        .slice(1)
        .map((word) => word.value)
        .filter((value) => CODE.test(value))
    : []
