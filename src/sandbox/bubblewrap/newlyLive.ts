/**
 * A look at what a call makes of repositories while it runs. One that it makes, that would let git run a program, and
 * into which git goes by itself (a submodule of one that was there before) is live for whoever says `git status`: such a
 * call is ended at once, before newRepositories puts aside what it made. Owns: when to look, and that judgement; changes
 * nothing, for who still runs could put a link in the place of whatever is changed. Invariant: a look costs no walk.
 */
import { lstatSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import { onDisk } from "../fileNames.ts"
import { gitlinksOf } from "./gitlinks.ts"
import { attempt, identityOf, isWithin, kindOf, realOf, textOf } from "../look.ts"
import { armedAmong } from "./newRepositories.ts"
import type { Repository } from "./repositories.ts"

const LOOK_MS = 200
/** A look takes at most one part in so many of the time. */
const SHARE = 20

interface Watched {
  readonly root: string
  readonly before: ReadonlyArray<Repository>
  /** Of what was there, and is kept as it was. */
  readonly known: ReadonlySet<string>
  /** Directory of a repository → what its index was when it was read, and named. */
  readonly read: Map<string, { readonly as: string; readonly links: ReadonlyArray<string> }>
}

const linksOf = ({ read }: Watched, git: string): ReadonlyArray<string> => {
  const stats = attempt(() => lstatSync(onDisk(join(git, "index")), { bigint: true, throwIfNoEntry: false }))
  if (stats === undefined) return []
  const as = `${stats.ino} ${stats.size} ${stats.mtimeNs} ${stats.ctimeNs}`
  const last = read.get(git)
  if (last?.as === as) return last.links
  const links = gitlinksOf(git)
  read.set(git, { as, links })
  return links
}

/** `.git` of a submodule, and where it leads if it is a file. */
const repositoriesAt = (path: string): ReadonlyArray<Repository> => {
  const kind = kindOf(path)
  const id = identityOf(path)
  if (kind === "missing" || id === undefined) return []
  const [, to] = /^gitdir: ([^\n]+)\n?$/.exec(kind === "file" ? (textOf(path) ?? "") : "") ?? []
  const git = to === undefined ? undefined : realOf(resolve(dirname(path), to))
  const led = git === undefined ? undefined : identityOf(git)
  if (git === undefined || led === undefined) return [{ path, kind, id }]
  return [
    { path, kind, id },
    { path: git, kind: "directory", id: led }
  ]
}

const DEEPEST = 20

/** Whether git goes from here into one that is new and would let it run a program. */
const leadsToArmed = (watched: Watched, git: string, tree: string, deep = 0): boolean =>
  deep < DEEPEST &&
  linksOf(watched, git).some((path) => {
    const below = join(tree, path)
    const found = repositoriesAt(join(below, ".git")).filter(({ id }) => !watched.known.has(id))
    if (found.length === 0 || !isWithin(watched.root, below)) return false
    if (armedAmong(watched.root, watched.known, found).length > 0) return true
    return found.some((one) => one.kind === "directory" && leadsToArmed(watched, one.path, below, deep + 1))
  })

const treeOf = (git: string): string => (git.endsWith("/.git") ? dirname(git) : git)

const startsOf = (root: string, repositories: ReadonlyArray<Repository>): ReadonlyArray<string> => [
  `${root}/.git`,
  ...repositories.filter(({ kind }) => kind === "directory").map(({ path }) => path)
]

const isNewlyLive = (watched: Watched): boolean =>
  startsOf(watched.root, watched.before).some((git) => leadsToArmed(watched, git, treeOf(git)))

/** Repositories that the indexes of these lead to, at any depth: what no walk through directories has to find. */
export const linkedFrom = (root: string, from: ReadonlyArray<Repository>): ReadonlyArray<Repository> => {
  const found = new Map<string, Repository>()
  const left = startsOf(root, from).map((git) => ({ git, tree: treeOf(git) }))
  for (let one = left.pop(); one !== undefined; one = left.pop())
    for (const path of gitlinksOf(one.git)) {
      const tree = join(one.tree, path)
      const fresh = repositoriesAt(join(tree, ".git")).filter(({ id }) => isWithin(root, tree) && !found.has(id))
      for (const repository of fresh) {
        found.set(repository.id, repository)
        if (repository.kind === "directory") left.push({ git: repository.path, tree })
      }
    }
  return Array.from(found.values())
}

/** The way to stop; `end` is called once. */
export const watchNew = (what: Omit<Watched, "read">, end: () => void): (() => void) => {
  const watched: Watched = { ...what, read: new Map() }
  let timer: NodeJS.Timeout | undefined
  const look = (): void => {
    const start = performance.now()
    if (isNewlyLive(watched)) return end()
    timer = setTimeout(look, Math.max(LOOK_MS, (performance.now() - start) * SHARE))
  }
  timer = setTimeout(look, LOOK_MS)
  return () => clearTimeout(timer)
}
