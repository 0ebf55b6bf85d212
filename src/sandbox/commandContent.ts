/**
 * The files that decide what a command runs: a manifest with scripts, a makefile, the script itself. Owns: their digest,
 * so that a grant ends when they change (SECURITY P12, T3). Invariant: a file that cannot be read whole has no digest
 * and the command is unsettled.
 */
import { createHash } from "node:crypto"
import { readFileSync, statSync } from "node:fs"
import type { Paths } from "./commandPaths.ts"
import { plainName, SHELLS } from "./commandTables.ts"

const MAX_BYTES = 4 << 20

const MANIFESTS: Readonly<Record<string, ReadonlyArray<string>>> = {
  npm: ["package.json", ".npmrc"],
  pnpm: ["package.json", ".npmrc", ".pnpmfile.cjs", "pnpm-workspace.yaml"],
  yarn: ["package.json", ".npmrc", ".yarnrc", ".yarnrc.yml"],
  bun: ["package.json", "bunfig.toml", ".npmrc"],
  npx: ["package.json", ".npmrc"],
  make: ["GNUmakefile", "makefile", "Makefile"],
  just: ["justfile", "Justfile", ".justfile"],
  task: ["Taskfile.yml", "Taskfile.yaml"],
  cargo: ["Cargo.toml", ".cargo/config.toml", ".cargo/config", "build.rs"],
  composer: ["composer.json"],
  tox: ["tox.ini", "pyproject.toml", "setup.cfg"],
  pytest: ["conftest.py", "pytest.ini", "pyproject.toml", "tox.ini", "setup.cfg"]
}

const SCRIPTED: ReadonlySet<string> = new Set([
  ...SHELLS,
  "python",
  "perl",
  "ruby",
  "node",
  "deno",
  "tsx",
  "php",
  "lua"
])

/** Names whose contents count, present or not: a file that appears is a change too. */
const filesOf = (program: string, name: string, args: ReadonlyArray<string>): ReadonlyArray<string> => {
  const plain = plainName(name)
  const manifests = Object.hasOwn(MANIFESTS, plain) ? MANIFESTS[plain]! : []
  const scripts =
    SCRIPTED.has(plain) || name === "." || name === "source" ? args.filter((word) => !word.startsWith("-")) : []
  return [...(program.includes("/") ? [program] : []), ...manifests, ...scripts]
}

const digestOf = (path: string, { budget }: Paths): string | undefined => {
  const stats = statSync(path, { throwIfNoEntry: false })
  if (stats === undefined || stats.isDirectory()) return "none"
  if (!stats.isFile() || stats.size > MAX_BYTES) return undefined
  budget.spend(1 + (stats.size >> 12))
  return createHash("sha256").update(readFileSync(path)).digest("hex")
}

export type Content = { readonly digest?: string; readonly unread?: string }

/** One digest over all of them; nothing where the command has no such files. */
export const contentOf = (program: string, name: string, args: ReadonlyArray<string>, paths: Paths): Content => {
  const places = filesOf(program, name, args).map((file) => paths.place(file))
  const inside = [...new Set(places.filter((place) => place.inside).map((place) => place.path))]
  if (inside.length === 0) return {}
  const whole = createHash("sha256")
  for (const path of inside) {
    try {
      const digest = digestOf(path, paths)
      if (digest === undefined) return { unread: path }
      whole.update(`${path}\n${digest}\n`)
    } catch {
      return { unread: path }
    }
  }
  return { digest: whole.digest("hex") }
}
