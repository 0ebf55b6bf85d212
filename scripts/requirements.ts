/**
 * `npm run requirements [-- --check] [-- --all]`: which requirements no test names.
 * A test names an id in a title or a comment: `R073`, or a range `R073–R079`. Only ids of `requirements.json` exist;
 * a test that names another one is reported, for it proves nothing.
 * `--check` exits 1 where a requirement that is due has no test; `--all` lists those of later issues too.
 */
import { readFileSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

export interface Requirement {
  readonly id: string
  readonly area: string
  /** Number of the issue that delivers it, or `later`. */
  readonly due: string
  readonly title: string
}

const number = (digits: string | undefined): number => Number(digits ?? Number.NaN)

const idOf = (value: number): string => `R${String(value).padStart(3, "0")}`

/** Every id that a text names, ranges filled in. */
export const idsIn = (text: string): ReadonlySet<string> => {
  const found = new Set<string>()
  for (const match of text.matchAll(/\bR(\d{3})(?:\s?(?:-|–|—|\.\.)\s?R?(\d{3}))?\b/g)) {
    const first = number(match[1])
    const last = match[2] === undefined ? first : number(match[2])
    for (let value = first; value <= last; value++) found.add(idOf(value))
  }
  return found
}

export interface Report {
  /** Due and named by a test. */
  readonly proved: ReadonlyArray<Requirement>
  readonly missing: ReadonlyArray<Requirement>
  /** Not due, and without a test so far. */
  readonly later: ReadonlyArray<Requirement>
  /** Named by a test, but not in the table. */
  readonly unknown: ReadonlyArray<string>
}

export const report = (table: ReadonlyArray<Requirement>, named: ReadonlySet<string>): Report => {
  const known = new Set(table.map(({ id }) => id))
  const due = table.filter((row) => row.due !== "later")
  return {
    proved: due.filter(({ id }) => named.has(id)),
    missing: due.filter(({ id }) => !named.has(id)),
    later: table.filter((row) => row.due === "later" && !named.has(row.id)),
    unknown: [...named].filter((id) => !known.has(id)).toSorted()
  }
}

/** Ids named by the test files below `directory`. */
export const namedBelow = (directory: string): ReadonlySet<string> =>
  new Set(
    readdirSync(directory, { recursive: true, encoding: "utf8" })
      .filter((name) => /\.test\.tsx?$/.test(name))
      .flatMap((name) => [...idsIn(readFileSync(join(directory, name), "utf8"))])
  )

export const readTable = (): ReadonlyArray<Requirement> =>
  JSON.parse(readFileSync(new URL("requirements.json", import.meta.url), "utf8")) as ReadonlyArray<Requirement>

const main = () => {
  const root = fileURLToPath(new URL("..", import.meta.url))
  const { proved, missing, later, unknown } = report(readTable(), namedBelow(join(root, "test")))
  const show = (rows: ReadonlyArray<Requirement>) => {
    for (const { id, area, title } of rows) console.log(`${id}  ${area.padEnd(9)} ${title}`)
  }
  show(missing)
  if (process.argv.includes("--all")) show(later)
  for (const id of unknown) console.log(`${id}  is named by a test and is no requirement`)
  console.log(`requirements: ${proved.length} due with a test, ${missing.length} due without, ${later.length} later`)
  if (process.argv.includes("--check") && missing.length + unknown.length > 0) process.exitCode = 1
}

if (import.meta.main) main()
