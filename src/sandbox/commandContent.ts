/**
 * The files that decide what a command runs: a manifest with scripts, a makefile, the script itself and what it pulls in.
 * Owns: their digest, so that a grant ends when they change (SECURITY P12, T3). Invariants: a file that cannot be read
 * whole has no digest and the command is unsettled; so has one of which nobody can tell what it pulls in.
 */
import { createHash } from "node:crypto"
import { readFileSync, statSync } from "node:fs"
import { dirname, join } from "node:path"
import type { Content, Fed } from "./commandRuns.ts"
import { configured } from "./commandConfigured.ts"
import { linkedFiles } from "./commandLinked.ts"
import { goalsOf, makeLines, reached } from "./commandMake.ts"
import type { Manifest } from "./commandManifest.ts"
import { manifestOf } from "./commandManifests.ts"
import { membersOf } from "./commandMembers.ts"
import { fedFiles, followsWords, type Named, readsUnnamed, SCRIPTED, scriptRoots, wordFiles } from "./commandNamed.ts"
import { startedAs, toolsIn } from "./commandOwnText.ts"
import { directoryOf, startedScripts } from "./commandPackageScripts.ts"
import type { Paths } from "./commandPaths.ts"
import { optionFiles, pointedFiles } from "./commandPointed.ts"
import { shellPulled } from "./commandScripts.ts"
import { type Language, languageOfName, languageOfProgram, pulledBy } from "./commandSources.ts"
import { filesBelow, modulesBeside } from "./commandSpread.ts"
import { startedBy } from "./commandStarted.ts"
import { exactOnly, plainName, SHELLS } from "./commandTables.ts"

const MAX_BYTES = 4 << 20
/** Longer shell scripts are not taken apart. */
const MAX_SHELL = 256 << 10
/** Of all files of one command, and their bytes. */
const MAX_FILES = 2_000
const MAX_TOTAL = 8 << 20
/** Commands of scripts that rules look at, and texts. */
const MAX_WITHIN = 1_000
const MAX_TEXTS = 64
const MAX_TEXT = 256 << 10
/** Names looked up for one command: far below what a line may cost. */
const MAX_LOOKS = 4_000

interface Root extends Named {
  /** Whatever else its text names counts, too. */
  readonly config?: boolean
}

interface Gathering {
  readonly paths: Paths
  /** Real path → digest, or `none` where no file is. */
  readonly digests: Map<string, string>
  readonly programs: Set<string>
  /** Real paths whose own imports were followed. */
  readonly followed: Set<string>
  /** What is named counts, and not what that imports. */
  shallow: boolean
  bytes: number
  looks: number
  readonly commands: Array<ReadonlyArray<string>>
  readonly texts: Array<string>
  /** What make is told to make. */
  goals: ReadonlyArray<string>
  unread?: string
  unclear?: string
}

const textOf = (path: string, gathering: Gathering): string | undefined => {
  const stats = statSync(path, { throwIfNoEntry: false })
  if (stats === undefined || !stats.isFile() || stats.size > MAX_BYTES) return undefined
  gathering.paths.budget.spend(1 + (stats.size >> 12))
  return readFileSync(path, "utf8")
}

/** What a manifest's own text says, apart from what it imports. */
const isLoose = ({ language }: Manifest): boolean => language === "make"

/** Files of its name below. Where there is too much of them, what runs whatever they say is allowed once only. */
const spread = (name: string, form: RegExp | undefined, gathering: Gathering): ReadonlyArray<string> => {
  if (form === undefined) return []
  const { complete, files } = filesBelow(form, gathering.paths)
  if (!complete && exactOnly(name) !== undefined) gathering.unclear ??= name
  return files
}

const manifestRoots = (name: string, args: ReadonlyArray<string>, gathering: Gathering): ReadonlyArray<Root> => {
  const manifest = manifestOf(name)
  if (manifest === undefined) return []
  const { paths } = gathering
  const { below, language, locked, members, only, unnamed } = manifest
  const read = (file: string) => textOf(join(paths.workspace, file), gathering)
  const further = members === undefined ? [] : membersOf(members, read, paths)
  if (further === undefined) gathering.unread = `${name}'s workspaces`
  const command = args.find((word) => !word.startsWith("-")) ?? ""
  const follows = only === undefined || command === "" || only.has(command)
  const files = follows ? manifest.files : []
  if (unnamed?.has(command) === true) gathering.unclear ??= `${name} ${command}`
  const lockFiles = locked?.commands.has(command) === true ? locked.files : []
  const isInstall = name === "yarn" && args.every((word) => word.startsWith("-"))
  const tools = members === "npm" ? toolsIn(read("package.json") ?? "") : []
  const own = [...files, ...optionFiles(manifest, args, paths), ...pointedFiles(files, args, paths)]
  const config = !isLoose(manifest)
  return [
    ...own.map((file) => ({ file, language: language ?? languageOfName(file), config })),
    ...(further ?? []).map((file) => ({ file, language: languageOfName(file), config: true })),
    ...spread(name, follows ? below : undefined, gathering).map((file) => ({ file, config: true })),
    ...[...lockFiles, ...(isInstall ? (locked?.files ?? []) : [])].map((file) => ({ file })),
    ...tools.flatMap((tool) => manifestRoots(tool, [], gathering))
  ]
}

