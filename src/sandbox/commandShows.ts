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

/** One `s`, whose flags neither write nor run; its delimiter stands three times, as every sed reads it. */
const SUBSTITUTES = /^s([/|,#:])(?:(?!\1)[^\\\n]|\\[^\n])*\1(?:(?!\1)[^\\\n]|\\[^\n])*\1[gIp0-9]*$/
const NUMBERED = /^NR ?(?:[<>]=?|==) ?\d+$/
const VARIABLES = /^(?:PATH|HOME|PWD|SHELL|USER|LANG|LC_ALL|TERM|TZ|NODE_ENV|CI)$/
const PACKAGES =
  /^(?:-[al]|--(?:all|long|json|depth(?:=\d+)?|prod|production|parseable)|\d+|(?:@[a-z0-9][\w.-]*\/)?[a-z][\w.-]*)$/

/** The forms of programs that do much else. */
const FORMS: Readonly<Record<string, (args: ReadonlyArray<string>) => boolean>> = {
  npm: ([first = "", ...more]) =>
    /^(?:-v|--version)$/.test(first)
      ? more.length === 0
      : /^(?:ls|list)$/.test(first) && more.every((word) => PACKAGES.test(word)),
  printenv: (args) => args.length > 0 && args.every((word) => VARIABLES.test(word)),
  unzip: ([option, file = "", ...more]) => option === "-l" && FILES.test(file) && more.length === 0,
  gzip: ([option, ...files]) => option === "-l" && files.length > 0 && files.every((file) => FILES.test(file)),
  sed: (args) => {
    const at = args.findIndex((word) => !/^-[nEr]$/.test(word))
    const [script = "", ...files] = args.slice(Math.max(at, 0))
    if (args[0] === "-n" && at === 1 && LINES.test(script)) return files.every((file) => FILES.test(file))
    return SUBSTITUTES.test(script) && files.length > 0 && files.every((file) => FILES.test(file))
  }
}

/** `sed -n 5,10p f`, `awk '{print $1}' f`, `node -v` */
export const onlyShows = (name: string, args: ReadonlyArray<string>): boolean => {
  const plain = plainName(name)
  // It is read, and not run.
  if (plain === "node" && args[0] === "--check") return args.length === 2 && FILES.test(args[1]!)
  if (Object.hasOwn(VERSIONS, plain)) return args.length === 1 && VERSIONS[plain]!.test(args[0]!)
  if (Object.hasOwn(FORMS, plain)) return FORMS[plain]!(args)
  // It writes with `-w` alone, and `-r` is a rule.
  if (plain === "gofmt") return args.length > 0 && args.every((word) => /^-[ldes]$/.test(word) || FILES.test(word))
  if (plain !== "awk" && plain !== "gawk" && plain !== "mawk") return false
  const [script = "", ...files] = args.filter((word, at) => !(at === 0 && SEPARATOR.test(word)))
  return (
    (COLUMNS.test(script) || NUMBERED.test(script)) && files.every((file) => FILES.test(file) && !file.includes("="))
  )
}
