/**
 * Repositories below the workspace that its index does not name yet (SECURITY P7): git was not asked about their settings
 * when the line was judged, and looks into them once an earlier command of the line has put them into the index. Owns: the
 * look. Changes nothing. Invariant: what cannot be looked through counts as holding one.
 */
import { lstatSync } from "node:fs"
import { gitLinks } from "./commandGitLinks.ts"
import { entriesOf, onDisk } from "./fileNames.ts"

const MAX_ENTRIES = 30_000
/** Packages lie right below; of what they hold nothing is put into an index. */
const PACKAGES = "node_modules"

const isThere = (path: string): boolean => lstatSync(onDisk(path), { throwIfNoEntry: false }) !== undefined

interface Look {
  readonly workspace: string
  readonly links: ReadonlySet<string>
  seen: number
}

const isOpen = (path: string, look: Look): boolean =>
  isThere(`${path}/.git`) && !look.links.has(path.slice(look.workspace.length + 1))

const below = (path: string, look: Look, shallow: boolean): boolean => {
  for (const { entry, name } of entriesOf(path)) {
    look.seen += 1
    if (look.seen > MAX_ENTRIES) return true
    const inner = `${path}/${name}`
    if (!entry.isDirectory() || name === ".git") continue
    if (isOpen(inner, look)) return true
    const further = !shallow || name.startsWith("@")
    if (further && below(inner, look, shallow || name === PACKAGES)) return true
  }
  return false
}

/** Whether there is one, or nobody can say. */
export const holdsOpenRepositories = (workspace: string): boolean => {
  try {
    const links = gitLinks(`${workspace}/.git/index`, false) ?? []
    return below(workspace, { workspace, links: new Set(links), seen: 0 }, false)
  } catch {
    return true
  }
}
