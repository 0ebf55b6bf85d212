/**
 * The repository as the check sees it: each source with its facts and the digest of all it depends on. Owns: reading.
 */
import { randomUUID } from "node:crypto"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import type { Facts } from "../rooms/facts.ts"
import { read } from "../rooms/facts.ts"
import type { SourceFile } from "../rooms/rules.ts"
import { paths } from "../rooms.ts"
import type { Memory } from "./memory.ts"
import { closures, digestOf, type Source } from "./unchanged.ts"

/** What a verdict depends on and no import names: settings, and the packages as they are installed. */
const GROUND = ["tsconfig.json", "src/console/tsconfig.json", "scripts/oxlintrc.json", "package.json", ".gitignore"]

const INSTALLED = "node_modules/.package-lock.json"

const textOf = (root: string, path: string): string | undefined => {
  try {
    return readFileSync(join(root, path), "utf8")
  } catch {
    return undefined
  }
}

const textsOf = (root: string, all: ReadonlyArray<string>) => all.map((path) => textOf(root, path) ?? "")

/** The code that reads facts and decides what is stale. */
export const versionOf = (root: string): string =>
  digestOf(
    ...textsOf(root, [
      "scripts/rooms/facts.ts",
      "scripts/check/unchanged.ts",
      "scripts/check/tree.ts",
      "scripts/check.ts",
      INSTALLED
    ])
  )

/** What is not there is not known: whoever imports it may mean a file of another name, and is due each time. */
const digestOfOther = (root: string, path: string): string => {
  const text = textOf(root, path)
  return text === undefined ? randomUUID() : digestOf(path, text)
}

/** Says something that holds in files which do not import it. */
const holdsEverywhere = (path: string, text: string): boolean =>
  /\.d\.[cm]?ts$/.test(path) || /^\s*(declare\s+(global|module)\b|\/\/\/\s*<reference\b)/m.test(text)

export interface Tree {
  readonly files: ReadonlyArray<SourceFile>
  readonly closures: ReadonlyMap<string, string>
  readonly facts: Readonly<Record<string, Facts>>
}

export const readTree = (root: string, memory: Memory): Tree => {
  const facts: Record<string, Facts> = {}
  const everywhere: Array<string> = []
  const sources: Array<Source & SourceFile> = []
  for (const path of paths(root)) {
    const text = textOf(root, path) ?? ""
    if (holdsEverywhere(path, text)) everywhere.push(path, text)
    const digest = digestOf(path, text)
    const known = memory.facts[digest] ?? read(path, text)
    facts[digest] = known
    sources.push({ path, digest, facts: known, imports: known.imports.map(({ specifier }) => specifier) })
  }
  const ground = digestOf(process.version, ...textsOf(root, [...GROUND, INSTALLED]), ...everywhere)
  return {
    files: sources,
    closures: closures(sources, ground, (path) => digestOfOther(root, path)),
    facts
  }
}
