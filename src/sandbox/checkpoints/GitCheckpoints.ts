/**
 * Checkpoints in a git object store of our own, outside of the workspace. Owns: how the parts are put together for one
 * session. Does not own: what a call did (recording), how that is taken back (reversal), the questions to git (listing).
 * Invariants: git is started at the first call that may change any file and never before; a call that names its files
 * needs no git; nothing is made on disk before there is something to keep.
 */
import { realpathSync } from "node:fs"
import { join } from "node:path"
import { Effect, Layer, Semaphore } from "effect"
import { Checkpoints } from "../Checkpoints.ts"
import { makeBlobs } from "./blobs.ts"
import { isLaidOut, layOut } from "./layout.ts"
import * as Recording from "./recording.ts"
import * as Reversal from "./reversal.ts"
import type { ScanLimits } from "./scan.ts"
import { readModes } from "./windows.ts"

export interface GitCheckpointOptions {
  /** The directory of all checkpoints; absolute. */
  readonly base: string
  readonly workspace: string
  /** Unlike any other session's. */
  readonly session: string
  /** Where git is looked for. */
  readonly path: string
  readonly home?: string
  readonly limits?: Partial<ScanLimits>
}

export const DEFAULT_LIMITS: ScanLimits = {
  files: 50_000,
  bytes: 512 * 1024 * 1024,
  file_bytes: 16 * 1024 * 1024,
  time_ms: 20_000
}

const realOf = (path: string): string => {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}

/** All of a person's files, or more than that. */
const isHome = (workspace: string, home: string | undefined): boolean =>
  home !== undefined && home !== "" && `${realOf(home)}/`.startsWith(`${realOf(workspace)}/`.replace("//", "/"))

const laidOut = (options: GitCheckpointOptions, limits: ScanLimits): Recording.Kept => {
  const { base, workspace, session, path } = options
  const layout = layOut(base, workspace, session)
  const blobs = makeBlobs(layout.objects)
  const room = { layout, place: { store: layout.store, path }, time_ms: limits.time_ms }
  return { base, layout, blobs, limits, scanner: { room, blobs, limits, modes: readModes(layout.own) } }
}

/** Of one session; lives as long as the scope. */
export const make = Effect.fnUntraced(function* (options: GitCheckpointOptions) {
  const limits = { ...DEFAULT_LIMITS, ...options.limits }
  let kept: Recording.Kept | undefined
  const own: Recording.Own = {
    isThere: () => kept !== undefined || isLaidOut(options.base, options.workspace, options.session),
    kept: () => (kept ??= laidOut(options, limits)),
    isHome: isHome(options.workspace, options.home),
    lock: yield* Semaphore.make(1),
    scope: yield* Effect.scope,
    scanning: { calls: 0, base: undefined },
    refused: undefined,
    cleaned: false
  }
  yield* Effect.addFinalizer(() => Effect.sync(() => Recording.leave(own)))
  return Checkpoints.of({
    begin: (call) => Recording.begin(own, call),
    left: Recording.left(own),
    plan: (reversal) => Reversal.plan(own.kept, reversal),
    apply: (plan) => Reversal.apply(own.kept, plan),
    diff: (steps) => Reversal.diff(own.kept, steps)
  })
})

export const layer = (options: GitCheckpointOptions): Layer.Layer<Checkpoints> =>
  Layer.effect(Checkpoints, make(options))

/** The directory of all checkpoints in claw's state directory. */
export const baseIn = (state: string): string => join(state, "checkpoints")
