/**
 * Where checkpoints of one workspace are kept: a git directory of our own below claw's state (0700). Owns: its files.
 * Invariant: its configuration names no program, no hook, no filter; attributes of a workspace change no byte of what
 * is kept. No git is needed to make it.
 */
import { createHash, randomBytes } from "node:crypto"
import {
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  statSync,
  utimesSync,
  writeFileSync
} from "node:fs"
import { join, relative } from "node:path"

const CONFIG = `[core]
	repositoryformatversion = 0
	bare = false
	filemode = true
	symlinks = true
	ignorecase = false
	precomposeunicode = false
	protectHFS = false
	protectNTFS = false
	autocrlf = false
	safecrlf = false
	fsmonitor = false
	untrackedCache = false
	hooksPath = /dev/null
	attributesFile = /dev/null
	excludesFile = /dev/null
	logAllRefUpdates = false
	compression = 1
[gc]
	auto = 0
[maintenance]
	auto = false
[protocol]
	allow = never
[submodule]
	recurse = false
`

/** Stands before every `.gitattributes` of the workspace. */
const ATTRIBUTES = "* -text !eol !crlf !filter !ident !working-tree-encoding !diff !merge !export-subst\n"

/** In one step, so that a kill leaves the old file or the new one. */
export const replaceText = (path: string, text: string): void => {
  const temporary = `${path}.${randomBytes(6).toString("hex")}.new`
  writeFileSync(temporary, text, { mode: 0o600 })
  renameSync(temporary, path)
}

const short = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, 32)

/** Device numbers change when a machine starts again; inode, time of birth and path do not. */
const identity = (root: string): string => {
  const { ino, birthtimeNs } = statSync(root, { bigint: true })
  return short(`${ino}:${birthtimeNs}:${root}`)
}

/** A pattern that means this directory and nothing else. */
const literally = (path: string): string => `/${path.replaceAll(/[\\*?[\]!# ]/g, (c) => `\\${c}`)}/`

const excludes = (root: string, base: string): string => {
  const inside = relative(root, realpathSync(base))
  return inside === "" || inside.startsWith("..") ? "" : `${literally(inside)}\n`
}

export interface Layout {
  readonly root: string
  readonly store: string
  readonly objects: string
  /** Of this session: its indexes and the call that runs. */
  readonly own: string
  /** Indexes that a new session begins with. */
  readonly warm: string
  /** What a repository that is gone looks like. */
  readonly empty: string
  readonly temporary: string
  /** Time of its last use. */
  readonly used: string
}

const ownIn = (store: string, session: string): string => join(store, "sessions", short(session))

/** Whether this session ever had anything there. */
export const isLaidOut = (base: string, workspace: string, session: string): boolean =>
  existsSync(ownIn(join(base, identity(realpathSync(workspace))), session))

/** Makes what is missing. */
export const layOut = (base: string, workspace: string, session: string): Layout => {
  const root = realpathSync(workspace)
  const store = join(base, identity(root))
  const at = (name: string) => join(store, name)
  const own = ownIn(store, session)
  const layout: Layout = {
    root,
    store,
    own,
    objects: at("objects"),
    warm: at("warm"),
    empty: at("empty"),
    temporary: at("tmp"),
    used: at("used")
  }
  for (const path of [layout.objects, at("refs"), at("info"), own, layout.warm, layout.empty, layout.temporary]) {
    mkdirSync(path, { recursive: true, mode: 0o700 })
  }
  const exclude = excludes(root, base)
  const files = { HEAD: "ref: refs/heads/none\n", config: CONFIG, workspace: `${root}\n` }
  const inside = { attributes: ATTRIBUTES, exclude }
  for (const [name, text] of Object.entries(files)) ensure(at(name), text)
  for (const [name, text] of Object.entries(inside)) ensure(join(at("info"), name), text)
  ensure(layout.used, "")
  const now = new Date()
  utimesSync(layout.used, now, now)
  return layout
}

const ensure = (path: string, text: string): void => {
  if (existsSync(path) && readFileSync(path, "utf8") === text) return
  replaceText(path, text)
}

/** The file for a root below the workspace; `""` is the workspace itself. */
export const indexName = (prefix: string): string => `index-${short(prefix)}`
