/**
 * One entry → one file, with every package inside it, and one for each part that is imported only when it is needed. A worker that the sources name by
 * `new URL("./xWorker.ts", import.meta.url)` becomes `xWorker.mjs` beside the bundle without being listed anywhere.
 * Names of functions are kept: a stack of a defect has to be readable, and mangling was measured to save nothing.
 */
import { basename, dirname, isAbsolute, join } from "node:path"
import { type Plugin, rolldown } from "rolldown"

const workerUrl = /new URL\(\s*"(\.{1,2}\/[^"]*Worker)\.ts"\s*,\s*import\.meta\.url\s*\)/g

/** Collects the workers that the sources name, and makes their URLs those of the built files. */
const workers = (found: Set<string>): Plugin => ({
  name: "workers",
  transform(code, id) {
    if (!code.includes("import.meta.url") || id.includes("node_modules")) return null
    const rewritten = code.replace(workerUrl, (_, path: string) => {
      found.add(join(dirname(id), `${path}.ts`))
      return `new URL("./${basename(path)}.mjs", import.meta.url)`
    })
    return rewritten === code ? null : { code: rewritten, map: null }
  }
})

const HTTP = "\0node:http"
const httpNames = [
  "Agent",
  "ClientRequest",
  "IncomingMessage",
  "METHODS",
  "OutgoingMessage",
  "STATUS_CODES",
  "Server",
  "ServerResponse",
  "createServer",
  "get",
  "maxHeaderSize",
  "request",
  "validateHeaderName",
  "validateHeaderValue"
].join(", ")

/**
 * Imported as a module, `node:http` has each of its names read, and one of those loads the fetch of Node: a tenth of a
 * start (35 ms of CPU) for what is never used. Taken as an object it is not.
 */
const leanHttp: Plugin = {
  name: "leanHttp",
  resolveId: (id) => (id === "node:http" || id === "http" ? HTTP : null),
  load: (id) =>
    id === HTTP
      ? `const http = process.getBuiltinModule("node:http")\nexport default http\nexport const { ${httpNames} } = http\n`
      : null
}

const WIDTH_CONSTANT = /^const (\w+) = (\/.+\/\w*|new Intl\.Segmenter\(\));$/gm

/**
 * The tables of Unicode that `string-width` asks for as it is loaded take a third of a start's own time (28 of 90 ms),
 * and hardly a start shows a text that needs them. Each is made when it is first used.
 */
export const lazyWidth = (code: string): string => {
  const constants = Array.from(code.matchAll(WIDTH_CONSTANT))
  const called = constants.reduce(
    (text, [, name]) => text.replaceAll(new RegExp(`\\b${name}\\b`, "g"), `${name}()`),
    code
  )
  return constants.reduce(
    (text, [, name, value]) =>
      text.replace(
        `const ${name}() = ${value};`,
        () => `let ${name}$;\nconst ${name} = () => (${name}$ ??= ${value});`
      ),
    called
  )
}

const leanWidth: Plugin = {
  name: "leanWidth",
  transform: (code, id) =>
    id.endsWith("/node_modules/string-width/index.js") ? { code: lazyWidth(code), map: null } : null
}

const isPackage = (id: string): boolean => !id.startsWith(".") && !isAbsolute(id)

interface Target {
  readonly directory: string
  /** Packages stay imports: a program and its libraries must share one copy of effect. */
  readonly library: boolean
}

const one = async (
  input: string,
  { directory, library }: Target,
  found: Set<string>
): Promise<ReadonlyArray<string>> => {
  const name = `${basename(input, ".ts")}.mjs`
  const build = await rolldown({
    input,
    platform: "node",
    plugins: library ? [workers(found)] : [workers(found), leanHttp, leanWidth],
    external: (id) => id.endsWith(".node") || (library && isPackage(id)),
    // A package's module form first: the UMD form of jsonc-parser hides its own requires from a bundler.
    resolve: { mainFields: ["module", "main"] },
    onLog: (level, log, handle) => {
      // Packages evaluate and import in circles as they please; only what concerns our own files is worth a line.
      if (level === "warn" && (log.id?.includes("node_modules") === true || log.code === "CIRCULAR_DEPENDENCY")) return
      handle(level, log)
    }
  })
  // What a command imports only when it runs is a file of its own: the other commands start without it.
  const { output } = await build.write({
    dir: directory,
    entryFileNames: name,
    chunkFileNames: "[name].mjs",
    format: "esm",
    codeSplitting: !library,
    sourcemap: false,
    minify: { compress: true, mangle: false, codegen: { removeWhitespace: true } }
  })
  await build.close()
  return output.map(({ fileName }) => fileName)
}

/** Bundles `entry` and, in turn, every worker found on the way. Returns the names of the files written. */
export const bundle = async (entry: string, target: Target): Promise<ReadonlyArray<string>> => {
  const pending = new Set([entry])
  const written: Array<string> = []
  // A set that grows while it is walked: each worker may name another one.
  for (const input of pending) written.push(...(await one(input, target, pending)))
  return written
}
