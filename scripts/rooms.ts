/**
 * The law of the rooms (DESIGN §3), run over a repository: `node scripts/rooms.ts [ROOT]`.
 * Prints one line for each violation, `file:line  rule  why`, and exits 1 where there is any.
 */
import { readFileSync, readdirSync } from "node:fs"
import { join, relative, resolve, sep } from "node:path"
import { read } from "./rooms/facts.ts"
import { type SourceFile, type Violation, judge } from "./rooms/rules.ts"

const sourceName = /(?<!\.d)\.([cm]?[jt]s|tsx)$/

const walk = (directory: string): ReadonlyArray<string> => {
  const entries = (() => {
    try {
      return readdirSync(directory, { withFileTypes: true })
    } catch {
      return []
    }
  })()
  return entries.flatMap((entry) => {
    const path = join(directory, entry.name)
    if (entry.isDirectory()) return entry.name === "node_modules" || entry.name === "fixtures" ? [] : walk(path)
    return sourceName.test(entry.name) ? [path] : []
  })
}

/** Every source file of the repository, with its facts. */
export const load = (root: string): ReadonlyArray<SourceFile> =>
  ["src", "test", "scripts"].flatMap((top) =>
    walk(join(root, top)).map((path) => ({
      path: relative(root, path).split(sep).join("/"),
      facts: read(path, readFileSync(path, "utf8"))
    }))
  )

const inOrder = (violations: ReadonlyArray<Violation>): ReadonlyArray<Violation> =>
  violations.toSorted((a, b) => (a.file === b.file ? a.line - b.line : a.file < b.file ? -1 : 1))

export const check = (root: string): ReadonlyArray<Violation> => inOrder(load(root).flatMap((file) => judge(file)))

const main = () => {
  const files = load(resolve(process.argv[2] ?? "."))
  const violations = inOrder(files.flatMap((file) => judge(file)))
  for (const { file, line, rule, why } of violations) console.log(`${file}:${line}  ${rule}  ${why}`)
  console.log(`rooms: ${files.length} files, ${violations.length} violations`)
  if (violations.length > 0 || files.length === 0) process.exitCode = 1
}

if (import.meta.main) main()
