/**
 * One simple command, judged by its words. Owns: what makes it not plain, exact only, unsettled, read-only; the paths it
 * names. Does not own: the tree it stands in (commandWalk), what it starts (commandWrappers).
 * Invariant: a fact that cannot be established counts against the command.
 */
import { accessSync, constants, realpathSync } from "node:fs"
import { basename } from "node:path"
import type { SimpleCommand } from "../domain/Approval.ts"
import { reachesNetwork } from "./commandNetwork.ts"
import { reachesBelow } from "./commandBelow.ts"
import { contentOf } from "./commandContent.ts"
import type { Content, Fed } from "./commandRuns.ts"
import { destroys } from "./commandDestroys.ts"
import { judgeGit, type GitJudgement } from "./commandGit.ts"
import type { Vetted } from "./commandGitConfig.ts"
import { writesUnlessTold } from "./commandAllowedChecks.ts"
import { testForm } from "./commandForms.ts"
import { handedWords, ownWords } from "./commandHanded.ts"
import { isKnown, onlyExactly } from "./commandKnown.ts"
import { doesMore } from "./commandMore.ts"
import { commandPaths, type Role } from "./commandOperands.ts"
import { isLevelled, levelOf, type Levelled } from "./commandLevels.ts"
import { riskyWords } from "./commandOptions.ts"
import type { Paths } from "./commandPaths.ts"
import { onlyShows } from "./commandShows.ts"
import { refusalOf } from "./commandRefused.ts"
import { exactOnly, isFilter, isReadOnlyProgram, SHELL_STATE, WRITERS } from "./commandTables.ts"
import { withinOf } from "./commandWithin.ts"
import { literalWord, type ShellWord } from "./commandWords.ts"
import { takesAway } from "./commandTakesAway.ts"
import { unwrap } from "./commandWrappers.ts"

export interface Surroundings {
  readonly paths: Paths
  /** The child's PATH, fixed at session start; undefined: nothing is known against it. */
  readonly path: string | undefined
  readonly vetted: () => Vetted
}

export interface Facts {
  readonly name: string
  readonly names: ReadonlyArray<string>
  readonly notPlain: ReadonlyArray<string>
  readonly unsettled: ReadonlyArray<string>
  readonly exactOnly?: string
  readonly destroys?: string
  readonly deletes?: string
  readonly network?: true
  readonly filter?: true
  readonly paths: ReadonlyArray<string>
  readonly prefix: ReadonlyArray<string>
  readonly readOnly: boolean
  readonly content?: string
  readonly runs?: ReadonlyArray<string>
  readonly within?: NonNullable<SimpleCommand["within"]>
  readonly refused?: string
}

const BUILTINS: ReadonlySet<string> = new Set([
  ...SHELL_STATE,
  "echo",
  "printf",
  "true",
  "false",
  ":",
  "test",
  "[",
  "pwd",
  "type"
])
const SYSTEM = /^\/(?:usr|bin|sbin|opt|lib|lib64|nix\/store|run\/current-system|snap|Applications|Library|System)\//

const isExecutable = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

const realName = (path: string): string | undefined => {
  try {
    return basename(realpathSync.native(path))
  } catch {
    return undefined
  }
}

/** Where a bare name is found; `open`: a directory that tools can write is looked into first (SECURITY P6). */
const lookUp = (name: string, around: Surroundings): { readonly file?: string; readonly open?: string } => {
  around.paths.budget.spend(4)
  for (const directory of around.path?.split(":") ?? []) {
    const inside = !directory.startsWith("/") || around.paths.place(directory).inside
    if (inside) return { open: directory }
    if (isExecutable(`${directory}/${name}`)) return { file: `${directory}/${name}` }
  }
  return {}
}

interface Program {
  readonly name: string
  readonly names: ReadonlyArray<string>
  readonly notPlain: ReadonlyArray<string>
  readonly unsettled: ReadonlyArray<string>
}

const byPath = (word: string, around: Surroundings): Program => {
  const place = around.paths.place(word)
  const name = basename(word)
  const why = place.inside || !SYSTEM.test(place.path) ? [`${word} is a file that tools may have written`] : []
  return { name, names: [...new Set([name, basename(place.path)])], notPlain: why, unsettled: [] }
}

/** GNU's programs where the system has others of that name. */
const GNU =
  /^g(rm|mv|cp|ln|dd|tee|timeout|xargs|env|find|nice|nohup|stdbuf|chmod|chown|chgrp|chroot|install|sed|awk|tar|make|split|truncate|shred|unlink|rmdir|touch|mkdir|kill|time|sort|cat|head|tail)$/

