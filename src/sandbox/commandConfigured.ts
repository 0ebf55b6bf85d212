/**
 * Files that the text of a configuration names: a build file's scripts, a setting's program, what an `extends` leads to
 * (SECURITY P12, T3). Owns: which words of such a text are names of files, whatever its format. Does not own: imports of
 * languages (commandSources), shell scripts (commandScripts). Pure. Invariant: a script whose name is put together in the
 * middle makes the text unclear; what stands behind a key of the work itself (sources, outputs, patterns) is left out.
 */
import { resolve } from "node:path"
import type { Around } from "./commandSources.ts"

const set = (names: string): ReadonlySet<string> => new Set(names.trim().split(/\s+/))

/** Their values are what is worked on, or what comes out. */
const WORK = set(`include exclude files spec testMatch testRegex testPathIgnorePatterns entry entries entryPoints input
  inputs main module browser exports types typings out outdir outDir outfile outFile output outputs dest destination
  filename fileName entryFileNames chunkFileNames assetFileNames ignore ignores ignorePatterns paths alias moduleNameMapper
  collectCoverageFrom readme sources source srcs src hdrs data deps dependencies devDependencies peerDependencies
  optionalDependencies testpaths bin packages workspaces py_modules image ports scripts tasks imports autoload`)

/** Scripts, and settings that lead on. */
const COUNTED =
  /\.(?:sh|bash|zsh|ksh|fish|ps1|bat|cmd|pyw?|p[lm]|rb|rake|lua|php|tcl|R|[cm]?[jt]s|[jt]sx|groovy|gradle|kts|jar|cmake|mk|just|bzl|nix|awk|sed|sql|ya?ml|toml|json[5c]?|ini|cfg|conf|properties|xml|env|exs?|clj|tf|hcl)$/
const SCRIPT = /\.(?:sh|bash|zsh|ksh|fish|ps1|bat|cmd|pyw?|p[lm]|rb|lua|php|tcl)$/
const NAMED =
  /(?:^|\/)(?:(?:docker|container|just|task|make|rake|proc|gem|brew)file(?:\.[\w.-]*)?|\.env(?:\.[\w.-]*)?)$/i

/** A variable, in the forms of shells, make, gradle, cmake, just, task, tox, jest and python. */
const VARIABLE =
  /\$\{[^}\n]{0,80}\}|\$\([^)\n]{0,80}\)|\$\w+|<rootDir>|\{\{[^}\n]{0,80}\}\}|\{(?:toxinidir|tox_root|envdir|homedir)\}|%\(\w+\)s/g
const MARK = "\ue000"

/** A quoted text, one bare word, or a bracket; behind the first two, what makes it a key. */
const PART =
  /(?<!\\)"((?:\\.|[^"\\\n])*)"(\s*=(?!=)|\s*:(?=[\s"'[{(]))?|'([^'\n]*)'(\s*=(?!=)|\s*:(?=[\s"'[{(]))?|`([^`\n]*)`|([^\s"'`,()[\]{}<>;|&=:]+)(\s*=(?!=)|\s*:(?=[\s"'[{(]|$))?|([[{(])|([\]})])|(\n(?![ \t]*-[ \t]))/gm

export interface Configured {
  /** Absolute. */
  readonly files: ReadonlyArray<string>
  readonly unclear: boolean
}

const OWN_ENDING = /\.[A-Za-z][\w-]*$/
const EXTENDS = ["", ".js", ".cjs", ".mjs", ".ts", ".json", ".yml", ".yaml"]

const namesOf = (word: string, workspace: string): ReadonlyArray<string> => {
  if (/[*?[\]@]|:\/\/|^-/.test(word) || word.length > 400) return []
  if (word.startsWith("/") && !word.startsWith(`${workspace}/`)) return []
  if (COUNTED.test(word) || NAMED.test(word) || /^\.\/.+\.rs$/.test(word)) return [word]
  const base = word.slice(word.lastIndexOf("/") + 1)
  if (!word.includes("/") || base === "" || OWN_ENDING.test(base)) return []
  return /^\.{1,2}\//.test(word) ? EXTENDS.map((ending) => `${word}${ending}`) : [word]
}

/** `a.b` as Python finds it. */
const moduleFiles = (name: string): ReadonlyArray<string> => {
  if (!/^[A-Za-z_][\w.]*$/.test(name)) return []
  const path = name.replaceAll(".", "/")
  return [`${path}.py`, `${path}/__init__.py`, `${path}/__main__.py`]
}

/** `-p plug` of pytest, `-m pkg` of python. */
const MODULE = /(?<=[\s"'=])-[pm][ \t]+([A-Za-z_][\w.]*)/g

/** Every word of the text that is not a value of the work's. */
const wordsIn = (text: string): ReadonlyArray<string> => {
  const out: Array<string> = []
  let key = ""
  let open = 0
  for (const part of text.matchAll(PART)) {
    const [, double, afterDouble, single, afterSingle, back, bare, afterBare, opens, closes, line] = part
    const value = double ?? single ?? back ?? bare
    const isKey = (afterDouble ?? afterSingle ?? afterBare) !== undefined
    const left = WORK.has(key)
    if (opens !== undefined && (open > 0 || left)) open += 1
    if (closes !== undefined && open > 0) open -= 1
    // A value ends with its line, unless it is a list that goes on.
    if ((closes ?? line) !== undefined && open === 0) key = ""
    if (isKey && open === 0) key = value ?? ""
    if (value !== undefined && !isKey && open === 0 && !left) {
      const words = value.split(/[\s;|&()<>"'`,=]+/)
      out.push(...words, ...(/plugins?$/.test(key) ? words.flatMap(moduleFiles) : []))
    }
    // Cargo's `build = "tools/gen.rs"`.
    if (key === "build" && value?.endsWith(".rs") === true) out.push(`./${value.replace(/^\.\//, "")}`)
  }
  return out
}

/** `code`: what is put together there is judged by its language. */
export const configured = (source: string, { directory, roots }: Around, code: boolean): Configured => {
  const [workspace = directory] = roots.slice(-1)
  const text = source.replace(/\\\r?\n/g, " ").replace(VARIABLE, MARK)
  const files = new Set<string>()
  let unclear = false
  const modules = Array.from(text.matchAll(MODULE), ([, name = ""]) => moduleFiles(name)).flat()
  for (const word of new Set([...wordsIn(text), ...modules])) {
    // `$rootDir/x.sh`: whatever the directory is, it is this one or the workspace.
    const rest = word.replace(/^(?:\ue000\/?)+/, "")
    if (rest.includes(MARK)) {
      unclear ||= !code && SCRIPT.test(rest)
      continue
    }
    for (const name of namesOf(rest, workspace))
      for (const root of new Set([directory, ...roots])) files.add(resolve(root, name))
  }
  return { files: [...files], unclear }
}
