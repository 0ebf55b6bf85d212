/**
 * The programs whose options are known well enough that a prefix of theirs may be granted (SECURITY P5, P8). Owns: that
 * list, and for programs with a wide surface the only options that do not ask. Does not own: what else is known of a
 * program (commandTables). Invariant: a program that is not here is granted word for word or not at all.
 */
import { exactOnly, isReadOnlyProgram, WRITERS } from "./commandTables.ts"

const set = (names: string): ReadonlySet<string> => new Set(names.split(/\s+/).filter((name) => name !== ""))

/** `patch` and `rename` follow a text that nobody has judged, the others make names that no word says. */
const FOLLOWING = set("patch rename split csplit")

const OTHERS =
  set(`git npm pnpm yarn cargo go pytest tsc jest vitest eslint prettier uniq xxd fd fdfind ptx shuf yq sleep
  printenv cal tput arch groups tty base64 base32 b2sum sha224sum sha384sum zcat egrep fgrep`)

export const isKnown = (name: string): boolean =>
  !FOLLOWING.has(name) && (isReadOnlyProgram(name) || WRITERS.has(name) || OTHERS.has(name))

/** Why none of these names of one program may have a prefix grant; undefined: it may. */
export const onlyExactly = (names: ReadonlyArray<string>): string | undefined => {
  const why = names.map(exactOnly).find((found) => found !== undefined)
  if (why !== undefined || names.some(isKnown)) return why
  const following = names.find((name) => FOLLOWING.has(name))
  if (following !== undefined) return `${following} writes files that no word names`
  return `${names[0] ?? "it"} is not known here, and may run whatever its words name`
}

interface Allowed {
  readonly short: string
  readonly long: ReadonlySet<string>
}

/** Options that run no code, write no named file and move no root. Everything else that begins with a dash asks. */
const ALLOWED: Readonly<Record<string, Allowed>> = {
  pytest: {
    short: "kqvxslmrnh",
    long: set(`quiet verbose exitfirst capture showlocals maxfail tb lf last-failed ff failed-first nf new-first sw stepwise
      collect-only co durations durations-min color version help markers fixtures strict-markers no-header no-summary
      numprocesses disable-warnings runxfail full-trace`)
  },
  tsc: {
    short: "vh",
    long: set(`noEmit pretty strict skipLibCheck version help listFiles listFilesOnly showConfig noErrorTruncation diagnostics
      extendedDiagnostics explainFiles traceResolution noUnusedLocals noUnusedParameters noImplicitAny`)
  },
  jest: {
    short: "tibhv",
    long: set(`testNamePattern testPathPattern runInBand bail ci verbose silent passWithNoTests onlyFailures onlyChanged
      listTests version help maxWorkers noCache no-cache detectOpenHandles forceExit testTimeout colors`)
  },
  vitest: {
    short: "tuhv",
    long: set(`testNamePattern run bail silent passWithNoTests version help changed retry testTimeout hookTimeout isolate
      allowOnly no-color fileParallelism no-file-parallelism maxWorkers minWorkers`)
  },
  eslint: {
    short: "hv",
    long: set("quiet max-warnings ext no-color color version help no-error-on-unmatched-pattern no-warn-ignored")
  },
  prettier: {
    short: "clhu",
    long: set("check list-different version help ignore-unknown no-color log-level")
  }
}

const isAllowed = (word: string, { short, long }: Allowed): boolean => {
  const name = /^--?([A-Za-z][\w-]*)(?:=|$)/s.exec(word)?.[1] ?? ""
  if (long.has(name) && (word.startsWith("--") || name.length > 1)) return true
  if (word.startsWith("--")) return false
  return (
    /^-[A-Za-z]+(?:=?\d+)?$/.test(word) && [...word.slice(1).replace(/=?\d+$/, "")].every((one) => short.includes(one))
  )
}

/** Words that are not on the program's list, a file of further words (`@args`) among them; undefined: it has none. */
export const notAllowed = (name: string, words: ReadonlyArray<string>): ReadonlyArray<string> | undefined => {
  const allowed = Object.hasOwn(ALLOWED, name) ? ALLOWED[name] : undefined
  if (allowed === undefined) return undefined
  const end = words.indexOf("--")
  return words.filter(
    (word, at) => word.startsWith("@") || ((end < 0 || at < end) && /^-./.test(word) && !isAllowed(word, allowed))
  )
}
