/**
 * Which files inside a workspace a tool may never write, and which must be asked about every time (SECURITY P11).
 * Owns: the two lists, how names are compared, and the look at what a directory is by its content. Invariant: letter case, compatibility forms, ignorable characters
 * and trailing dots or blanks change nothing, whatever the file system would say.
 */
import { MANIFESTS } from "./commandManifests.ts"
import { NAME_KINDS } from "./executingNames.ts"
import { ledRole } from "./gitLed.ts"
import { decidesGit } from "./gitShape.ts"

const CONTROL_DIRECTORIES = new Set([".git", "git~1", ".claw", "claw~1"])
/** A file named `.git` points a work tree at its repository; the rest are claw's own settings at a project's root. */
const CONTROL_FILES = new Set([".claw.json", ".clawrc", "claw.config.json"])

/** As they are spelled where they do not exist yet. */
export const CONTROL_NAMES: ReadonlyArray<string> = [".git", ".claw", ...CONTROL_FILES]

const names = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/))

/** What lies in them runs by its place; they themselves may be made and removed. */
const INSTALLED_DIRECTORIES = names("node_modules __pycache__ .venv venv site-packages dist-packages")

/** Agents take what they say for their user's word. */
const INSTRUCTING_FILES = names(`
  claude.md claude.local.md agents.md agents.override.md agent.md gemini.md skill.md copilot-instructions.md .cursorrules
  .windsurfrules .clinerules .roomodes .goosehints .aider.conf.yml`)

const EXECUTING_DIRECTORIES: ReadonlySet<string> = new Set(
  NAME_KINDS.flatMap(({ directories = [] }) => [...directories])
)
const EXECUTING_EXACTLY: ReadonlySet<string> = new Set(NAME_KINDS.flatMap(({ exactly = [] }) => [...exactly]))
/** Anybody's names, though some tool takes them for its own. */
const ANYBODYS = names(`.editorconfig values.yaml template.yaml template.yml _config.yml build.properties conf.py
  codegen.js codegen.mjs codegen.cjs codegen.ts codegen.mts codegen.cts codegen.json codegen.yml`)
/** Whatever decides what some program runs, by the tables of what grants are bound to. */
const DECIDING = Object.values(MANIFESTS)
  .flatMap(({ files }) => files)
  .filter((file) => !ANYBODYS.has(file) && !EXECUTING_EXACTLY.has(file))
  .map((file) => file.toLowerCase())
const DECIDING_PATHS = DECIDING.filter((file) => file.includes("/"))
/** All kinds at once. */
const EXECUTING_FILES: ReadonlySet<string> = new Set([
  ...NAME_KINDS.flatMap(({ files = [] }) => [...files]),
  ...DECIDING.filter((file) => !file.includes("/"))
])
const EXECUTING_NAMES = NAME_KINDS.flatMap(({ families = [] }) => families)
const EXECUTING_BELOW = NAME_KINDS.flatMap(({ below }) => (below === undefined ? [] : [below]))

/** What other version control systems run, or where they look for it; the rest of their directories is theirs to write. */
const OTHER_SETTINGS =
  /(?:^|\/)(?:\.hg\/(?:hgrc(?:-not-shared)?|sharedpath)|\.jj\/(?:repo\/)?config\.toml|\.bzr\/branch\/branch\.conf)$/

const IGNORABLE = /\p{Default_Ignorable_Code_Point}/gu

/** Letter case is kept. */
const bare = (name: string): string =>
  name
    .normalize("NFKC")
    .replace(IGNORABLE, "")
    .replace(/::?\$.*/s, "")
    .replace(/(?<![. ])[. ]+$/, "")

const fold = (name: string): string => bare(name).toLowerCase()

export type Guard =
  | { readonly kind: "free" }
  | { readonly kind: "alwaysAsk"; readonly why: string }
  | { readonly kind: "forbidden"; readonly why: string }

const FREE: Guard = { kind: "free" }

const isExecuting = (name: string): boolean =>
  EXECUTING_FILES.has(name) || EXECUTING_NAMES.some((family) => family.test(name))

/** Judges a path relative to the workspace root, with `/`. */
export const guardOf = (relative: string): Guard => {
  const parts = relative.split("/").map(fold)
  const last = parts.at(-1) ?? ""
  if (parts.some((name) => CONTROL_DIRECTORIES.has(name))) {
    return { kind: "forbidden", why: "belongs to the control plane (.git, .claw), which tools never write" }
  }
  if (CONTROL_FILES.has(last)) return { kind: "forbidden", why: "is claw's own configuration, which tools never write" }
  const above = parts.slice(0, -1)
  const directory = above.some((name) => EXECUTING_DIRECTORIES.has(name) || INSTALLED_DIRECTORIES.has(name))
  const path = parts.join("/")
  if (OTHER_SETTINGS.test(path))
    return { kind: "forbidden", why: "belongs to the control plane, which tools never write" }
  const below = EXECUTING_BELOW.some((form) => form.test(path))
  const exactly = EXECUTING_EXACTLY.has(bare(relative.slice(relative.lastIndexOf("/") + 1)))
  const decides = DECIDING_PATHS.some((file) => path === file || path.endsWith(`/${file}`))
  if (directory || below || exactly || decides || EXECUTING_DIRECTORIES.has(last) || isExecuting(last)) {
    return { kind: "alwaysAsk", why: "can make other programs run code" }
  }
  if (INSTRUCTING_FILES.has(last)) return { kind: "alwaysAsk", why: "tells agents what to do" }
  return FREE
}

const OF_GIT: Guard = {
  kind: "forbidden",
  why: "belongs to a directory that git takes, or would then take, for a repository, which tools never write"
}

const SETTINGS_OF_GIT: Guard = { kind: "forbidden", why: "is read by git as its settings, which tools never write" }
const RUN_BY_GIT: Guard = { kind: "alwaysAsk", why: "can make other programs run code" }

/** Judges it by what lies around it too. `made`: what else is there by then, relative to the root. */
export const guardAt = (root: string, relative: string, made?: ReadonlySet<string>): Guard => {
  const guard = guardOf(relative)
  if (guard.kind === "forbidden") return guard
  if (decidesGit(root, relative, made)) return OF_GIT
  const role = ledRole(root, relative)
  if (role === "settings") return SETTINGS_OF_GIT
  return role === "runs" && guard.kind === "free" ? RUN_BY_GIT : guard
}