/** Code that stands in the command itself may import from the working directory. */
const EVALUATES = /^(?:-[A-Za-z]*[ceErp]|--eval|--print)$/

const codeRoots = (name: string, args: ReadonlyArray<string>, fed: Fed, gathering: Gathering): void => {
  const { workspace } = gathering.paths
  if (SHELLS.has(name))
    for (const text of fed.texts) pullShell(join(workspace, "a here-document"), text, undefined, gathering)
  const language = SCRIPTED.has(name) ? languageOfProgram(name) : undefined
  if (language === undefined || language === "sh") return
  for (const word of [...args.filter((_, at) => EVALUATES.test(args[at - 1] ?? "")), ...fed.texts]) {
    const { files, unclear } = pulledBy(language, word, { directory: workspace, roots: [workspace] })
    if (unclear && !gathering.shallow) gathering.unclear ??= word.length > 40 ? `the code of ${name}` : word
    for (const file of files) gather({ file, language }, workspace, gathering)
    startedFiles(language, word, workspace, gathering)
  }
}

const NOT_FED: Fed = { files: [], texts: [] }

const MAKES = /^[gb]?make$/

const ofCommand = (
  program: string,
  name: string,
  args: ReadonlyArray<string>,
  gathering: Gathering,
  fed: Fed = NOT_FED
): void => {
  const key = JSON.stringify([program, name, args, fed, gathering.shallow])
  if (gathering.programs.has(key)) return
  gathering.programs.add(key)
  const plain = plainName(name)
  if (MAKES.test(plain)) gathering.goals = goalsOf(args)
  const own = program.includes("/") ? [{ file: program, language: undefined, started: true }] : []
  // `python -m pytest`
  const module = plain === "python" ? (args[args.indexOf("-m") + 1] ?? "") : ""
  const manifests = [...new Set([plain, name, module])].flatMap((one) => manifestRoots(one, args, gathering))
  const named = [...scriptRoots(plain, args), ...wordFiles(name, args, gathering.paths), ...fedFiles(plain, fed.files)]
  for (const root of [...own, ...manifests, ...named]) gather(root, undefined, gathering, "started" in root)
  codeRoots(plain, args, fed, gathering)
  packageScripts(plain, args, gathering.paths.workspace, gathering)
  if (plain === "python") besideScript(args, gathering)
}

/** Python looks there first, also for what its own modules import. */
const besideScript = (args: ReadonlyArray<string>, { digests, paths }: Gathering): void => {
  const word = args.find((one) => !one.startsWith("-"))
  const script = args.some((one) => /^-[A-Za-z]*[cm]/.test(one)) ? undefined : word
  const { inside, path } = paths.place(script === undefined ? "." : dirname(script))
  if (inside) digests.set(`${path}/*.py`, createHash("sha256").update(modulesBeside(path, paths)).digest("hex"))
}

/** What code starts by name. */
const startedFiles = (language: Language, text: string, directory: string, gathering: Gathering): void => {
  const { files, unclear } = startedBy(language, text, { directory, roots: [gathering.paths.workspace] })
  if (unclear) gathering.unclear ??= "the code"
  for (const file of files) gather({ file, language: languageOfName(file) }, undefined, gathering)
}

/** `npm run lint`: what its script names and runs, as if it stood in the line. */
const packageScripts = (name: string, args: ReadonlyArray<string>, at: string, gathering: Gathering): void => {
  const { paths, shallow } = gathering
  const read = (file: string) => textOf(paths.place(join(at, file)).path, gathering)
  for (const script of startedScripts(name, args, read, () => membersOf("npm", read, paths) ?? [], paths)) {
    const directory = paths.place(join(at, directoryOf(script))).path
    if (at !== paths.workspace) gather({ file: join(directory, "package.json") }, undefined, gathering)
    gathering.shallow = script.tests
    pullShell(join(directory, "package.json"), script.text, directory, gathering)
    gathering.shallow = shallow
  }
}

