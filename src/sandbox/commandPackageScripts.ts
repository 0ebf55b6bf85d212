/**
 * The scripts of a package's manifest that a command starts: `npm run lint` is what `scripts.lint` says (SECURITY P12).
 * Owns: which of them, with those that run before and after, in which manifests. Does not own: what their text runs
 * (commandScripts), reading (commandContent). Pure but for the look where an option points. Invariant: a word that may be a
 * script's name counts as one.
 */
import { dirname } from "node:path"
import { list, set } from "./commandManifest.ts"
import type { Paths } from "./commandPaths.ts"
import { pointedFiles } from "./commandPointed.ts"

export interface PackageScript {
  /** A shell line. */
  readonly text: string
  /** Of its manifest, as the command names it. */
  readonly manifest: string
  /** It tries what is worked on: what it names counts, and not what that imports. */
  readonly tests: boolean
}

const PACKAGERS = set("npm pnpm yarn bun")
/** Their words are names of scripts, patterns among them. */
const SEVERAL = set("npm-run-all npm-run-all2 run-s run-p concurrently wireit")
export const takesPatterns = (name: string): boolean => SEVERAL.has(name)
const ALIAS: Readonly<Record<string, ReadonlyArray<string>>> = {
  t: ["test"],
  tst: ["test"],
  restart: ["stop", "start", "restart"]
}
const INSTALLING = list("preinstall install postinstall prepublish preprepare prepare postprepare")
/** What npm runs beside the script of a command's own name. */
const BESIDE: Readonly<Record<string, ReadonlyArray<string>>> = {
  ...Object.fromEntries(
    list(`install i in ins inst insta instal isnt isnta isntal isntall add ci clean-install ic install-clean
      isntall-clean it install-test cit install-ci-test update up upgrade rebuild rb link prune dedupe`).map(
      (command) => [command, [...INSTALLING, "test"]] as const
    )
  ),
  ...Object.fromEntries(
    list("pack publish version").map(
      (command) =>
        [
          command,
          list("prepublishOnly prepack prepare postpack publish postpublish preversion version postversion")
        ] as const
    )
  )
}
/** It may run in packages below. */
const BELOW = /^(?:-w|-ws|-r|-F|--(?:workspaces?|recursive|filter)(?:=.*)?|workspaces?|foreach)$/
const TESTS = /^(?:pre|post)?test(?:[:._-]|$)/

/** Names and patterns that the words may stand for; undefined: the program starts no such scripts. */
const wantedOf = (name: string, args: ReadonlyArray<string>): ReadonlyArray<string> | undefined => {
  if (name === "node")
    return args.flatMap((word, at) => (/^--run(?:=|$)/.test(word) ? [word.slice(6) || (args[at + 1] ?? "")] : []))
  const end = args.indexOf("--")
  const plain = (end < 0 ? args : args.slice(0, end)).filter((word) => !word.startsWith("-"))
  if (SEVERAL.has(name)) return plain.map((word) => word.replace(/^(?:npm|pnpm|yarn|bun):/, "").split(/\s/)[0]!)
  if (!PACKAGERS.has(name)) return undefined
  const beside = plain.length === 0 ? INSTALLING : plain.flatMap((word) => ownOf(BESIDE, word))
  return [...plain.flatMap((word) => [word, ...ownOf(ALIAS, word)]), ...beside]
}

const ownOf = (table: Readonly<Record<string, ReadonlyArray<string>>>, word: string): ReadonlyArray<string> =>
  Object.hasOwn(table, word) ? table[word]! : []

const isWanted = (wanted: ReadonlyArray<string>, script: string): boolean =>
  wanted.some((one) => {
    if (!one.includes("*")) return one === script || `pre${one}` === script || `post${one}` === script
    return script.startsWith(one.slice(0, one.indexOf("*")))
  })

const scriptsIn = (text: string | undefined): Readonly<Record<string, unknown>> => {
  try {
    const { scripts } = JSON.parse(text ?? "{}") as { readonly scripts?: unknown }
    return typeof scripts === "object" && scripts !== null ? { ...scripts } : {}
  } catch {
    return {}
  }
}

/** `members`: the manifests of packages below. */
export const startedScripts = (
  name: string,
  args: ReadonlyArray<string>,
  read: (file: string) => string | undefined,
  members: () => ReadonlyArray<string>,
  paths: Paths
): ReadonlyArray<PackageScript> => {
  const wanted = wantedOf(name, args)
  if (wanted === undefined || wanted.length === 0) return []
  const below = args.some((word) => BELOW.test(word)) ? members() : []
  const manifests = new Set(["package.json", ...below, ...pointedFiles(["package.json"], args, paths)])
  return [...manifests].flatMap((manifest) => {
    const scripts = { ...(wanted.includes("start") ? { start: "node server.js" } : {}), ...scriptsIn(read(manifest)) }
    return Object.entries(scripts).flatMap(([script, text]) =>
      typeof text === "string" && isWanted(wanted, script)
        ? [{ text, manifest, tests: TESTS.test(script) || /(?:^|\s)--test(?:\s|$)/.test(text) }]
        : []
    )
  })
}

/** Where the scripts of a manifest run, relative to where its command does. */
export const directoryOf = ({ manifest }: PackageScript): string => dirname(manifest)
