/**
 * Which files inside a workspace a tool may never write, and which must be asked about every time (SECURITY P11).
 * Owns: the two lists and how names are compared. Invariant: letter case, compatibility forms, ignorable characters
 * and trailing dots or blanks change nothing, whatever the file system would say.
 */
const CONTROL_DIRECTORIES = new Set([".git", "git~1", ".claw", "claw~1"])
/** A file named `.git` points a work tree at its repository; the rest are claw's own settings at a project's root. */
const CONTROL_FILES = new Set([".claw.json", ".clawrc", "claw.config.json"])

const EXECUTING_DIRECTORIES = new Set([
  ".vscode",
  ".idea",
  ".devcontainer",
  ".husky",
  ".cargo",
  ".zed",
  ".fleet",
  ".nvim",
  ".githooks",
  ".circleci"
])
const EXECUTING_FILES = new Set([
  ".mcp.json",
  "mcp.json",
  ".npmrc",
  ".yarnrc",
  ".yarnrc.yml",
  ".pnpmfile.cjs",
  "package.json",
  "bunfig.toml",
  "deno.json",
  "deno.jsonc",
  "composer.json",
  "pyproject.toml",
  "setup.py",
  "setup.cfg",
  "gemfile",
  "rakefile",
  "makefile",
  "gnumakefile",
  "justfile",
  "cargo.toml",
  "build.rs",
  "pom.xml",
  "build.gradle",
  "build.gradle.kts",
  ".envrc",
  ".gitattributes",
  ".gitmodules",
  ".gitconfig",
  ".pre-commit-config.yaml",
  "lefthook.yml",
  ".bashrc",
  ".bash_profile",
  ".profile",
  ".zshrc",
  ".zshenv",
  ".vimrc",
  ".exrc",
  ".gdbinit",
  ".inputrc",
  ".gitlab-ci.yml",
  "sitecustomize.py",
  "usercustomize.py"
])

const IGNORABLE = /\p{Default_Ignorable_Code_Point}/gu

const fold = (name: string): string =>
  name
    .normalize("NFKC")
    .replace(IGNORABLE, "")
    .toLowerCase()
    .replace(/::?\$.*$/, "")
    .replace(/[. ]+$/, "")

export type Guard =
  | { readonly kind: "free" }
  | { readonly kind: "alwaysAsk"; readonly why: string }
  | { readonly kind: "forbidden"; readonly why: string }

const FREE: Guard = { kind: "free" }

/** Judges a path relative to the workspace root, with `/`. */
export const guardOf = (relative: string): Guard => {
  const names = relative.split("/").map(fold)
  const last = names.at(-1) ?? ""
  if (names.some((name) => CONTROL_DIRECTORIES.has(name))) {
    return { kind: "forbidden", why: "belongs to the control plane (.git, .claw), which tools never write" }
  }
  if (CONTROL_FILES.has(last)) return { kind: "forbidden", why: "is claw's own configuration, which tools never write" }
  const directory = names.slice(0, -1).find((name) => EXECUTING_DIRECTORIES.has(name))
  const workflow = names[0] === ".github" && names[1] === "workflows"
  if (directory !== undefined || workflow || EXECUTING_DIRECTORIES.has(last) || EXECUTING_FILES.has(last)) {
    return { kind: "alwaysAsk", why: "can make other programs run code" }
  }
  return FREE
}