const pullShell = (
  path: string,
  text: string,
  root: string | undefined,
  gathering: Gathering,
  isReached = true
): void => {
  const { budget, workspace } = gathering.paths
  if (text.length > MAX_SHELL) return void (gathering.unclear ??= path)
  budget.spend(text.length >> 8)
  const pulled = shellPulled(text, { directory: dirname(path), roots: [root ?? workspace] })
  if (pulled.unclear && !gathering.shallow) gathering.unclear ??= path
  for (const file of pulled.sourced) gather({ file, language: "sh" }, root, gathering)
  for (const { texts, words } of pulled.commands) {
    const [program = "", ...args] = words
    if (isReached && gathering.commands.length < MAX_WITHIN) gathering.commands.push(words)
    // Other directories than the workspace's matter to names of files alone.
    for (const at of pulled.roots.filter((one) => one !== workspace)) {
      packageScripts(plainName(program.split("/").at(-1) ?? ""), args, at, gathering)
      for (const word of [program, ...args].filter((one) => /^[^-]*[./]/.test(one)))
        gather({ file: join(at, word), language: languageOfName(word) }, at, gathering)
    }
    ofCommand(program, program.split("/").at(-1) ?? "", args, gathering, { files: [], texts })
  }
}

/** Of these only themselves count: a setting that imports what is worked on would end a grant with each edit. */
const gatherNamed = (path: string, text: string, language: Language | undefined, gathering: Gathering): void => {
  const { paths } = gathering
  const code = language !== undefined && language !== "json"
  const { files, unclear } = configured(text, { directory: dirname(path), roots: [paths.workspace] }, code)
  if (unclear) gathering.unclear ??= path
  for (const file of files)
    gather({ file, language: /\.(?:ba|z|k)?sh$/.test(file) ? "sh" : undefined }, undefined, gathering)
}

const gather = (
  { config, file, language }: Root,
  root: string | undefined,
  gathering: Gathering,
  started = false
): void => {
  const { digests, paths } = gathering
  if (gathering.unread !== undefined) return
  if ((gathering.looks += 1) > MAX_LOOKS) return void (gathering.unclear ??= "it")
  const place = paths.place(file)
  if (!place.inside || (gathering.shallow ? digests : gathering.followed).has(place.path)) return
  if (!gathering.shallow) gathering.followed.add(place.path)
  try {
    const stats = statSync(place.path, { throwIfNoEntry: false })
    if (stats === undefined || stats.isDirectory()) return void digests.set(place.path, "none")
    gathering.bytes += stats.size
    const text = textOf(place.path, gathering)
    if (text === undefined || digests.size > MAX_FILES || gathering.bytes > MAX_TOTAL)
      return void (gathering.unread = place.path)
    digests.set(place.path, createHash("sha256").update(readFileSync(place.path)).digest("hex"))
    const as = started ? startedAs(place.path, text) : language
    if (config === true) gatherNamed(place.path, text, language, gathering)
    if (as === "sh") return pullShell(place.path, text, root, gathering)
    if (as === undefined || gathering.shallow) return
    if (as === "make") {
      const shown = new Set(makeLines(reached(text, gathering.goals)))
      for (const line of makeLines(text)) pullShell(place.path, line, paths.workspace, gathering, shown.has(line))
    } else if (text.length <= MAX_TEXT && gathering.texts.length < MAX_TEXTS) gathering.texts.push(text)
    if (as === "js")
      for (const one of linkedFiles(text, paths)) gather({ file: one, language: "js" }, undefined, gathering)
    const pulled = pulledBy(as, text, {
      directory: dirname(place.path),
      roots: [root ?? dirname(place.path), paths.workspace]
    })
    if (pulled.unclear) gathering.unclear ??= place.path
    for (const one of pulled.files)
      gather(
        { file: one, language: as === "make" ? (languageOfName(one) ?? as) : as },
        root ?? dirname(place.path),
        gathering
      )
    startedFiles(as, text, dirname(place.path), gathering)
  } catch (error) {
    if (error instanceof Error && error.name === "Exhausted") throw error
    gathering.unread = place.path
  }
}

/** One digest over all of them; nothing where the command has no such files. */
export const contentOf = (
  program: string,
  name: string,
  args: ReadonlyArray<string>,
  paths: Paths,
  fed: Fed = NOT_FED
): Content => {
  const gathering: Gathering = {
    paths,
    digests: new Map(),
    programs: new Set(),
    followed: new Set(),
    shallow: false,
    bytes: 0,
    looks: 0,
    commands: [],
    texts: [],
    goals: []
  }
  ofCommand(program, name, args, gathering, fed)
  const { digests, unread } = gathering
  const within = { commands: gathering.commands, texts: gathering.texts }
  if (unread !== undefined) return { unread, within }
  const given = args.includes("{}") && followsWords(name, args)
  const unnamed = given || (digests.size === 0 && fed.texts.length === 0 && readsUnnamed(name, args))
  const unclear = gathering.unclear ?? (unnamed ? name : undefined)
  if (digests.size === 0) return unclear === undefined ? { within } : { unclear, within }
  const whole = createHash("sha256")
  for (const [path, digest] of [...digests].toSorted(([a], [b]) => (a < b ? -1 : 1)))
    whole.update(`${path}\n${digest}\n`)
  const files = [...digests.keys()]
  return { digest: whole.digest("hex"), files, within, ...(unclear === undefined ? {} : { unclear }) }
}