const program = (word: string, around: Surroundings): Program => {
  if (word.includes("/")) return byPath(word, around)
  const notPlain = /^[\w.+[\]:@-]+$/.test(word) ? [] : [`${JSON.stringify(word)} is no ordinary program name`]
  if (BUILTINS.has(word)) return { name: word, names: [word], notPlain, unsettled: [] }
  const { file, open } = lookUp(word, around)
  const real = file === undefined ? undefined : realName(file)
  const gnu = GNU.exec(word)?.[1]
  const unsettled =
    open === undefined ? [] : [`PATH looks for ${word} in ${open === "" ? "the current directory" : open} first`]
  return {
    name: word,
    names: [...new Set([word, ...(gnu === undefined ? [] : [gnu]), ...(real === undefined ? [] : [real])])],
    notPlain,
    unsettled
  }
}

/** A link's target counts (`foo` that is git), unless the tables know only the link (`npm` that is `npm-cli.js`). */
const nameOf = ({ name, names }: Program): string => {
  const real = names.at(-1) ?? name
  return !isKnown(real) && (isKnown(name) || isLevelled(name)) ? name : real
}

/** Program and subcommand, as far as a prefix grant should hold them. */
const prefixOf = (name: string, [first]: ReadonlyArray<string>, level: Levelled | undefined): ReadonlyArray<string> => {
  if (name === "git") return first === undefined || first.startsWith("-") ? [] : [name, first]
  if (level === undefined) return [name]
  return level.prefix.length === 0 ? [] : [name, ...level.prefix]
}

/** Why no grant of its first words is given: by its own commands where those are known, else by its name. */
const whyExactly = (names: ReadonlyArray<string>, level: Levelled | undefined): string | undefined => {
  if (level === undefined) return onlyExactly(names)
  const others = names.filter((name) => !isLevelled(name)).map(exactOnly)
  return others.find((why) => why !== undefined) ?? level.exactOnly
}

const wordsWhy = (words: ReadonlyArray<ShellWord>): ReadonlyArray<string> => {
  const [first] = words
  const dynamic =
    first !== undefined && (first.why.length > 0 || first.glob) ? ["the program's name is not literal"] : []
  return [...dynamic, ...words.flatMap((word) => word.why)]
}

const gitOf = (name: string, args: ReadonlyArray<string>, around: Surroundings): GitJudgement | undefined =>
  name === "git" ? judgeGit(args, around.vetted) : undefined

/** `/usr/lib/git-core/git-push`: git, with that command. */
const gitProgram = (word: string): string | undefined => /^git-([a-z][a-z0-9-]*)$/.exec(basename(word))?.[1]

const LOOKS: ReadonlySet<string> = new Set(["less", "more", "nl", "xxd", "bat", "base64", "zcat", "b2sum"])

const roleOf = (name: string, risky: boolean): Role => {
  if (WRITERS.has(name)) return "writes"
  return !risky && (isReadOnlyProgram(name) || LOOKS.has(name)) ? "reads" : "open"
}

const shellState = (name: string): string =>
  name === "cd" || name === "pushd" || name === "popd"
    ? `${name} moves what follows into another directory, where its words may mean other files`
    : `${name} changes the shell or runs what it is given`

/** `cd` to where the line runs anyway, by its whole path: nothing is elsewhere afterwards. */
const staysHere = (words: ReadonlyArray<ShellWord>, { workspace }: Paths): boolean => {
  const [program, target, ...more] = words
  if (program?.value !== "cd" || target === undefined || more.length > 0 || target.why.length > 0) return false
  return !target.glob && workspace !== "/" && target.value.replace(/(?<!\/)\/+$/, "") === workspace
}

const HERE: Facts = {
  name: "cd",
  names: ["cd"],
  notPlain: [],
  unsettled: [],
  filter: true,
  paths: [],
  prefix: [],
  readOnly: true
}

const optionsOf = (name: string, args: ReadonlyArray<string>, paths: Paths): ReadonlyArray<string> => [
  ...riskyWords(name, ownWords(name, args, paths)).map((word) => `has the option ${word}`),
  ...handedWords(name, args, paths).map((word) => `hands ${word} to a script, which may run it`)
]

