/**
 * Several partial configurations become one: flags over environment over the user's file over the workspace's (which
 * only narrows) over the operator's over defaults; the operator's mode and limits bound all of them. Pure. Remembers which of them decided each key, so that `claw config` can say so.
 */
import { allHooks, noHooks } from "./HookSettings.ts"
import type { ConfigFile, Settings } from "./Settings.ts"
import { type Locale, defaults } from "./Settings.ts"
import { allRules, type Tiered } from "./tiers.ts"
import { bound, narrow } from "./workspaceFile.ts"

export type Source = "flag" | "environment" | "operator file" | "user file" | "workspace file" | "default"

export interface Layers {
  readonly flags: ConfigFile
  readonly environment: ConfigFile
  readonly userFile: ConfigFile
  /** Everything that has rules, in the order of its weight; those of one tier are all in force. */
  readonly files: ReadonlyArray<Tiered>
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

const of = (files: ReadonlyArray<Tiered>, tier: Tiered["tier"]): ReadonlyArray<ConfigFile> =>
  files.flatMap((one) => (one.tier === tier ? [one.file] : []))

/** Rules and hooks are added at the end, of every file at once. */
const withoutRules = ({ hooks: _hooks, rules: _rules, ...rest }: ConfigFile): Tree => rest

export const resolve = ({ environment, files, flags, machine, userFile }: Layers): Resolved => {
  const sources = new Map<string, Source>()
  const base: Settings = {
    ...defaults,
    ...machine,
    models: {},
    fallback_models: [],
    no_color: false,
    rules: { allow: [], ask: [], deny: [] },
    hooks: noHooks
  }
  const warnings: Array<string> = []
  const lay = (on: Settings, file: ConfigFile, source: Source) =>
    overlay(on as unknown as Tree, withoutRules(file), source, sources) as unknown as Settings
  let settings = base
  for (const file of of(files, "operator")) settings = lay(settings, file, "operator file")
  settings = lay(settings, userFile, "user file")
  for (const { file, path, tier } of files) {
    if (tier !== "workspace") continue
    const narrowed = narrow(settings, file)
    settings = narrowed.settings
    for (const key of narrowed.decided) sources.set(key, "workspace file")
    warnings.push(...narrowed.ignored.map((warning) => `${path}: ${warning}`))
  }
  settings = lay(lay(settings, environment, "environment"), flags, "flag")
  for (const file of of(files, "operator")) {
    const bounded = bound(settings, file)
    settings = { ...bounded.settings, rules: settings.rules }
    warnings.push(...bounded.ignored)
  }
  return { settings: { ...settings, rules: allRules(files), hooks: allHooks(files) }, sources, warnings }
}
