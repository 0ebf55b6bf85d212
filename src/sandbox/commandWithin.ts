/**
 * The commands of scripts that a line runs from files, for rules (SECURITY P4, T2): `./deploy.sh` that pushes, `npm run
 * deploy`, a makefile's recipe. Owns: what is known of such a command from its words alone. Does not own: which scripts
 * (commandContent). Invariant: it makes rules stricter and nothing else; what a script puts together is not seen.
 */
import type { SimpleCommand } from "../domain/Approval.ts"
import type { Within } from "./commandRuns.ts"
import { destroys } from "./commandDestroys.ts"
import { reachesNetwork } from "./commandNetwork.ts"
import type { Paths } from "./commandPaths.ts"
import { TEXT_ONLY } from "./commandTables.ts"
import { takesAway } from "./commandTakesAway.ts"

/** Words that are looked up as paths, of all commands of one script. */
const MAX_WORDS = 600
const PATH = /^(?!-)[^\s=:]{1,400}$/

const judged = (argv: ReadonlyArray<string>, look: () => boolean, paths: Paths): SimpleCommand => {
  const [program = "", ...args] = argv
  const name = program.slice(program.lastIndexOf("/") + 1)
  const words = TEXT_ONLY.has(name) ? [] : args.filter((word) => PATH.test(word) && look())
  const deletes = destroys(name, args, paths) ?? takesAway(name, args, paths)
  return {
    argv,
    text: argv.join(" "),
    notPlain: [],
    unsettled: [],
    names: [name],
    paths: [...new Set(words.map((word) => paths.place(word).path))].filter((path) => path !== paths.workspace),
    prefix: [],
    readOnly: false,
    ...(deletes === undefined ? {} : { deletes }),
    ...(reachesNetwork(name, args) ? { network: true as const } : {})
  }
}

export const withinOf = ({ commands, texts }: Within, paths: Paths): SimpleCommand["within"] => {
  let left = MAX_WORDS
  const look = () => (left -= 1) >= 0
  const found = commands.filter((words) => words.length > 0).map((words) => judged(words, look, paths))
  return found.length === 0 && texts.length === 0 ? undefined : { commands: found, texts }
}
