/**
 * The repository as the check sees it: each source with its facts and the digest of all it depends on. Owns: reading.
 */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import type { Facts } from "../rooms/facts.ts"
import { read } from "../rooms/facts.ts"
import type { SourceFile } from "../rooms/rules.ts"
import { paths } from "../rooms.ts"
import type { Memory } from "./memory.ts"
import { closures, digestOf, type Source } from "./unchanged.ts"

/** What a verdict depends on and no import names: settings, and the packages as they are installed. */
const GROUND = [
  "tsconfig.json",
  "src/console/tsconfig.json",
  "scripts/oxlintrc.json",
  "package.json",
  "node_modules/.package-lock.json"
]

const textOf = (root: string, path: string): string => {
  try {
    return readFileSync(join(root, path), "utf8")
  } catch {
    return ""
  }
}

/** The code that reads facts and decides what is stale. */
export const versionOf = (root: string): string =>
  digestOf(
    ...["rooms/facts.ts", "check/unchanged.ts", "check/tree.ts", "check.ts"].map((name) =>
      textOf(root, `scripts/${name}`)
    )
  )

/** Says something that holds in files which do not import it. */
const holdsEverywhere = (path: string, text: string): boolean =>
  path.endsWith(".d.ts") || /^\s*declare\s+(global|module)\b/m.test(text)

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
    const text = textOf(root, path)
    if (holdsEverywhere(path, text)) everywhere.push(path, text)
    const digest = digestOf(path, text)
    const known = memory.facts[digest] ?? read(path, text)
    facts[digest] = known
    sources.push({ path, digest, facts: known, imports: known.imports.map(({ specifier }) => specifier) })
  }
  const ground = digestOf(process.version, ...GROUND.map((path) => textOf(root, path)), ...everywhere)
  return {
    files: sources,
    closures: closures(sources, ground, (path) => digestOf(path, textOf(root, path))),
    facts
  }
}
