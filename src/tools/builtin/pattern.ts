/** Glob patterns of a model, as an expression for paths relative to the searched folder. Pure. */
import { Result } from "effect"
import picomatch from "picomatch"

const MAX_LENGTH = 1_000

export interface Glob {
  /** What a path, or its last segment only, is matched against. A thread does it: it can be made to run for ever. */
  readonly regex: RegExp
  readonly basename: boolean
  /** The pattern names a hidden file or folder itself. */
  readonly hidden: boolean
}

/** A pattern without `/` is meant for names at any depth. Extended globs are off: they can be made to run for ever. */
export const compileGlob = (pattern: string): Result.Result<Glob, string> => {
  if (pattern.trim() === "") return Result.fail("The glob pattern is empty.")
  if (pattern.length > MAX_LENGTH) return Result.fail(`The glob pattern is longer than ${MAX_LENGTH} characters.`)
  const parts = pattern.replace(/^(?:\.\/)+/, "").split("/")
  if (parts.includes(".."))
    return Result.fail("The glob pattern leads outside the searched folder; use path for the folder.")
  if (pattern.startsWith("/")) return Result.fail("The glob pattern must be relative; use path for the folder.")
  return Result.try({
    try: () => {
      const options = {
        dot: true,
        noextglob: true,
        nonegate: true,
        maxLength: MAX_LENGTH
      }
      return {
        regex: picomatch.makeRe(parts.join("/"), options),
        basename: parts.length === 1,
        hidden: parts.some((part) => /^[{[(]?\./.test(part))
      }
    },
    catch: () => "The glob pattern cannot be read."
  })
}
