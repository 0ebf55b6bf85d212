/**
 * The built console as files known by name (issue 6, R242). Owns: which files there are, their types, packed forms and
 * tags. Does not own: which address shows which (consolePage). Invariants: a name is looked up and never joined to a
 * path, links are not followed, so nothing leads outside; a build made while the server runs is found by its new index.
 */
import { createHash } from "node:crypto"
import { readdir, readFile, stat } from "node:fs/promises"
import { extname, join, relative, sep } from "node:path"
import { promisify } from "node:util"
import { gzip } from "node:zlib"
import { Effect } from "effect"

export type Coding = "br" | "gzip"

export interface ConsoleFile {
  readonly type: string
  /** Its name says what it holds: it never changes. */
  readonly hashed: boolean
  /** Best first. */
  readonly codings: ReadonlyArray<Coding>
  /** Absent: it is gone since the directory was looked at. */
  readonly read: (coding: Coding | undefined) => Effect.Effect<Bytes | undefined>
}

export interface Bytes {
  readonly body: Uint8Array
  readonly etag: string
}

export type ConsoleFiles = ReadonlyMap<string, ConsoleFile>

export const INDEX = "/index.html"

const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".mjs": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".json": "application/json",
  ".webmanifest": "application/manifest+json",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".ico": "image/x-icon",
  ".webp": "image/webp",
  ".woff2": "font/woff2",
  ".wasm": "application/wasm",
  ".txt": "text/plain; charset=utf-8"
}

const PACKED: Readonly<Record<Coding, string>> = { br: ".br", gzip: ".gz" }
const isPackable = (type: string): boolean => /^(?:text\/|application\/(?:json|manifest)|image\/svg)/.test(type)
const HASHED = "/assets/"

const pack = promisify(gzip)

const bytesOf = (body: Uint8Array): Bytes => ({
  body,
  etag: `"${createHash("sha256").update(body).digest("base64url").slice(0, 27)}"`
})

/** Read once, when it is first asked for; packed here where the build did not do it. */
const reader = (path: string, packed: ReadonlySet<Coding>): ConsoleFile["read"] => {
  const known = new Map<Coding | undefined, Promise<Bytes | undefined>>()
  const load = async (coding: Coding | undefined): Promise<Bytes | undefined> => {
    if (coding !== undefined && packed.has(coding)) return bytesOf(await readFile(path + PACKED[coding]))
    const plain = await readFile(path)
    return bytesOf(coding === "gzip" ? await pack(plain, { level: 9 }) : plain)
  }
  return (coding) =>
    Effect.promise(() => {
      const loading = known.get(coding) ?? load(coding).catch(() => undefined)
      known.set(coding, loading)
      return loading
    })
}

const codingsOf = (type: string, packed: ReadonlySet<Coding>): ReadonlyArray<Coding> => [
  ...(packed.has("br") ? (["br"] as const) : []),
  ...(packed.has("gzip") || isPackable(type) ? (["gzip"] as const) : [])
]

const nameOf = (root: string, path: string): string => `/${relative(root, path).split(sep).join("/")}`

const scan = async (root: string): Promise<ConsoleFiles> => {
  const entries = await readdir(root, { recursive: true, withFileTypes: true })
  const paths = new Set(entries.flatMap((entry) => (entry.isFile() ? [join(entry.parentPath, entry.name)] : [])))
  const files = new Map<string, ConsoleFile>()
  for (const path of paths) {
    const type = types[extname(path)]
    if (type === undefined) continue
    const packed = new Set((["br", "gzip"] as const).filter((coding) => paths.has(path + PACKED[coding])))
    const name = nameOf(root, path)
    files.set(name, {
      type,
      hashed: name.startsWith(HASHED),
      codings: codingsOf(type, packed),
      read: reader(path, packed)
    })
  }
  return files
}

const nothing: ConsoleFiles = new Map()

/** The files as the newest build has them; none where there is none. */
export const make = (root: string): Effect.Effect<ConsoleFiles> => {
  let known: { readonly made: number; readonly files: Promise<ConsoleFiles> } | undefined
  return Effect.promise(async () => {
    const made = await stat(join(root, INDEX)).then(
      ({ mtimeMs }) => mtimeMs,
      () => undefined
    )
    if (made === undefined) return nothing
    if (known?.made !== made) known = { made, files: scan(root).catch(() => nothing) }
    return await known.files
  })
}
