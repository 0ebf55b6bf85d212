/**
 * What a command takes away that commandDestroys does not count (R138): a file that it empties, writes over, changes in
 * place or leaves only packed; what a service is told to delete. Owns: that table, for rules on the effect `deletes`. Does
 * not own: which grants are offered (commandDestroys), redirects (commandRedirects). Looks, changes nothing. Invariant: a
 * file that is not there yet is not taken away by being written.
 */
import { statSync } from "node:fs"
import { ALLOWED } from "./commandAllowed.ts"
import type { Paths } from "./commandPaths.ts"
import { isInterpreter, isReadOnlyProgram, plainName, SHELL_STATE, TEXT_ONLY, WRITERS } from "./commandTables.ts"
import { onDisk } from "./fileNames.ts"

const set = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/))

/** A file with something in it. */
export const holdsText = (path: string): boolean => {
  try {
    const stats = statSync(onDisk(path), { throwIfNoEntry: false })
    return stats?.isFile() === true && stats.size > 0
  } catch {
    // No name is so long.
    return false
  }
}

/** One of the files that a word means is there, or more than can be looked at. */
export const isThere = (word: string, paths: Paths): boolean =>
  /[*?[]/.test(word)
    ? paths.matches(word)?.some(({ path }) => holdsText(path)) !== false
    : holdsText(paths.place(word).path)

/** Without a suffix, under which what was there would stay. */
const IN_PLACE: Readonly<Record<string, RegExp>> = {
  sed: /^(?:-[nErszu]*i$|--in[a-z-]*$)/,
  perl: /^-[A-Za-z0]*i$/,
  ruby: /^-[A-Za-z0]*i$/,
  awk: /^(?:inplace|--include=inplace|-iinplace)$/,
  yq: /^(?:-[A-Za-z]*i|--in-?place)/,
  ed: /^[^-]/,
  ex: /^[^-]/
}
const SAME: Readonly<Record<string, string>> = { gsed: "sed", gawk: "awk", mawk: "awk" }
const PACKS = set("gzip gunzip bzip2 bunzip2 xz unxz lzma unlzma compress uncompress lzop pigz pbzip2")
/** It only shows, tests or keeps. */
const KEEPS = /^(?:-[A-Za-z0-9]*[cktlV]|--(?:std|to-std|keep|test|list|vers|help))/
const PLAIN = (word: string): boolean => !word.startsWith("-")

/** Options whose value is written from its beginning. */
const OUTPUT = /^(?:-o|-O|-out|--out|--output|--output-document|--output-file|--outfile|--out-file)$/
const ATTACHED = /^(?:--?out(?:put)?(?:-document|-file|file)?=|-[oO])(.+)$/s

const outputs = (args: ReadonlyArray<string>): ReadonlyArray<string> =>
  args.flatMap((word, at) => {
    const attached = ATTACHED.exec(word)?.[1]
    const next = OUTPUT.test(word) ? args[at + 1] : undefined
    return [...(attached === undefined ? [] : [attached]), ...(next === undefined ? [] : [next])]
  })

/** `tar cf a.tar docs` */
const archives = (name: string, args: ReadonlyArray<string>): ReadonlyArray<string> => {
  if (!/^(?:bsd|g)?tar$/.test(name) || !args.some((word) => /^(?:-?[A-Za-z]*c[A-Za-z]*$|--cre)/.test(word))) return []
  return args.flatMap((word, at) => {
    if (word.startsWith("--file=")) return [word.slice(7)]
    return /^(?:-?[A-Za-z]*f|--file)$/.test(word) ? [args[at + 1] ?? ""] : []
  })
}

const DELETES =
  /^(?:rm|rmi|rb|del|delete|delete[-:]\S*|destroy|drop|dropdb|purge\S*|prune|erase|wipe|remove-\S+|terminate-\S+|unpublish|flushall|flushdb)$/i
/** What they take away can be fetched again. */
const FETCHES = set(
  "npm pnpm yarn bun pip pipx uv poetry conda apt apt-get dnf yum pacman brew port gem bundle composer"
)
const ENDS = set("dropdb dropuser userdel groupdel srm wipefs")

/** One of the first words of a program that is not known to mean something else by them. */
const saysDelete = (name: string, args: ReadonlyArray<string>): boolean => {
  const plain = plainName(name)
  const isOther = [FETCHES, TEXT_ONLY, WRITERS, SHELL_STATE].some((one) => one.has(plain))
  if (name === "git" || isOther || isReadOnlyProgram(name) || isInterpreter(name)) return false
  if (Object.hasOwn(ALLOWED, plain) && !/^(?:docker|kubectl|gh)$/.test(plain)) return false
  return args
    .filter(PLAIN)
    .slice(0, 3)
    .some((word) => DELETES.test(word))
}

/** Why something is gone afterwards; undefined: as far as is known, nothing is. */
export const takesAway = (name: string, args: ReadonlyArray<string>, paths: Paths): string | undefined => {
  const plain = Object.hasOwn(SAME, name) ? SAME[name]! : plainName(name)
  const inPlace = Object.hasOwn(IN_PLACE, plain) ? IN_PLACE[plain] : undefined
  if (inPlace !== undefined && args.some((word) => inPlace.test(word))) return `${name} changes files in place`
  if (PACKS.has(name) && args.some(PLAIN) && !args.some((word) => KEEPS.test(word)))
    return `${name} takes away what it packs`
  if (/^(?:zstd|lz4)$/.test(name) && args.includes("--rm")) return `${name} takes away what it packs`
  if (name === "rsync" && args.some((word) => /^--(?:del|remove-s)/.test(word))) return "rsync deletes where it copies"
  if (ENDS.has(name) || (name === "crontab" && args.some((word) => /^-[a-z]*r/.test(word))) || saysDelete(name, args))
    return `${name} deletes what it is told to`
  const over = isReadOnlyProgram(name) && name !== "sort" ? [] : [...outputs(args), ...archives(name, args)]
  const there = over.find((word) => isThere(word, paths))
  return there === undefined ? undefined : `${name} overwrites ${there}`
}
