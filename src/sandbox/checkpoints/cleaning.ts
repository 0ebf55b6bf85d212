/**
 * What is too old goes: contents that no checkpoint of the last 30 days needs, sessions and workspaces that were not used
 * since. Owns: that, once a day for each workspace. Invariants: a content that an index holds stays, however old; a
 * failure is a line in the log and costs nothing but room.
 */
import { readdir, rm, stat, utimes, writeFile } from "node:fs/promises"
import { basename, join } from "node:path"
import { Effect } from "effect"
import { git, parts } from "./git.ts"
import type { Kept } from "./recording.ts"

const DAY_MS = 86_400_000
export const KEPT_MS = 30 * DAY_MS

const ageOf = (path: string): Promise<number> =>
  stat(path).then(
    ({ mtimeMs }) => Date.now() - mtimeMs,
    () => 0
  )

const inFolder = async (path: string): Promise<ReadonlyArray<string>> =>
  (await readdir(path).catch(() => [])).map((name) => join(path, name))

const isIndex = (path: string): boolean => /^index-[0-9a-f]{32}$/.test(basename(path))

const oldSessions = async ({ layout }: Kept): Promise<void> => {
  for (const session of await inFolder(join(layout.store, "sessions"))) {
    if (session === layout.own) continue
    const ages = await Promise.all([session, ...(await inFolder(session))].map(ageOf))
    if (Math.min(...ages) > KEPT_MS) await rm(session, { recursive: true, force: true })
  }
}

const indexes = async ({ layout }: Kept): Promise<ReadonlyArray<string>> => {
  const sessions = await inFolder(join(layout.store, "sessions"))
  const all = await Promise.all([layout.warm, ...sessions].map(inFolder))
  return all.flat().filter(isIndex)
}

const heldBy = ({ layout, scanner }: Kept, index: string) =>
  git(scanner.room.place, {
    args: ["ls-files", "-z", "-s"],
    workTree: layout.empty,
    index,
    timeout_ms: 60_000,
    max_bytes: 64 * 1024 * 1024
  }).pipe(Effect.map(({ output }) => parts(output).map((line) => line.split(" ", 2)[1] ?? "")))

const oldObjects = async ({ layout }: Kept, held: ReadonlySet<string>): Promise<number> => {
  let removed = 0
  for (const folder of await inFolder(layout.objects)) {
    const name = basename(folder)
    if (name.startsWith("tmp_obj_") && (await ageOf(folder)) > DAY_MS) await rm(folder, { force: true })
    if (!/^[0-9a-f]{2}$/.test(name)) continue
    for (const object of await inFolder(folder)) {
      if (held.has(name + basename(object)) || (await ageOf(object)) <= KEPT_MS) continue
      await rm(object, { force: true })
      removed += 1
    }
  }
  return removed
}

/** Whole workspaces that nobody works in any more. */
const oldWorkspaces = async ({ base, layout }: Kept): Promise<void> => {
  for (const store of await inFolder(base)) {
    if (store === layout.store || (await ageOf(join(store, "used"))) <= KEPT_MS) continue
    await rm(store, { recursive: true, force: true })
  }
}

const isDue = async ({ layout }: Kept): Promise<boolean> => {
  const mark = join(layout.store, "cleaned")
  const last = await stat(mark).catch(() => undefined)
  if (last !== undefined && Date.now() - last.mtimeMs < DAY_MS) return false
  await writeFile(mark, "")
  await utimes(mark, new Date(), new Date())
  return true
}

/** Everything that is too old, whenever it was cleaned last. */
export const cleanNow = Effect.fnUntraced(function* (kept: Kept) {
  yield* Effect.promise(() => oldSessions(kept))
  const lists = yield* Effect.forEach(yield* Effect.promise(() => indexes(kept)), (index) => heldBy(kept, index))
  const removed = yield* Effect.promise(() => oldObjects(kept, new Set(lists.flat())))
  yield* Effect.promise(() => oldWorkspaces(kept))
  return removed
})

export const clean = (kept: Kept): Effect.Effect<void> =>
  Effect.gen(function* () {
    if (!(yield* Effect.promise(() => isDue(kept)))) return
    yield* cleanNow(kept)
  }).pipe(Effect.catchCause((cause) => Effect.logWarning("old checkpoints were not removed", cause)))
