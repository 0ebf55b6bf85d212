/**
 * Several partial configurations become one: flags over environment over the user's file over the workspace's (which
 * only narrows) over defaults. Pure. Remembers which of them decided each key, so that `claw config` can say so.
 */
import type { ConfigFile, Settings } from "./Settings.ts"
import { type Locale, defaults } from "./Settings.ts"
import { narrow } from "./workspaceFile.ts"

export type Source = "flag" | "environment" | "user file" | "workspace file" | "default"

export interface WorkspaceFile {
  readonly file: ConfigFile
  /** For a person. */
  readonly path: string
}

export interface Layers {
  readonly flags: ConfigFile
  readonly environment: ConfigFile
  readonly userFile: ConfigFile
  /** Each narrows what the ones before it left. */
  readonly workspaceFiles: ReadonlyArray<WorkspaceFile>
  /** What the machine says where nobody says anything. */
  readonly machine: { readonly state_dir: string; readonly locale: Locale }
}

export interface Resolved {
  readonly settings: Settings
  /** Path of a key → who decided it; a key that is not here has its default. */
  readonly sources: ReadonlyMap<string, Source>
  readonly warnings: ReadonlyArray<string>
}

type Tree = Readonly<Record<string, unknown>>

const isTree = (value: unknown): value is Tree => typeof value === "object" && value !== null && !Array.isArray(value)

/** Key by key, one level deep: sections are merged, lists and values replaced. */
const overlay = (base: Tree, over: Tree, source: Source, sources: Map<string, Source>, prefix = ""): Tree => {
  const merged: Record<string, unknown> = { ...base }
  for (const [name, value] of Object.entries(over)) {
    if (value === undefined || name === "$schema") continue
    if (isTree(value)) {
      const inner = base[name]
      merged[name] = overlay(isTree(inner) ? inner : {}, value, source, sources, `${prefix}${name}.`)
    } else {
      merged[name] = value
      sources.set(`${prefix}${name}`, source)
    }
  }
  return merged
}

export const resolve = (layers: Layers): Resolved => {
  const sources = new Map<string, Source>()
  const base: Settings = { ...defaults, ...layers.machine, no_color: false, rules: { allow: [], ask: [], deny: [] } }
  const person = overlay(base as unknown as Tree, layers.userFile, "user file", sources) as unknown as Settings
  const warnings: Array<string> = []
  let settings = person
  for (const { file, path } of layers.workspaceFiles) {
    const narrowed = narrow(settings, file)
    settings = narrowed.settings
    for (const key of narrowed.decided) sources.set(key, "workspace file")
    warnings.push(...narrowed.ignored.map((warning) => `${path}: ${warning}`))
  }
  const withEnvironment = overlay(settings as unknown as Tree, layers.environment, "environment", sources)
  const final = overlay(withEnvironment, layers.flags, "flag", sources)
  return { settings: final as unknown as Settings, sources, warnings }
}
