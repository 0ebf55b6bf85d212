/**
 * src/console → a directory of files that a server can hand out as they are. Owns: how they come into dist/. Invariants:
 * each file is replaced in one step, and the page last, so that whoever loads it finds whatever it names; what no page
 * names any more goes afterwards. What packs well stands beside itself packed, so that a server need not do it.
 */
import { mkdirSync, readdirSync, renameSync, rmSync } from "node:fs"
import { readFile, writeFile } from "node:fs/promises"
import { dirname, extname, join, relative } from "node:path"
import { promisify } from "node:util"
import { brotliCompress, constants, gzip } from "node:zlib"
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

const PACKED: ReadonlySet<string> = new Set([".js", ".css", ".html", ".svg", ".json", ".webmanifest"])
/** What is smaller fits a packet as it is. */
const WORTH = 1024
/** The best quality takes ten times as long for three parts in a hundred. */
const brotli = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }

const packOne = async (path: string): Promise<void> => {
  const plain = await readFile(path)
  if (plain.length < WORTH) return
  const [br, gz] = [await promisify(brotliCompress)(plain, brotli), await promisify(gzip)(plain, { level: 9 })]
  if (br.length < plain.length) await writeFile(`${path}.br`, br)
  if (gz.length < plain.length) await writeFile(`${path}.gz`, gz)
}

const pack = async (directory: string): Promise<void> => {
  const names = filesBelow(directory).filter((name) => PACKED.has(extname(name)))
  await Promise.all(names.map((name) => packOne(join(directory, name))))
}

/** `source`: the directory of its vite.config.ts. `target` is written anew. */
export const bundleConsole = async (source: string, target: string): Promise<void> => {
  await build({
    configFile: join(source, "vite.config.ts"),
    root: source,
    logLevel: "warn",
    build: { outDir: target, emptyOutDir: true }
  })
  await pack(target)
}
