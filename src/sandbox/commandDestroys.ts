/**
 * Commands after which something is gone that nothing has kept. Owns: the table. A grant of their first words is neither
 * offered nor honoured, since the next one would take something else away; this very call can be granted, and a rule that a
 * person wrote counts. Does not own: git's commands (commandLosesWork), what no person should be asked about
 * (commandRefused).
 */
import { overwritten, PLACES_COPIES } from "./commandDestinations.ts"
import { isThere } from "./commandTakesAway.ts"
import { losesWork } from "./commandLosesWork.ts"
import type { Paths } from "./commandPaths.ts"

const set = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/))

const PROGRAMS = set("rm unlink shred dd truncate srm wipe")
const BELOW = set("chmod chown chgrp setfacl setfattr")
const RECURSIVE = /^(?:-[A-Za-z]*R|--rec)/

/** They write what comes in from the beginning of each file that they name. */
const GIVEN = set("tee sponge")

/** What it built can be built again; how long that takes, or whether it still can, nobody knows. */
const CLEANS = set("cargo go mvn mvnw gradle gradlew")

/** Why no grant of its first words is given; undefined: it destroys nothing. */
export const destroys = (name: string, args: ReadonlyArray<string>, paths: Paths): string | undefined => {
  if (PROGRAMS.has(name)) return `${name} takes away what it names`
  if (BELOW.has(name) && args.some((word) => RECURSIVE.test(word))) return `${name} changes all that lies below`
  if (name === "find" && args.includes("-delete")) return "find deletes what it finds"
  if (
    /^(?:g?zip|bzip2|xz|zstd|lzma|compress)$/.test(name) &&
    args.some((word) => /^(?:-[A-Za-z]*m$|--rm$|--move$)/.test(word))
  )
    return `${name} takes away what it packs`
  if (/^(?:bsd)?tar$/.test(name) && args.some((word) => word.startsWith("--remove")))
    return `${name} takes away what it packs`
  if (CLEANS.has(name) && args.includes("clean")) return `${name} clean takes away what was built`
  const given = GIVEN.has(name) && !args.some((word) => /^(?:-[a-z]*a|--app)/.test(word)) ? args : []
  const written = given.find((word) => !word.startsWith("-") && isThere(word, paths))
  if (written !== undefined) return `${name} overwrites ${written}`
  const over = PLACES_COPIES.has(name) ? overwritten(name, args, paths) : undefined
  if (over !== undefined) return `${name} overwrites ${over}`
  const lost = name === "git" ? losesWork(args, paths) : undefined
  return lost === undefined ? undefined : `git ${lost} loses work that nothing keeps`
}
