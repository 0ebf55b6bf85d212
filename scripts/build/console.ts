/**
 * src/console → a directory of files that a server can hand out as they are. Owns: how they come into dist/. Invariants:
 * each file is replaced in one step, and the page last, so that whoever loads it finds whatever it names; what no page
 * names any more goes afterwards.
 */
import { mkdirSync, readdirSync, renameSync, rmSync } from "node:fs"
import { dirname, join, relative } from "node:path"
import { build } from "vite"

const INDEX = "index.html"

const filesBelow = (directory: string): ReadonlyArray<string> =>
  readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(directory, join(entry.parentPath, entry.name)))

/** Moves what was built in `from` to `to`, over what stands there. */
export const replace = (from: string, to: string): void => {
  mkdirSync(to, { recursive: true })
  const fresh = filesBelow(from)
  const old = filesBelow(to)
  const inOrder = [...fresh.filter((name) => name !== INDEX), ...fresh.filter((name) => name === INDEX)]
  for (const name of inOrder) {
    mkdirSync(dirname(join(to, name)), { recursive: true })
    renameSync(join(from, name), join(to, name))
  }
  for (const name of old) if (!fresh.includes(name)) rmSync(join(to, name), { force: true })
}

/** `source`: the directory of its vite.config.ts. `target` is written anew. */
export const bundleConsole = async (source: string, target: string): Promise<void> => {
  await build({
    configFile: join(source, "vite.config.ts"),
    root: source,
    logLevel: "warn",
    build: { outDir: target, emptyOutDir: true }
  })
}
