/**
 * What one call did: a look before it, a look behind it, the difference as a step in the store. Owns: which look it is,
 * calls side by side, what is left of a process that died. Invariants: nothing here fails a call; what is found is in
 * the store before it is told; a look that was refused for its cost is not tried again for a while.
 */
import { relative } from "node:path"
import { Effect, type Scope, type Semaphore } from "effect"
import type { ChangingCall, SkipReason, Step, Window } from "../Checkpoints.ts"
import type { Blobs } from "./blobs.ts"
import { clean } from "./cleaning.ts"
import { type Change, pathOf, same, type StepRecord } from "./entry.ts"
import type { Layout } from "./layout.ts"
import * as Places from "./places.ts"
import * as Scan from "./scan.ts"
import * as Windows from "./windows.ts"

/** What is on disk. */
export interface Kept {
  readonly base: string
  readonly layout: Layout
  readonly blobs: Blobs
  readonly limits: Scan.ScanLimits
  readonly scanner: Scan.Scanner
}

export interface Own {
  /** Whether anything was ever recorded of this session; may throw. */
  readonly isThere: () => boolean
  /** Makes what is missing there; may throw. */
  readonly kept: () => Kept
  readonly isHome: boolean
  readonly lock: Semaphore.Semaphore
  readonly scope: Scope.Scope
  /** Calls that may change anything share one look before them. */
  readonly scanning: { calls: number; base: Scan.Base | undefined }
  refused: { readonly reason: SkipReason; readonly until: number } | undefined
  cleaned: boolean
}

/** Milliseconds for which a workspace stays too large; what was too slow goes on where it stopped. */
const REFUSED_MS = { too_slow: 30_000, others: 600_000 }
/** File systems take the time of a tick that may be a little older than the clock. */
const TICK_MS = 10

const skippedWindow = (skipped: SkipReason): Window => ({ skipped, end: Effect.succeed({}) })

const attempt = <A>(use: () => Promise<A>): Effect.Effect<A, Scan.Refused> =>
  Effect.tryPromise({ try: use, catch: () => new Scan.Refused("failed") })

const lookAll = ({ blobs, layout, limits }: Kept, paths: ReadonlyArray<string>) =>
  Promise.all(paths.map(async (path) => [path, await Places.look(layout.root, path, blobs, limits)] as const))

const changesOf = async (kept: Kept, held: (Windows.Looked & { readonly kind: "paths" })["held"]) => {
  const now = await lookAll(
    kept,
    held.map(([path]) => path)
  )
  return now
    .map(([path, after], i): Change => ({ path, before: held[i]?.[1] ?? null, after }))
    .filter(({ before, after }) => !same(before, after))
}

const behind = (kept: Kept, looked: Windows.Looked): Effect.Effect<ReadonlyArray<Change>, Scan.Refused> =>
  looked.kind === "paths" ? attempt(() => changesOf(kept, looked.held)) : Scan.behind(kept.scanner, looked.base)

/** Stored, by its name; undefined: nothing was changed. */
const found = Effect.fnUntraced(function* (kept: Kept, { looked, began }: Windows.Open) {
  const changes = yield* behind(kept, looked)
  if (changes.length === 0) return undefined
  const record: StepRecord = { v: 1, began: began - TICK_MS, changes }
  return { step: yield* attempt(() => kept.blobs.put(Buffer.from(JSON.stringify(record)))) } satisfies Step
})

const ended = (kept: Kept, { looked: _, ...call }: Windows.Open, step: Step | undefined) =>
  attempt(async () => Windows.write(kept.layout.own, { ...call, found: step ?? null }))

/** What it did is not known, and later is too late to look. */
const givenUp = (kept: Kept, window: Windows.Open) => Effect.ignore(ended(kept, window, undefined))

const end = (own: Own, kept: Kept, window: Windows.Open): Window["end"] =>
  Effect.gen(function* () {
    const step = yield* found(kept, window)
    yield* ended(kept, window, step)
    return step === undefined ? {} : { step }
  }).pipe(
    Effect.catch(({ reason }) => Effect.as(givenUp(kept, window), { skipped: reason })),
    Effect.ensuring(
      Effect.sync(() => {
        if (window.looked.kind === "anything") own.scanning.calls -= 1
      })
    ),
    own.lock.withPermits(1)
  )

