/**
 * The law of the rooms (DESIGN §3), run over a repository: `node scripts/rooms.ts [ROOT]`.
 * Prints one line for each violation, `file:line  rule  why`, and exits 1 where there is any.
 */
import { readFileSync, readdirSync } from "node:fs"
import { join, relative, resolve, sep } from "node:path"
import { read } from "./rooms/facts.ts"
import { type SourceFile, type Violation, judge } from "./rooms/rules.ts"

const sourceName = /\.([cm]?[jt]s|tsx)$/
const declarations = /\.d\.[cm]?ts$/

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

/** Every source file of the repository, declarations too, relative to it. */
export const paths = (root: string): ReadonlyArray<string> =>
  ["src", "test", "scripts"].flatMap((top) =>
    walk(join(root, top)).map((path) => relative(root, path).split(sep).join("/"))
  )

/** The law is about what runs. */
const isUnderLaw = ({ path }: SourceFile): boolean => !declarations.test(path)

/** Every source file that runs, with its facts. */
export const load = (root: string): ReadonlyArray<SourceFile> =>
  paths(root)
    .filter((path) => !declarations.test(path))
    .map((path) => ({ path, facts: read(path, readFileSync(join(root, path), "utf8")) }))

const inOrder = (violations: ReadonlyArray<Violation>): ReadonlyArray<Violation> =>
  violations.toSorted((a, b) => (a.file === b.file ? a.line - b.line : a.file < b.file ? -1 : 1))

export const check = (root: string): ReadonlyArray<Violation> => inOrder(load(root).flatMap((file) => judge(file)))

/** One line for each violation, and one in all. */
export const report = (all: ReadonlyArray<SourceFile>): { readonly holds: boolean; readonly text: string } => {
  const files = all.filter(isUnderLaw)
  const violations = inOrder(files.flatMap((file) => judge(file)))
  const lines = violations.map(({ file, line, rule, why }) => `${file}:${line}  ${rule}  ${why}`)
  const whole = `rooms: ${files.length} files, ${violations.length} violations`
  return { holds: violations.length === 0 && files.length > 0, text: [...lines, whole].join("\n") }
}

const main = () => {
  const { holds, text } = report(load(resolve(process.argv[2] ?? ".")))
  console.log(text)
  if (!holds) process.exitCode = 1
}

if (import.meta.main) main()
