/**
 * `npm run build`: src/app/claw.ts and all it needs becomes dist/claw.mjs, each worker a file beside it,
 * src/app/boot.js the executable dist/claw.js, and src/console the page in dist/console/. Owns: what is in dist/ and when
 * it is out of date.
 * Invariant: each file of dist/ is replaced in one step, so a running claw and a second build see whole files.
 */
import { execFileSync } from "node:child_process"
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { basename, join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { bundle } from "./build/bundle.ts"
import { bundleConsole, replace } from "./build/console.ts"
import { newestChange } from "./build/stale.ts"

const root = fileURLToPath(new URL("..", import.meta.url))

export interface BuildOptions {
  /** Directory with package.json and src/; default: this repository. */
  readonly root?: string
  readonly quiet?: boolean
}

interface Manifest {
  readonly version: string
  readonly engines: { readonly node: string }
}

/** Both languages of `helpText` in src/cli/Help.ts, or null while there is none. */
const helpTexts = async (from: string): Promise<Readonly<Record<string, string>> | null> => {
  const path = join(from, "src/cli/Help.ts")
  if (!existsSync(path)) return null
  const help = (await import(pathToFileURL(path).href)) as { readonly helpText: (locale: "en" | "zh-CN") => string }
  const line = (text: string) => (text.endsWith("\n") ? text : `${text}\n`)
  return { en: line(help.helpText("en")), "zh-CN": line(help.helpText("zh-CN")) }
}

const boot = async (from: string): Promise<string> => {
  const manifest = JSON.parse(readFileSync(join(from, "package.json"), "utf8")) as Manifest
  const minimum = /\d+(\.\d+)*/.exec(manifest.engines.node)?.[0] ?? "0"
  const facts = { version: manifest.version, node: minimum, help: await helpTexts(from) }
  const source = readFileSync(join(from, "src/app/boot.js"), "utf8")
  const filled = source.replace(/^var BUILD = .*$/m, () => `var BUILD = ${JSON.stringify(facts)}`)
  if (filled === source) throw new Error("src/app/boot.js has no line `var BUILD = …` to fill in")
  return filled
}

/** What dist/ is made of: when any of it last changed. */
const inputs = (from: string): string =>
  String(newestChange([join(from, "src"), join(from, "package.json"), join(root, "scripts/build")]))

const builtFrom = (from: string): string | undefined => {
  try {
    return readFileSync(join(from, "dist/.built"), "utf8")
  } catch {
    return undefined
  }
}

const build = async (from: string): Promise<void> => {
  const dist = join(from, "dist")
  const next = join(dist, `.next-${process.pid}`)
  const made = inputs(from)
  mkdirSync(next, { recursive: true })
  try {
    const program = await bundle(join(from, "src/app/claw.ts"), { directory: next, library: false })
    const entry = join(from, "src/index.ts")
    const library = existsSync(entry) ? await bundle(entry, { directory: next, library: true }) : []
    const files = [...program, ...library]
    const page = join(from, "src/console")
    const hasPage = existsSync(join(page, "vite.config.ts"))
    if (hasPage) await bundleConsole(page, join(next, "console"))
    writeFileSync(join(next, "claw.js"), await boot(from))
    chmodSync(join(next, "claw.js"), 0o755)
    // claw.js is CommonJS although the package is a module; .mjs files say so themselves.
    writeFileSync(join(next, "package.json"), `${JSON.stringify({ type: "commonjs" })}\n`)
    writeFileSync(join(next, ".built"), made)
    if (hasPage) replace(join(next, "console"), join(dist, "console"))
    for (const file of [...files, "package.json", "claw.js", ".built"]) {
      renameSync(join(next, basename(file)), join(dist, basename(file)))
    }
  } finally {
    rmSync(next, { recursive: true, force: true })
  }
}

/** What TypeScript programs see of src/index.ts; only a whole build makes it. */
const declarations = (): void => {
  const compiler = join(root, "node_modules/typescript7/bin/tsc")
  execFileSync(process.execPath, [compiler, "-p", join(root, "scripts/build/types.json")], { stdio: "inherit" })
}

/** Builds where a source, the manifest or the build itself changed since dist/ was made. */
export const buildIfStale = async ({ root: from = root, quiet = false }: BuildOptions): Promise<boolean> => {
  if (!existsSync(join(from, "src/app/claw.ts"))) return false
  if (builtFrom(from) === inputs(from)) return false
  if (!quiet) console.error("claw: building …")
  await build(from)
  return true
}

if (import.meta.main) {
  const started = performance.now()
  await build(root)
  declarations()
  console.log(`dist/ built in ${Math.round(performance.now() - started)} ms`)
}
