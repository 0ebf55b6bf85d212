/**
 * `cd sub && npm test`: what a later command of a line runs lies where an earlier one went (SECURITY P12). Owns: those
 * directories, and the files that count there beside the ones at the root. Does not own: which files (commandContent).
 * Invariant: of a line that goes where nobody can say, no later command that runs files is granted.
 */
import { createHash } from "node:crypto"
import { resolve } from "node:path"
import type { SimpleCommand } from "../domain/Approval.ts"
import { contentOf } from "./commandContent.ts"
import type { Content } from "./commandRuns.ts"
import type { Paths } from "./commandPaths.ts"

const GOES: ReadonlySet<string> = new Set(["cd", "pushd"])
const MAX_PLACES = 8
/** As it stands in the line and is meant. */
const LITERAL = /^[\p{L}\p{N}_.@+/ -]+$/u

/** Words are looked up from this directory; what is inside the workspace stays so. */
const seenFrom = (directory: string, paths: Paths): Paths => ({
  ...paths,
  workspace: directory,
  place: (word) => paths.place(word.startsWith("/") ? word : `${directory}/${word}`)
})

interface Places {
  readonly known: Set<string>
  unknown: boolean
}

/** `cd sub`, and `env -C sub make`; undefined: it stays where it is. */
export const targetOf = ({ argv, names }: SimpleCommand): string | undefined => {
  const args = argv.slice(1)
  if (GOES.has(argv[0] ?? "")) return args.find((word) => !/^-./.test(word)) ?? "~"
  if (!names.includes("env")) return undefined
  const at = args.findIndex((word) => /^(?:-[iv0]*C|--ch[dir]*)$/.test(word))
  const attached = args.find((word) => /^(?:-[iv0]*C.|--ch[dir]*=)/.test(word))
  return at < 0 ? attached?.replace(/^(?:-[iv0]*C|--ch[dir]*=)/, "") : (args[at + 1] ?? "~")
}

const go = (target: string, places: Places, paths: Paths): void => {
  if (target === "-" || !LITERAL.test(target)) return void (places.unknown = true)
  for (const from of [paths.workspace, ...places.known]) {
    const place = paths.place(resolve(from, target))
    if (place.inside && place.path !== paths.workspace) places.known.add(place.path)
  }
  if (places.known.size > MAX_PLACES) places.unknown = true
}

/** What of its files lies in these directories. */
const foundIn = (
  { argv, names }: SimpleCommand,
  directories: Iterable<string>,
  paths: Paths
): ReadonlyArray<Content> => {
  const [program = "", ...args] = argv
  return Array.from(directories).flatMap((directory) =>
    names.map((name) => contentOf(program, name, args, seenFrom(directory, paths)))
  )
}

const because = ({ unclear, unread }: Content): ReadonlyArray<string> => [
  ...(unread === undefined ? [] : [`${unread} cannot be read`]),
  ...(unclear === undefined ? [] : [`nobody can tell what else ${unclear} runs`])
]

const bound = (command: SimpleCommand, found: ReadonlyArray<Content>): SimpleCommand => {
  const digests = found.flatMap(({ digest }) => digest ?? [])
  const unsettled = [...new Set([...command.unsettled, ...found.flatMap(because)])]
  if (digests.length === 0) return { ...command, unsettled }
  const content = createHash("sha256")
    .update([command.content ?? "", ...digests].join("\n"))
    .digest("hex")
  return {
    ...command,
    content,
    runs: [...new Set([...(command.runs ?? []), ...found.flatMap(({ files = [] }) => files)])],
    unsettled
  }
}

const there = (command: SimpleCommand, { known, unknown }: Places, paths: Paths): SimpleCommand => {
  if (!unknown) return bound(command, foundIn(command, known, paths))
  if (command.content === undefined && command.argv[0]?.includes("/") !== true) return command
  return { ...command, unsettled: [...command.unsettled, "nobody can say in which directory it runs"] }
}

/** The same commands, bound to what they run where the line has gone by then. */
export const whereMoved = (commands: ReadonlyArray<SimpleCommand>, paths: Paths): ReadonlyArray<SimpleCommand> => {
  const places: Places = { known: new Set(), unknown: false }
  /** The same words from the same places run the same. */
  const seen = new Map<string, SimpleCommand>()
  return commands.map((command) => {
    const target = targetOf(command)
    if (target !== undefined) {
      go(target, places, paths)
      return command
    }
    if (!places.unknown && places.known.size === 0) return command
    const key = JSON.stringify([
      command.argv,
      command.notPlain,
      command.text,
      command.fed,
      places.known.size,
      places.unknown
    ])
    const found = seen.get(key) ?? there(command, places, paths)
    seen.set(key, found)
    return found
  })
}
