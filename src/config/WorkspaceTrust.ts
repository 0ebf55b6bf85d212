/**
 * Whether a person trusts what a directory brings along (SECURITY T8, T21; issue 4). Owns: the question `standing`, and
 * the records in the private state directory, one file each (0600), written whole or not at all.
 * Does not own: what is trusted may do (workspaceFile: only make claw stricter).
 * Invariants: a record counts for one directory (real path, device, inode, time of birth) and for exactly the contents
 * that were shown; neither its parent nor its child has it; a record that is damaged, foreign or inside the workspace
 * counts for nothing.
 */
import { createHash } from "node:crypto"
import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeSync
} from "node:fs"
import { dirname, join, relative, resolve, sep } from "node:path"
import { Option, Result, Schema } from "effect"
import { ConfigError } from "./ConfigError.ts"
import { lookAt, type Problem } from "./offerTree.ts"
import { exposure } from "./StateDirectory.ts"
import { digestOf, type Offer, offersIn } from "./workspaceOffers.ts"

export type { Offer, OfferKind, Taken } from "./workspaceOffers.ts"

/**
 * `empty`: nothing here would take effect. `trusted`: it does. All others: it does not. `unknown`: nobody was asked;
 * `changed`: it is not what was decided on; `declined`: the person said no; `unusable`: it can never be trusted as it is.
 */
export type Status = "empty" | "trusted" | "unknown" | "changed" | "declined" | "unusable"

export interface Standing {
  readonly status: Status
  /** Real path. */
  readonly workspace: string
  /** What would take effect. */
  readonly offers: ReadonlyArray<Offer>
  readonly digest: string
  /** Why `unusable`: the state directory lies in the workspace, or an offer has a problem. */
  readonly why?: "own_state" | "problem"
}

const TrustRecord = Schema.Struct({
  version: Schema.Literal(1),
  path: Schema.String,
  device: Schema.String,
  inode: Schema.String,
  born: Schema.String,
  digest: Schema.String,
  files: Schema.Array(Schema.String),
  answer: Schema.Literals(["trusted", "declined"]),
  /** RFC 3339. */
  at: Schema.String
})
export type TrustRecord = typeof TrustRecord.Type
export type TrustAnswer = TrustRecord["answer"]

type Identity = Pick<TrustRecord, "path" | "device" | "inode" | "born">

/** What tells this directory from one that was put in its place: an inode number alone is used again. */
const identityOf = (path: string): Identity => {
  const { dev, ino, birthtimeNs } = statSync(path, { bigint: true })
  return { path, device: String(dev), inode: String(ino), born: String(birthtimeNs) }
}

const directoryOf = (state_dir: string): string => join(state_dir, "trust")

const fileOf = (state_dir: string, { path, device, inode, born }: Identity): string => {
  const name = createHash("sha256").update([path, device, inode, born].join("\0")).digest("hex")
  return join(directoryOf(state_dir), `${name}.json`)
}

const decode = Schema.decodeUnknownOption(Schema.fromJsonString(TrustRecord), { onExcessProperty: "error" })

/** A record as it stands in a file of ours that nobody else can write; `undefined` for anything else. */
const readRecord = (file: string): TrustRecord | undefined => {
  try {
    const descriptor = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    try {
      const stat = fstatSync(descriptor)
      const own = process.getuid === undefined || stat.uid === process.getuid()
      if (!stat.isFile() || !own || (stat.mode & 0o022) !== 0 || stat.size > 65_536) return undefined
      return Option.getOrUndefined(decode(readFileSync(descriptor, "utf8")))
    } finally {
      closeSync(descriptor)
    }
  } catch {
    return undefined
  }
}

/** The real place of a path that may not exist yet. */
const realPlace = (path: string): string => {
  try {
    return realpathSync(path)
  } catch {
    const parent = dirname(path)
    return parent === path ? path : join(realPlace(parent), relative(parent, path))
  }
}

const isWithin = (root: string, path: string): boolean => {
  const way = relative(root, path)
  return way === "" || (way !== ".." && !way.startsWith(`..${sep}`))
}

const problems: Readonly<Record<Problem, string>> = {
  link: "it is or holds a link",
  not_a_file: "it is or holds something that is no file",
  unreadable: "it is not there or cannot be read whole",
  too_large: "it holds too much to be looked at whole"
}

interface Where {
  readonly state_dir: string
  /** Absolute. */
  readonly workspace: string
}

const decided = (state_dir: string, workspace: string, digest: string): Status => {
  if (exposure(state_dir) !== undefined) return "unknown"
  const identity = identityOf(workspace)
  const record = readRecord(fileOf(state_dir, identity))
  if (record === undefined) return "unknown"
  const same = (["path", "device", "inode", "born"] as const).every((part) => record[part] === identity[part])
  if (!same) return "unknown"
  return record.digest === digest ? record.answer : "changed"
}