/** Words that a wrapper runs: they are judged as the command that they are. */
const startedWords = (
  name: string,
  names: ReadonlyArray<string>,
  words: ReadonlyArray<ShellWord>
): ReadonlySet<ShellWord> => {
  const wrapper = unwrap(name, names, words)
  if (wrapper?.always !== true) return new Set()
  // A script made of several words is none of them: then all may be its.
  const known = wrapper.scripts.every((text) => words.includes(text))
  return new Set(known ? [...(wrapper.certain ?? wrapper.commands.flat()), ...wrapper.scripts] : words)
}

const taken = (name: string, args: ReadonlyArray<string>, paths: Paths): Pick<Facts, "destroys" | "deletes"> => {
  const lost = destroys(name, args, paths)
  const gone = lost ?? takesAway(name, args, paths)
  return { ...(lost === undefined ? {} : { destroys: lost }), ...(gone === undefined ? {} : { deletes: gone }) }
}

const openContent = ({ unclear, unread }: Content): ReadonlyArray<string> => [
  ...(unread === undefined ? [] : [`${unread} cannot be read`]),
  ...(unclear === undefined ? [] : [`nobody can tell what else ${unclear} runs`])
]

const ofContent = (
  { digest, files = [], within }: Content,
  paths: Paths
): Pick<Facts, "content" | "runs" | "within"> => {
  const inner = withinOf(within, paths)
  return {
    ...(digest === undefined ? {} : { content: digest, runs: files }),
    ...(inner === undefined ? {} : { within: inner })
  }
}

/** Of tests their settings count, and not the code that they try; a module that is named is one more script. */
const countedWords = (form: ReadonlyArray<string> | undefined, args: ReadonlyArray<string>): ReadonlyArray<string> =>
  form === undefined || form.includes("unittest") ? args : form

/** Everything that is known of a command with these words (the program first). */
export const judgeProgram = (words: ReadonlyArray<ShellWord>, around: Surroundings, fed?: Fed): Facts => {
  if (staysHere(words, around.paths)) return { ...HERE, paths: [around.paths.workspace] }
  const found = program(words[0]?.value ?? "", around)
  const own = gitProgram(words[0]?.value ?? "")
  const operands = [...(own === undefined ? [] : [literalWord(own)]), ...words.slice(1)]
  const args = operands.map((word) => word.value)
  const named = own === undefined ? nameOf(found) : "git"
  const git = gitOf(named, args, around)
  const options = git === undefined ? optionsOf(named, args, around.paths) : git.notPlain
  const role = git?.role ?? (onlyShows(named, args) ? "reads" : undefined) ?? roleOf(named, options.length > 0)
  const places = commandPaths(named, operands, around.paths, role, startedWords(named, found.names, words))
  const form = testForm(named, args)
  const content = contentOf(words[0]?.value ?? "", named, countedWords(form, args), around.paths, fed)
  const level = levelOf(named, args, around.paths)
  const looks = onlyShows(named, args)
  const exactly = form === undefined ? (whyExactly(found.names, level) ?? writesUnlessTold(named, args)) : undefined
  const known = looks ? undefined : (exactly ?? git?.exactOnly)
  const only = own === undefined ? known : (known ?? "it is a program of git's own")
  const gone = taken(named, args, around.paths)
  const refused =
    found.names.map((name) => refusalOf(name, args, around.paths)).find((why) => why !== undefined) ??
    git?.refused ??
    places.refused
  const state = SHELL_STATE.has(found.name) ? [shellState(found.name)] : []
  return {
    name: named,
    names: own === undefined ? found.names : [...found.names, "git"],
    notPlain: [
      ...wordsWhy(words),
      ...found.notPlain,
      ...state,
      ...options,
      ...doesMore(named, args),
      ...places.notPlain,
      ...reachesBelow(named, operands, around.paths)
    ],
    unsettled: [...found.unsettled, ...(git?.unsettled ?? []), ...openContent(content)],
    paths: places.paths,
    prefix:
      form !== undefined
        ? [found.name, ...form]
        : looks && level === undefined
          ? []
          : prefixOf(found.name, args, level),
    readOnly:
      (looks || isReadOnlyProgram(named)) &&
      !WRITERS.has(named) &&
      (git?.readOnly ?? true) &&
      gone.destroys === undefined,
    ...(only === undefined ? {} : { exactOnly: only }),
    ...gone,
    ...([named, ...found.names].some((name) => reachesNetwork(name, args)) ? { network: true as const } : {}),
    ...(places.paths.length === 0 && isFilter(words[0]?.value ?? "", args) ? { filter: true as const } : {}),
    ...ofContent(content, around.paths),
    ...(refused === undefined ? {} : { refused })
  }
}
