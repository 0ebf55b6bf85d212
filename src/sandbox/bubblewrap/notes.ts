/** What isolation says with a call's result, for the model and the person. Owns the sentences alone. */
import { shownName } from "../fileNames.ts"
import type { IsolationSettings } from "../Isolation.ts"
import type { Limits } from "../ProcessRunner.ts"
import type { Walk } from "./repositories.ts"

const MOST = 10

const listed = (paths: ReadonlyArray<string>): string => {
  const more = paths.length - MOST
  return paths.slice(0, MOST).map(shownName).join(", ") + (more > 0 ? ` and ${more} more` : "")
}

export const putAsideNotes = (paths: ReadonlyArray<string>): ReadonlyArray<string> =>
  paths.length === 0
    ? []
    : [
        "isolation: git settings made by an isolated command are put aside, for git would run programs by them: " +
          `${listed(paths)}; each is kept as NAME.claw-held, and only the user may bring it back`
      ]

export const replacedNotes = (paths: ReadonlyArray<string>): ReadonlyArray<string> =>
  paths.length === 0
    ? []
    : [
        "isolation: replaced from outside while the command ran, so that the command may have changed it: " +
          `${listed(paths)}; the user should look at it`
      ]

export const incomplete = (root: string, { complete, unread }: Walk): ReadonlyArray<string> => [
  ...(complete ? [] : ["isolation: too many directories to look for new repositories in all of them"]),
  ...(unread.length === 0
    ? []
    : [
        "isolation: cannot be read, so that nobody looked for new repositories below: " +
          `${listed(unread.map((path) => path.slice(root.length + 1) || "."))}; the user should look before using git there`
      ])
]

/** Why a call was ended that took more than its share. */
export const limitsOf = ({ memory_mb, processes }: IsolationSettings): Limits => ({
  memory_limit: `its processes and temporary files took more than ${memory_mb} MiB of memory (isolation.memory_mb)`,
  process_limit: `it filled its share of ${processes} processes (isolation.processes)`,
  git_settings: "it added a repository that it made as a submodule, with settings by which git would run programs"
})