/** What `workspace` brings along, and whether it takes effect. Never fails: what cannot be looked at is not trusted. */
export const standing = ({ state_dir, workspace: given }: Where): Standing => {
  const nothing: Standing = { status: "empty", workspace: given, offers: [], digest: digestOf([]) }
  try {
    const workspace = realpathSync(given)
    const offers = offersIn(workspace, "trusted")
    const digest = digestOf(offers)
    const known = { workspace, offers, digest }
    if (offers.length === 0) return { ...nothing, workspace }
    if (offers.some(({ problem }) => problem !== undefined)) return { ...known, status: "unusable", why: "problem" }
    if (isWithin(workspace, realPlace(state_dir))) return { ...known, status: "unusable", why: "own_state" }
    return { ...known, status: decided(state_dir, workspace, digest) }
  } catch {
    return nothing
  }
}

/** Whether what was judged trusted then still is: an answer can be taken back while a program runs. */
export const isStillTrusted = (state_dir: string, { digest, status, workspace }: Standing): boolean => {
  try {
    return status === "trusted" && decided(state_dir, workspace, digest) === "trusted"
  } catch {
    return false
  }
}

/** Everything here that claw or another agent would take up, also what claw never takes. */
export const offered = (workspace: string): ReadonlyArray<Offer> => {
  try {
    return offersIn(realpathSync(workspace))
  } catch {
    return []
  }
}

/** The text of one of the files that are trusted, as it was judged; `undefined` where it takes no effect. */
export const trustedText = ({ status, offers }: Standing, path: string): string | undefined =>
  status === "trusted" ? offers.find((offer) => offer.path === path)?.text : undefined

/**
 * Why a directory that was trusted is not what it was when that was judged, or never was part of it: for programs, which
 * are run from it. `undefined`: it is.
 */
export const changeOf = ({ offers, status, workspace }: Standing, path: string): string | undefined => {
  const place = join(workspace, path)
  const now = lookAt(place, "problem")
  const judged = status === "trusted" ? offers.find((offer) => offer.path === path) : undefined
  // What leads there may be a link by now.
  if (judged !== undefined && now.digest === judged.digest && realPlace(place) === place) return undefined
  if (judged !== undefined || now.problem === undefined) return "is not what was trusted any more"
  return `is not run: ${path} is no part of what is trusted, for ${problems[now.problem]}`
}

const writeWhole = (file: string, text: string): void => {
  const draft = `${file}.${process.pid}`
  const descriptor = openSync(draft, constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC, 0o600)
  try {
    fchmodSync(descriptor, 0o600)
    writeSync(descriptor, text)
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
  renameSync(draft, file)
}

/** Binds an answer to the directory and to the very contents of `shown`; both are looked at again by whoever uses them. */
export const remember = (
  state_dir: string,
  shown: Standing,
  answer: TrustAnswer,
  now: number
): Result.Result<TrustRecord, ConfigError> => {
  const { workspace, digest, offers } = shown
  return Result.try({
    try: () => {
      const identity = identityOf(workspace)
      const record: TrustRecord = {
        version: 1,
        ...identity,
        digest,
        files: offers.map(({ path }) => path),
        answer,
        at: new Date(now).toISOString()
      }
      mkdirSync(directoryOf(state_dir), { recursive: true, mode: 0o700 })
      writeWhole(fileOf(state_dir, identity), `${JSON.stringify(record)}\n`)
      return record
    },
    catch: (error) => {
      const code = error instanceof Error && "code" in error ? String(error.code) : "it failed"
      return new ConfigError({ where: directoryOf(state_dir), detail: `the answer cannot be kept (${code}).` })
    }
  })
}

export interface Kept {
  readonly file: string
  /** Absent: the file holds no record that counts. */
  readonly record?: TrustRecord
}

/** Every record, by path. */
export const records = (state_dir: string): ReadonlyArray<Kept> => {
  try {
    const directory = directoryOf(state_dir)
    const files = readdirSync(directory).filter((name) => name.endsWith(".json"))
    const kept = files.map((name): Kept => {
      const file = join(directory, name)
      const record = readRecord(file)
      return record === undefined || fileOf(state_dir, record) !== file ? { file } : { file, record }
    })
    return kept.toSorted((a, b) => (a.record?.path ?? "").localeCompare(b.record?.path ?? ""))
  } catch {
    return []
  }
}

/** Takes back every answer for this path, also of a directory that is gone; how many there were. */
export const forget = ({ state_dir, workspace }: Where): number => {
  const paths = new Set([resolve(workspace), realPlace(resolve(workspace))])
  const gone = records(state_dir).filter(({ record }) => record !== undefined && paths.has(record.path))
  for (const { file } of gone) rmSync(file, { force: true })
  return gone.length
}
