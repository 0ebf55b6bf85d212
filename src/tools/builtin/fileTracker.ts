/**
 * Which content of which file this session's model has seen or written, so that a change by somebody else is noticed
 * before it is overwritten (LESSONS 21). Owns: digests by real path, bounded. One per session.
 */
import { createHash } from "node:crypto"

export interface FileTracker {
  readonly remember: (real: string, bytes: Uint8Array) => void
  /** Did the file change since it was last seen here? False for a file that was never seen. */
  readonly isStale: (real: string, bytes: Uint8Array) => boolean
}

const MAX_FILES = 10_000

const digest = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("base64")

export const makeFileTracker = (): FileTracker => {
  const seen = new Map<string, string>()
  return {
    remember: (real, bytes) => {
      seen.delete(real)
      seen.set(real, digest(bytes))
      const [oldest] = seen.keys()
      if (seen.size > MAX_FILES && oldest !== undefined) seen.delete(oldest)
    },
    isStale: (real, bytes) => {
      const known = seen.get(real)
      return known !== undefined && known !== digest(bytes)
    }
  }
}
