/**
 * Files that code in a language of its own starts or evaluates by name: `subprocess.run(["sh", "l.sh"])` (SECURITY P12).
 * Owns: which texts start something, and which of their quoted words are names of files. Does not own: imports
 * (commandSources), shell scripts (commandScripts). Pure. Invariant: of a text that starts something each quoted word that
 * looks like a file counts, there or not; what stands behind a variable is looked up without it.
 */
import { resolve } from "node:path"
import { literals } from "./commandLiterals.ts"
import type { Around, Language, Pulled } from "./commandSources.ts"

/** Texts without any of these start nothing. */
const ANY =
  /\b(?:system|exec\w*|shell_exec|passthru|spawn\w*|p?open\w*|proc_open|eval|execute|load\w*|qx|instance_eval)\b|`|%x/
const STARTS: Partial<Record<Language, RegExp>> = {
  js: /child_process|\b(?:execa|shelljs|cross-spawn|cluster|vm|zx)\b|(?<![.\w])eval\s*\(|\bFunction\s*\(|\bdlopen\b|\bWebAssembly\b|\bBun\.|\bDeno\.Command\b/,
  py: /\b(?:subprocess|system|popen\w*|exec\w*|spawn\w*|posix_spawn\w*|pty|eval|imp|runpy|doctest|zipimport|pickle|marshal|ctypes|code|create_subprocess\w*|sh|plumbum|pexpect|invoke)\b/i,
  rb: ANY,
  pl: ANY,
  php: ANY,
  lua: ANY
}

const VARIABLE = /\$?\{[^}\n]{0,80}\}|#\{[^}\n]{0,80}\}|\$\w+|%s/g
/** A name with a directory or an ending. */
const FILE = /^(?!-)[\w@+./-]*[./][\w@+./-]*\w$/
const MODULE = /(?<=[\s"'])-m["']?[,\s]+["']?([A-Za-z_][\w.]*)/g
const MAX_NAMES = 500

/** Behind it a name goes on, or before it one began. */
const PUT_TOGETHER = /\.(?:sh|bash|zsh|ksh|[cm]?js|[cm]?ts|pyw?|rb|p[lm]|php|lua)$/
/** The directory of the file itself, in JavaScript and Python. */
const OWN = /(?:\b__dirname|\bimport\.meta\.dirname|dirname\(\s*(?:os\.path\.\w+\(\s*)?__file__\s*\)?\s*\))\s*$/

interface Names {
  readonly found: Set<string>
  unclear: boolean
}

const wordsIn = (value: string, names: Names): void => {
  for (const word of value.split(/[\s;|&()<>"'`,=:]+/)) {
    const rest = word.slice(Math.max(0, ...Array.from(word.matchAll(VARIABLE), (at) => at.index + at[0].length)))
    const name = rest.length < word.length ? rest.replace(/^\/+/, "") : rest
    if (name.length < 200 && FILE.test(name)) names.found.add(name)
  }
}

const namesIn = (text: string): Names => {
  const names: Names = { found: new Set(), unclear: false }
  for (const { from, to, value } of literals(text)) {
    const before = text.slice(Math.max(0, from - 200), from).trimEnd()
    const joined = before.endsWith("+") && /^\/?[\w@./-]+$/.test(value)
    const goesOn = /^\s*\+(?![+=])/.test(text.slice(to, to + 40)) && /^[\w@./-]*\/$/.test(value)
    if (joined && PUT_TOGETHER.test(value) && !OWN.test(before.slice(0, -1))) names.unclear = true
    if (goesOn && /^\.{0,2}\/?\w/.test(value)) names.unclear = true
    // `__dirname + "/b.sh"`
    wordsIn(joined ? value.replace(/^\/+/, "") : value, names)
  }
  return names
}

export const startedBy = (language: Language, text: string, { directory, roots }: Around): Pulled => {
  const starts = STARTS[language]
  if (starts === undefined || !starts.test(text)) return { files: [], unclear: false }
  const modules = Array.from(text.matchAll(MODULE), ([, name = ""]) => name.replaceAll(".", "/"))
  const { found, unclear } = namesIn(text)
  const names = [...found, ...modules.flatMap((name) => [`${name}.py`, `${name}/__init__.py`, `${name}/__main__.py`])]
  const files = names.flatMap((name) => Array.from(new Set([directory, ...roots]), (root) => resolve(root, name)))
  return { files, unclear: unclear || names.length > MAX_NAMES }
}
