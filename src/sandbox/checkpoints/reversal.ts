/**
 * Taking steps back: planned by three versions of each file, kept in the store, carried out. Owns: that order and the
 * merging of texts. Invariant: a plan that was told is in the store, with every content that it needs.
 */
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { Effect } from "effect"
import { CheckpointError, type Reversal, type Step } from "../Checkpoints.ts"
import type { Blobs } from "./blobs.ts"
import { composed, difference } from "./difference.ts"
import type { Change, PlanRecord, StepRecord } from "./entry.ts"
import { git } from "./git.ts"
import * as Places from "./places.ts"
import { decide, type Move, movesOf, type World } from "./plan.ts"
import type { Kept } from "./recording.ts"
import { carryOut } from "./restore.ts"

const MERGED_BYTES = 1024 * 1024

const broken = (cause: unknown) =>
  new CheckpointError({
    code: "storage_unavailable",
    detail: "The checkpoints of this workspace cannot be used.",
    cause
  })

const attempt = <A>(use: () => Promise<A>): Effect.Effect<A, CheckpointError> =>
  Effect.tryPromise({ try: use, catch: broken })

const readRecord = async <A extends { readonly v: 1 }>(blobs: Blobs, name: string): Promise<A | undefined> => {
  const bytes = await blobs.get(name)
  if (bytes === undefined) return undefined
  await blobs.keep(name)
  const found = JSON.parse(bytes.toString("utf8")) as A
  return found.v === 1 ? found : undefined
}

const gone = new CheckpointError({
  code: "storage_unavailable",
  gone: true,
  detail: "The checkpoint is not kept any more: it is too old, or its store was removed."
})

const needed = <A extends { readonly v: 1 }>({ blobs }: Kept, name: string) =>
  Effect.flatMap(
    attempt(() => readRecord<A>(blobs, name)),
    (record) => (record === undefined ? Effect.fail(gone) : Effect.succeed(record))
  )

const isText = (bytes: Buffer | undefined): bytes is Buffer =>
  bytes !== undefined && bytes.length <= MERGED_BYTES && !bytes.includes(0)

/** Lines of both sides; undefined where they overlap, are no text, or there is no git. */
const mergeTexts = async (kept: Kept, names: readonly [now: string, have: string, want: string]) => {
  const texts = await Promise.all(names.map((name) => kept.blobs.get(name)))
  if (!texts.every(isText)) return undefined
  const directory = await mkdtemp(join(kept.layout.temporary, "merge-"))
  try {
    const files = ["now", "have", "want"].map((name) => join(directory, name))
    await Promise.all(files.map((file, i) => writeFile(file, texts[i] as Buffer)))
    return files
  } catch (error) {
    await rm(directory, { recursive: true, force: true })
    throw error
  }
}

const merging = (kept: Kept) => {
  const { place, time_ms } = kept.scanner.room
  return (...names: readonly [now: string, have: string, want: string]) =>
    Effect.gen(function* () {
      const files = yield* attempt(() => mergeTexts(kept, names))
      if (files === undefined) return undefined
      const directory = join(files[0] as string, "..")
      const call = {
        args: ["merge-file", "-p", "-q", ...files],
        workTree: kept.layout.empty,
        timeout_ms: time_ms,
        max_bytes: 4 * MERGED_BYTES
      }
      const cleared = Effect.promise(() => rm(directory, { recursive: true, force: true }))
      const { code, output } = yield* Effect.ensuring(git(place, call), cleared)
      return code === 0 ? yield* attempt(() => kept.blobs.put(output)) : undefined
    }).pipe(Effect.orElseSucceed(() => undefined))
}

const movesFor = Effect.fnUntraced(function* (kept: Kept, reversal: Reversal) {
  if (reversal.direction === "redo") {
    const { items, made } = yield* needed<PlanRecord>(kept, reversal.plan)
    const moves = items.map(({ path, from, to }): Move => ({ path, have: to, want: from, uncertain: false }))
    return { moves, since: made }
  }
  const steps = yield* Effect.forEach(reversal.steps, ({ step, uncertain = false }) =>
    Effect.map(needed<StepRecord>(kept, step), (record) => ({
      ...record,
      uncertain: uncertain && !reversal.uncertain
    }))
  )
  return { moves: movesOf(steps), since: Math.min(...steps.map(({ began }) => began)) }
})

const siteOf = ({ layout, blobs, limits }: Kept) => ({ root: layout.root, blobs, limits })

export const plan = (own: () => Kept, reversal: Reversal) =>
  Effect.gen(function* () {
    const kept = yield* attempt(async () => own())
    const { moves, since } = yield* movesFor(kept, reversal)
    const { root, blobs, limits } = siteOf(kept)
    const world: World<CheckpointError> = {
      look: (path) => attempt(() => Places.look(root, path, blobs, limits)),
      keep: (blob) => attempt(() => blobs.keep(blob)),
      merge: merging(kept)
    }
    const { items, kept: left } = yield* decide(world, moves)
    const record: PlanRecord = { v: 1, since, made: Date.now() - 10, items, kept: left }
    return { plan: yield* attempt(() => blobs.put(Buffer.from(JSON.stringify(record)))) }
  })

export const apply = (own: () => Kept, name: string) =>
  Effect.gen(function* () {
    const kept = yield* attempt(async () => own())
    const record = yield* needed<PlanRecord>(kept, name)
    return yield* attempt(() => carryOut(siteOf(kept), name, record))
  })

export const diff = (own: () => Kept, steps: ReadonlyArray<Step>) =>
  Effect.gen(function* () {
    const kept = yield* attempt(async () => own())
    const records = yield* Effect.forEach(steps, ({ step }) => needed<StepRecord>(kept, step))
    const changes: ReadonlyArray<Change> = composed(records.map((record) => record.changes))
    return yield* attempt(() => difference(kept.blobs, changes))
  })
