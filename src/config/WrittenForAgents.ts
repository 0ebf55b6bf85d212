/**
 * What people wrote for agents to read, as it counts for one directory (SECURITY T8, R272): the person's own files, and
 * those of a workspace as they were trusted. Owns: which of them those are. Does not own: trust itself, how they are told.
 * Invariant: nothing of a workspace is in it that is not trusted, and what is in it is the text that was judged.
 */
import { join } from "node:path"
import type { ConfigShape } from "./AppConfig.ts"
import { readText } from "./configFile.ts"
import { lookAt, type TreeFile } from "./offerTree.ts"
import { type OfferKind, MEMORY } from "./workspaceOffers.ts"
import { type Standing, standing } from "./WorkspaceTrust.ts"

export interface Written {
  /** Relative to the workspace, or in full. */
  readonly path: string
  readonly of: "user" | "project"
  readonly text: string
}

/** How it stands with a workspace: as it was judged when claw began, or as it is now where that was another one. */
export const standingOf = ({ state_dir, trust }: ConfigShape, workspace: string): Standing =>
  trust.workspace === workspace ? trust : standing({ state_dir, workspace })

/** The person's own; links are theirs to make. */
const ownMemory = ({ config_dir }: ConfigShape): ReadonlyArray<Written> => {
  const path = join(config_dir, MEMORY[0])
  try {
    return [{ path, of: "user", text: readText(path, true) }]
  } catch {
    return []
  }
}

/** The person's own first, then from the outermost directory to the workspace. */
export const memoryOf = (config: ConfigShape, { offers, status }: Standing): ReadonlyArray<Written> => {
  const theirs = offers.flatMap(({ kind, path, text }): ReadonlyArray<Written> =>
    status === "trusted" && kind === "memory" && text !== undefined ? [{ path, of: "project", text }] : []
  )
  return [...ownMemory(config), ...theirs]
}

/** A directory, and all that is in it. */
export interface WrittenTree {
  /** Relative to the workspace, or in full. */
  readonly path: string
  readonly of: "user" | "project"
  readonly files: ReadonlyArray<TreeFile>
}

/** The person's own directory of that name first, then those of the workspace that were trusted. */
const treesOf = (
  { config_dir }: ConfigShape,
  { offers, status }: Standing,
  kind: OfferKind & ("skills" | "commands")
): ReadonlyArray<WrittenTree> => {
  const path = join(config_dir, kind)
  const { files: own } = lookAt(path, "followed")
  const theirs = offers.flatMap((offer): ReadonlyArray<WrittenTree> =>
    status === "trusted" && offer.kind === kind && offer.files !== undefined
      ? [{ path: offer.path, of: "project", files: offer.files }]
      : []
  )
  return [...(own === undefined ? [] : [{ path, of: "user", files: own } as const]), ...theirs]
}

/** One for each directory with a `SKILL.md`, in the order in which a name counts; whoever reads them judges them. */
export const skillFilesOf = (config: ConfigShape, standing: Standing): ReadonlyArray<WrittenTree> =>
  treesOf(config, standing, "skills").flatMap(({ files, of, path }) => {
    const roots = files.flatMap((file) => /^(.+)\/SKILL\.md$/.exec(file.path)?.[1] ?? [])
    return roots.map((root) => {
      const inside = files.filter((file) => file.path.startsWith(`${root}/`))
      return {
        of,
        path: `${path}/${root}`,
        files: inside.map((file) => ({ ...file, path: file.path.slice(root.length + 1) }))
      }
    })
  })

/** The prompts that have a name, in the same order. */
export const commandFilesOf = (
  config: ConfigShape,
  standing: Standing
): ReadonlyArray<Written & { readonly name: string }> =>
  treesOf(config, standing, "commands").flatMap(({ files, of, path }) =>
    files.flatMap((file) => {
      const name = /^(.+)\.md$/.exec(file.path)?.[1]?.replaceAll("/", ":")
      return file.text === undefined || name === undefined
        ? []
        : [{ name, of, path: `${path}/${file.path}`, text: file.text }]
    })
  )
