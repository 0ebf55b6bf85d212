/**
 * How steps are reversed, file by file, by three versions: what a file was before, what it became, what it is now. Pure
 * but for what it is given. Invariants: a file that is neither what it became nor, as text, can have the change taken
 * out of it is kept as it is, in all its steps; nothing is planned for a file that is already what it shall be.
 */
import { Effect } from "effect"
import type { KeptFile } from "../../domain/Event.ts"
import {
  type Change,
  type Entry,
  type Held,
  isExecutable,
  isLink,
  type PlanItem,
  same,
  shown,
  withExecutability
} from "./entry.ts"

/** One file, back from what it became. */
export interface Move {
  readonly path: string
  readonly have: Held
  readonly want: Held
  readonly uncertain: boolean
}

export interface World<E> {
  /** What is there now; its content is in the store. */
  readonly look: (path: string) => Effect.Effect<Held, E>
  /** Is it still in the store? Makes it young. */
  readonly keep: (blob: string) => Effect.Effect<boolean, E>
  /** `now` with the difference from `have` to `want`; undefined: they overlap. */
  readonly merge: (now: string, have: string, want: string) => Effect.Effect<string | undefined, E>
}

/** Newest first. */
export const movesOf = (
  steps: ReadonlyArray<{ readonly changes: ReadonlyArray<Change>; readonly uncertain: boolean }>
) =>
  steps
    .toReversed()
    .flatMap(({ changes, uncertain }) =>
      changes.map(({ path, before, after }): Move => ({ path, have: after, want: before, uncertain }))
    )

const mergedMode = (now: Entry, have: Entry, want: Entry): number =>
  isExecutable(have) === isExecutable(want) ? now.mode : withExecutability(now.mode, want)

const merged = Effect.fnUntraced(function* <E>(world: World<E>, now: Entry, have: Entry, want: Entry) {
  if ([now, have, want].some(isLink)) return undefined
  const mode = mergedMode(now, have, want)
  // One of the two left the content as it was.
  if (have.blob === want.blob) return { mode, blob: now.blob }
  if (now.blob === have.blob || now.blob === want.blob) return { mode, blob: want.blob }
  const blob = yield* world.merge(now.blob, have.blob, want.blob)
  return blob === undefined ? undefined : { mode, blob }
})

/** What the file becomes by one move, or why it is left alone. */
const step = Effect.fnUntraced(function* <E>(world: World<E>, now: Entry | null, { have, want, uncertain }: Move) {
  if (same(now, want)) return { now }
  if (have === "unknown" || want === "unknown") return { now, why: "not_recorded" } as const
  if (uncertain) return { now, why: "uncertain" } as const
  if (want !== null && !(yield* world.keep(want.blob))) return { now, why: "gone" } as const
  if (same(now, have)) return { now: want }
  if (now === null || have === null || want === null) return { now, why: "changed" } as const
  const entry = yield* merged(world, now, have, want)
  return entry === undefined ? ({ now, why: "changed" } as const) : { now: entry }
})

interface Track {
  readonly real: Held
  readonly now: Entry | null
  readonly why?: KeptFile["reason"]
}

const begin = (real: Held): Track =>
  real === "unknown" ? { real, now: null, why: "not_recorded" } : { real, now: real }

export const decide = Effect.fnUntraced(function* <E>(world: World<E>, moves: ReadonlyArray<Move>) {
  const tracks = new Map<string, Track>()
  for (const move of moves) {
    const track = tracks.get(move.path) ?? begin(yield* world.look(move.path))
    const next = track.why === undefined ? { ...track, ...(yield* step(world, track.now, move)) } : track
    tracks.set(move.path, next)
  }
  const items: Array<PlanItem> = []
  const kept: Array<KeptFile> = []
  for (const [path, { real, now, why }] of tracks) {
    if (why !== undefined) kept.push({ path: shown(path), reason: why })
    else if (real !== "unknown" && !same(real, now)) items.push({ path, from: real, to: now })
  }
  return { items, kept }
})
