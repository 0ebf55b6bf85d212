/**
 * SQLite's failures in sentences. Owns: the one translation from `SqlError` to `StoreError`, and which failures mean
 * what. Invariant: the sentence says what could not be done and what a person can do about it; the cause is kept.
 */
import { SqlError } from "effect/sql"
import { StoreError } from "../StoreError.ts"

/** A file that is a database and still not a store for this program; `message` says why. */
export class Unusable extends Error {}

const BUSY = 5
const LOCKED = 6
const READONLY = 8
const IOERR = 10
const CORRUPT = 11
const FULL = 13
const CANTOPEN = 14
const TOOBIG = 18
const NOTADB = 26
/** The extended code of "no room for the shared-memory index of the log". */
const IOERR_SHMSIZE = 4874
/** What the file system says while the file is made. */
const SYSTEM_KINDS: Readonly<Record<string, number>> = {
  ENOSPC: FULL,
  EDQUOT: FULL,
  EROFS: READONLY,
  EIO: IOERR,
  ENOENT: CANTOPEN,
  ENAMETOOLONG: CANTOPEN,
  ELOOP: CANTOPEN,
  EACCES: CANTOPEN,
  EPERM: CANTOPEN,
  ENOTDIR: CANTOPEN,
  EISDIR: CANTOPEN
}

/** node:sqlite names SQLite's extended result code `errcode`; the low byte is the kind. */
const kindOf = (cause: unknown): number | undefined => {
  const { errcode, code, syscall } = (cause ?? {}) as Readonly<Record<"errcode" | "code" | "syscall", unknown>>
  if (errcode === IOERR_SHMSIZE) return FULL
  if (typeof errcode === "number") return errcode & 0xff
  // A file stands where its directory should be.
  if (code === "EEXIST" && syscall === "mkdir") return CANTOPEN
  return typeof code === "string" ? SYSTEM_KINDS[code] : undefined
}

/** effect classifies by a field `errno`, node:sqlite gives `errcode`. */
export const fromSqlite = (operation: string, cause: unknown): SqlError.SqlError => {
  const errno = (cause as { readonly errcode?: number } | undefined)?.errcode
  const named = errno !== undefined && cause instanceof Error ? Object.assign(cause, { errno }) : cause
  return new SqlError.SqlError({
    reason: SqlError.classifySqliteError(named, { message: `Failed to ${operation}`, operation })
  })
}

export const isLocked = (error: SqlError.SqlError): boolean => error.reason._tag === "LockTimeoutError"
/** True: the failure met the connection or the file, and not what was written. */
export const metAll = (error: StoreError): boolean =>
  [BUSY, LOCKED, READONLY, IOERR, CORRUPT, CANTOPEN, NOTADB].includes(kindOf(error.cause) ?? 0)
/** True: the disk or the lock failed, and nothing more can be stored now; a damaged or odd row alone is not that. */
export const metStorage = (cause: unknown): boolean =>
  [BUSY, LOCKED, READONLY, IOERR, FULL, CANTOPEN, NOTADB].includes(kindOf(cause) ?? 0)
export const isCorrupt = (error: SqlError.SqlError): boolean => kindOf(error.reason.cause) === CORRUPT
export const isNoStore = (error: StoreError): boolean => [CORRUPT, NOTADB].includes(kindOf(error.cause) ?? 0)
/** After a failed write or sync nothing that the connection holds in memory can be trusted. */
export const isIoError = (cause: unknown): boolean => kindOf(cause) === IOERR

const sentence = (cause: unknown, file: string): string => {
  switch (kindOf(cause)) {
    case FULL:
      return `The disk that holds ${file} is full. Nothing was half-written. Free some space and try again.`
    case BUSY:
    case LOCKED:
      return `Another process holds the lock of ${file} for too long. Nothing was stored. Try again; if it stays, look for a claw process that hangs.`
    case READONLY:
      return `${file} cannot be written: the file or its file system is read-only. Make it writable, or choose another state directory.`
    case IOERR:
      return `The disk that holds ${file} reported an error. What was acknowledged before is kept; check the disk and try again.`
    case CORRUPT:
    case NOTADB:
      return `${file} is damaged or is not a session store. Move it away to begin with a new one, or put a backup in its place.`
    case CANTOPEN:
      return `${file} cannot be opened. Check that its directory exists, that you may write there, and that its file system is not read-only.`
    case TOOBIG:
      return `A record is larger than ${file} can hold. Nothing was stored.`
    default:
      return `${file} cannot be used: ${cause instanceof Error ? cause.message : String(cause)}`
  }
}

export const unavailable =
  (operation: string, file: string) =>
  (error: SqlError.SqlError): StoreError =>
    new StoreError({
      code: "storage_unavailable",
      operation,
      detail: sentence(error.reason.cause, file),
      cause: error.reason.cause
    })
