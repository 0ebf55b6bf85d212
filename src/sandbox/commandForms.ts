/**
 * Tests that are called through an interpreter: `node --test`, `python3 -m pytest` (SECURITY P5). Owns: the forms whose first
 * words may be granted as those of a test runner may, with the options that pass. Pure. Invariant: whatever is not on the
 * list makes it an interpreter again, which is granted word for word.
 */
import { ALLOWED, type Allowed, refusedBy } from "./commandAllowed.ts"
import { noTests } from "./commandHanded.ts"
import { plainName } from "./commandTables.ts"

const set = (names: string): ReadonlySet<string> => new Set(names.split(" "))

export const NODE_TEST: Allowed = {
  short: "",
  long: set("test-name-pattern test-skip-pattern test-only test-concurrency test-timeout test-force-exit no-warnings"),
  also: /^--test-reporter(?:=| )(?:spec|tap|dot|junit)$/,
  plain: ["--test-name-pattern=x", "--test-only", "--test-reporter=spec", "--no-warnings"],
  asks: ["--import=x", "-r", "--require", "--watch", "--test-reporter=./x.mjs", "--test-reporter-destination=x", "-e"]
}
export const UNITTEST: Allowed = {
  short: "vqfbk",
  long: set("verbose quiet failfast buffer locals"),
  plain: ["-v", "-q", "-f", "--failfast"],
  asks: ["-s", "-t", "--start-directory=x", "-p"]
}

/** Their value is no file. */
const TEXT = /^--test-(?:name-pattern|skip-pattern|concurrency|timeout|reporter)$/

/** The first words of such a call, without the program; undefined: it is none. */
export const testForm = (name: string, args: ReadonlyArray<string>): ReadonlyArray<string> | undefined => {
  const plain = plainName(name)
  if (plain === "node" && args[0] === "--test") {
    const rest = args.slice(1)
    const files = rest.filter((_, at) => !TEXT.test(rest[at - 1] ?? ""))
    return refusedBy(NODE_TEST, rest).length === 0 && noTests(["--test"], files).length === 0 ? ["--test"] : undefined
  }
  const [option, module = "", ...rest] = args
  if (plain !== "python" || option !== "-m" || rest.includes("--")) return undefined
  const allowed = module === "pytest" ? ALLOWED["pytest"] : module === "unittest" ? UNITTEST : undefined
  // unittest imports whatever module it is given.
  const modules = module === "unittest" ? rest.filter((word, at) => word !== "discover" || at > 0) : []
  const known = noTests([module], modules).length === 0
  return known && allowed !== undefined && refusedBy(allowed, rest).length === 0 ? ["-m", module] : undefined
}
