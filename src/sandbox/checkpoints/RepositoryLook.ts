/**
 * What a person's repository says of itself, for the first words to a model. Owns: finding it, and asking git about it.
 * Invariants: not one word of its configuration is read, so that nothing it names is run (SECURITY P7, T8): branch and
 * commit are read from files, and git gets a store of our own with the repository's objects and index lent to it;
 * nothing is written there; it is over within its time, and what cannot be told is left out.
 */
import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { join, relative } from "node:path"
import { Effect } from "effect"
import { type GitCall, type GitPlace, git, parts } from "./git.ts"
import { makeTemporary } from "../temporary.ts"
import { findRepository, headOf, type Found } from "./repositoryFiles.ts"

export interface RepositoryState {
  readonly branch?: string
  readonly commit?: string
  readonly changed?: number
  readonly untracked?: number
  readonly subjects: ReadonlyArray<string>
}

export interface LookOptions {
  /** Absolute real path. */
  readonly workspace: string
  /** Where git is looked for. */
  readonly path: string
  readonly time_ms?: number
}

const SUBJECTS = 5
const SUBJECT_CHARS = 72
const DEFAULT_MS = 1_500

const CONFIG = `[core]
	repositoryformatversion = 0
	bare = false
	fsmonitor = false
	hooksPath = /dev/null
	attributesFile = /dev/null
[log]
	showSignature = false
[gc]
	auto = 0
[protocol]
	allow = never
[submodule]
	recurse = false
`

/** A git directory of ours that stands at this commit. */
const store = (commit: string | undefined) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const path = makeTemporary("look")
      for (const name of ["objects", "refs"]) mkdirSync(join(path, name))
      writeFileSync(join(path, "HEAD"), `${commit ?? "ref: refs/heads/none"}\n`)
      writeFileSync(join(path, "config"), CONFIG)
      return path
    }),
    (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
  )

const counts = (output: Buffer) => {
  const all = parts(output)
  const untracked = all.filter((line) => line.startsWith("??")).length
  return { changed: all.length - untracked, untracked }
}

const subjectsIn = (output: Buffer): ReadonlyArray<string> =>
  output
    .toString("utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => {
      const clean = line.replaceAll(/\p{C}/gu, " ").trim()
      const points = Array.from(clean)
      return points.length <= SUBJECT_CHARS ? clean : `${points.slice(0, SUBJECT_CHARS).join("")}…`
    })

const asked = Effect.fnUntraced(function* (found: Found, options: LookOptions, commit: string | undefined) {
  const place: GitPlace = { store: yield* store(commit), path: options.path }
  const call = (args: ReadonlyArray<string>, max_bytes: number): GitCall => ({
    args,
    workTree: found.root,
    index: found.index,
    lent: { objects: found.objects, ...(found.shallow === undefined ? {} : { shallow: found.shallow }) },
    timeout_ms: options.time_ms ?? DEFAULT_MS,
    max_bytes
  })
  const excludes = found.exclude === undefined ? [] : ["-c", `core.excludesFile=${found.exclude}`]
  const below = relative(found.root, options.workspace)
  const status = ["status", "--porcelain=v1", "-z", "--untracked-files=normal", "--ignore-submodules=all"]
  const log = ["log", `-n${SUBJECTS}`, "--format=%s", "--no-show-signature", "--no-decorate", commit ?? "", "--"]
  const [files, said] = yield* Effect.all(
    [
      Effect.option(
        git(place, call([...excludes, ...status, "--no-renames", "--", below === "" ? "." : below], 1_048_576))
      ),
      commit === undefined ? Effect.succeedNone : Effect.option(git(place, call(log, 65_536)))
    ],
    { concurrency: 2 }
  )
  return {
    ...(files._tag === "Some" && files.value.code === 0 ? counts(files.value.output) : {}),
    subjects: said._tag === "Some" && said.value.code === 0 ? subjectsIn(said.value.output) : []
  }
}, Effect.scoped)

/** Undefined where there is no repository. Starts nothing then. */
export const look = (options: LookOptions): Effect.Effect<RepositoryState | undefined> =>
  Effect.suspend(() => {
    const found = findRepository(options.workspace)
    if (found === undefined) return Effect.undefined
    const { branch, commit } = headOf(found)
    return Effect.map(asked(found, options, commit), (rest) => ({
      ...(branch === undefined ? {} : { branch }),
      ...(commit === undefined ? {} : { commit: commit.slice(0, 10) }),
      ...rest
    }))
  }).pipe(
    Effect.catchDefect((cause) =>
      Effect.as(Effect.logDebug("The repository could not be looked at.", cause), undefined)
    )
  )
