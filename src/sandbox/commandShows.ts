/**
 * Calls of programs that show a part of a file, how it would be written, or what they are, and can do nothing else
 * (SECURITY P8). Owns: the forms.
 * Pure. Invariant: a script or an option of any other form is none of them.
 */
import { plainName } from "./commandTables.ts"

const FILES = /^(?!-)[\w./@+-]+$/
const LINES = /^(?:\d+|\$)(?:,(?:\d+|\$))?p(?:;(?:\d+|\$)(?:,(?:\d+|\$))?p)*$/
const COLUMNS = /^\{ *print(?: \$\d+(?:, *\$\d+)*)? *\}$/
const SEPARATOR = /^-F(?:[:,;|]|\\t)$/

/** Others read a script behind `-v`, and run it. */
const VERSIONS: Readonly<Record<string, RegExp>> = {
  node: /^(?:-v|--version)$/,
  python: /^(?:-V|--version)$/,
  perl: /^(?:-v|--version)$/,
  php: /^(?:-v|--version)$/,
  ruby: /^--version$/,
  bash: /^--version$/,
  deno: /^--version$/,
  bun: /^--version$/
}

/** `sed -n 5,10p f`, `awk '{print $1}' f`, `node -v` */
export const onlyShows = (name: string, args: ReadonlyArray<string>): boolean => {
  const plain = plainName(name)
  if (Object.hasOwn(VERSIONS, plain)) return args.length === 1 && VERSIONS[plain]!.test(args[0]!)
  // It writes with `-w` alone, and `-r` is a rule.
  if (plain === "gofmt") return args.length > 0 && args.every((word) => /^-[ldes]$/.test(word) || FILES.test(word))
  if (plain === "sed") {
    const [option, script = "", ...files] = args
    return option === "-n" && LINES.test(script) && files.every((file) => FILES.test(file))
  }
  if (plain !== "awk" && plain !== "gawk" && plain !== "mawk") return false
  const [script = "", ...files] = args.filter((word, at) => !(at === 0 && SEPARATOR.test(word)))
  return COLUMNS.test(script) && files.every((file) => FILES.test(file) && !file.includes("="))
}