const opened = (own: Own, kept: Kept, call: ChangingCall, looked: Windows.Looked, began: number) =>
  attempt(async (): Promise<Window> => {
    const { task_id, call_id } = call
    const window: Windows.Open = { v: 1, task_id, call_id, began, looked }
    Windows.prune(kept.layout.own)
    Windows.write(kept.layout.own, window)
    if (looked.kind === "anything") own.scanning.calls += 1
    return { end: end(own, kept, window) }
  })

const inside = ({ layout }: Kept, paths: ReadonlyArray<string>): ReadonlyArray<string> =>
  paths
    .map((path) => relative(layout.root, path))
    .flatMap((path) => (path === "" || path.startsWith("../") ? [] : [pathOf(path)]))

const forget = (own: Own, error: Scan.Refused) =>
  Effect.sync(() => {
    const { reason } = error
    const wait = reason === "too_slow" ? REFUSED_MS.too_slow : REFUSED_MS.others
    if (reason !== "failed") own.refused = { reason, until: Date.now() + wait }
  })

/** One look for all that run side by side: they cannot be told apart anyway. */
const scanned = Effect.fnUntraced(function* (own: Own, kept: Kept) {
  const { scanning } = own
  if (scanning.calls > 0 && scanning.base !== undefined) return scanning.base
  const base = yield* Effect.tapError(Scan.before(kept.scanner), (error) => forget(own, error))
  scanning.base = base
  yield* attempt(async () => Windows.writeModes(kept.layout.own, kept.scanner.modes))
  if (!own.cleaned) {
    own.cleaned = true
    yield* Effect.forkIn(clean(kept), own.scope)
  }
  return base
})

const reasonAgainst = (own: Own): SkipReason | undefined => {
  if (own.isHome) return "home"
  return own.refused !== undefined && Date.now() < own.refused.until ? own.refused.reason : undefined
}

export const begin = (own: Own, call: ChangingCall): Effect.Effect<Window> =>
  Effect.gen(function* () {
    const { touch } = call
    const against = touch.kind === "anything" ? reasonAgainst(own) : undefined
    if (against !== undefined) return skippedWindow(against)
    const kept = yield* attempt(async () => own.kept())
    const began = Date.now()
    if (touch.kind === "paths") {
      const held = yield* Effect.interruptible(attempt(() => lookAll(kept, inside(kept, touch.paths))))
      return yield* opened(own, kept, call, { kind: "paths", held }, began)
    }
    const base = yield* Effect.interruptible(scanned(own, kept))
    return yield* opened(own, kept, call, { kind: "anything", base }, Date.now())
  }).pipe(
    own.lock.withPermits(1),
    Effect.catch(({ reason }) => Effect.succeed(skippedWindow(reason)))
  )

const leftOf = (kept: Kept, window: Windows.Stored) =>
  Effect.gen(function* () {
    const { task_id, call_id, began } = window
    if ("found" in window) return window.found === null ? [] : [{ task_id, call_id, ...window.found }]
    const step = yield* found(kept, window)
    const uncertain = step === undefined ? null : { ...step, uncertain: true }
    yield* attempt(async () => Windows.write(kept.layout.own, { v: 1, task_id, call_id, began, found: uncertain }))
    return uncertain === null ? [] : [{ task_id, call_id, ...uncertain }]
  })

export const left = (own: Own) =>
  Effect.gen(function* () {
    if (!(yield* attempt(async () => own.isThere()))) return []
    const kept = yield* attempt(async () => own.kept())
    return (yield* Effect.forEach(Windows.all(kept.layout.own), (window) => leftOf(kept, window))).flat()
  }).pipe(
    own.lock.withPermits(1),
    Effect.catch(({ reason }) => Effect.as(Effect.logWarning("what a call left behind is not known", { reason }), []))
  )

/** The session ends: the next one begins with what this one knows. */
export const leave = (own: Own): void => {
  const { base } = own.scanning
  if (base === undefined) return
  try {
    Scan.leave(own.kept().scanner, base)
  } catch {
    // It begins from nothing instead.
  }
}
