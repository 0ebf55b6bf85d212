/**
 * What one call finds of repositories in its workspace before it begins, and what is said of them when it is over.
 * Owns: the order of looking, putting aside and recording. Invariants: a repository whose name bubblewrap cannot be told
 * (it takes texts, names are bytes) is judged after the call as one that the call made, and one that would let git run a
 * program already before keeps the call from starting.
 */
import { record, takeLost } from "./callRecords.ts"
import { shownName } from "../fileNames.ts"
import { armedAmong, disarm } from "./newRepositories.ts"
import { linkedFrom } from "./newlyLive.ts"
import { incomplete, putAsideNotes } from "./notes.ts"
import { findRepositories, type Repository, type Walk } from "./repositories.ts"

export interface Around {
  /** They are mounted as they may be seen. */
  readonly repositories: ReadonlyArray<Repository>
  /** They cannot be. */
  readonly others: ReadonlyArray<Repository>
  /** Of `repositories`. */
  readonly known: ReadonlySet<string>
  readonly sockets: ReadonlyArray<string>
  /** After the call; once. */
  readonly review: () => ReadonlyArray<string>
  readonly forget: () => void
}

/** Throws where one is no text. */
export const refuseUnnameable = (paths: ReadonlyArray<string>): void => {
  const odd = paths.find((path) => !path.isWellFormed())
  if (odd !== undefined) throw new Error(`${shownName(odd)} has a name that is not UTF-8`)
}

/** Where the walk could not go, git still goes by what its indexes name. */
const allOf = (root: string, walk: Walk): ReadonlyArray<Repository> => {
  if (walk.complete && walk.unread.length === 0) return walk.found
  const ids = new Set(walk.found.map(({ id }) => id))
  return [...walk.found, ...linkedFrom(root, walk.found).filter(({ id }) => !ids.has(id))]
}

/** Puts aside what calls made that were cut off here, and says so. Takes their records. */
export const reviewLost = (root: string, state: string): ReadonlyArray<string> => {
  const lost = takeLost(state, root)
  return lost === undefined ? [] : putAsideNotes(disarm(root, lost, allOf(root, findRepositories(root))))
}

export const lookAround = (root: string, state: string | undefined): Around => {
  const lost = takeLost(state, root)
  const first = findRepositories(root)
  const aside = lost === undefined ? [] : disarm(root, lost, allOf(root, first))
  const before = aside.length === 0 ? first : findRepositories(root)
  const there = allOf(root, before)
  const repositories = there.filter(({ path }) => path.isWellFormed())
  const others = there.filter(({ path }) => !path.isWellFormed())
  const known = new Set(repositories.map(({ id }) => id))
  refuseUnnameable(armedAmong(root, known, there).map(({ path }) => path))
  const forget = record(state, root, known)
  const review = (): ReadonlyArray<string> => {
    const after = findRepositories(root)
    const made = disarm(root, known, allOf(root, after))
    forget()
    return [...putAsideNotes([...aside, ...made]), ...incomplete(root, after)]
  }
  return { repositories, others, known, sockets: before.sockets, review, forget }
}
