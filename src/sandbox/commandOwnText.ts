/**
 * What a file says about itself: the language of a script by its first line, the tools that a manifest's scripts name
 * (SECURITY P12). Owns: both readings. Pure.
 */
import { MANIFESTS } from "./commandManifests.ts"
import { type Language, languageOfName, languageOfProgram } from "./commandSources.ts"
import { plainName, SHELLS } from "./commandTables.ts"

const SHEBANG = /^#!\s*(?:\S*\/env\s+(?:-S\s+)?)?(?:\S*\/)?([\w.-]+)/

/** What kind of script a file is that is started by its name. */
export const startedAs = (path: string, text: string): Language | undefined => {
  if (text.slice(0, 1_000).includes("\0")) return undefined
  const program = plainName(SHEBANG.exec(text)?.[1] ?? "")
  if (program === "") return languageOfName(path) ?? "sh"
  return SHELLS.has(program) ? "sh" : languageOfProgram(program)
}

const RUNNERS = new Set(["npm", "pnpm", "yarn", "bun", "npx"])

/** The configurations of the tools that the scripts of a manifest name. */
export const toolsIn = (text: string): ReadonlyArray<string> => {
  try {
    const { scripts } = JSON.parse(text) as { readonly scripts?: unknown }
    const words = Object.values(scripts ?? {}).flatMap((one) => (typeof one === "string" ? one.split(/[^\w.-]+/) : []))
    return [...new Set(words)].filter((word) => Object.hasOwn(MANIFESTS, word) && !RUNNERS.has(word))
  } catch {
    return []
  }
}
