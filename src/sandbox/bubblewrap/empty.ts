/**
 * What lies over everything hidden: nothing, as a file and as a directory; and the filters of system calls beside it. Owns:
 * the directory they stand in. Systems clear their temporary directory of what nobody touched for days, and a server may
 * live longer: what has gone is laid again before a call.
 */
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { makeTemporary } from "../temporary.ts"
import { callFilter, canFilter } from "./callFilter.ts"
import type { View } from "./mounts.ts"

export interface Empty {
  readonly place: string
  readonly file: string
  readonly directory: string
  /** Undefined where system calls cannot be filtered. */
  readonly filter: string | undefined
  readonly watchedFilter: string | undefined
}

const filterAt = (path: string): string | undefined => (canFilter ? path : undefined)

const at = (place: string): Empty & View["empty"] => ({
  place,
  file: join(place, "file"),
  directory: join(place, "directory"),
  filter: filterAt(join(place, "filter")),
  watchedFilter: filterAt(join(place, "watched-filter"))
})

const write = (path: string | undefined, text: () => Parameters<typeof writeFileSync>[1]): void => {
  if (path !== undefined && !existsSync(path)) writeFileSync(path, text(), { mode: 0o444 })
}

export const lay = ({ place, file, directory, filter, watchedFilter }: Empty): void => {
  mkdirSync(place, { recursive: true, mode: 0o700 })
  write(file, () => "")
  if (!existsSync(directory)) mkdirSync(directory, { mode: 0o555 })
  write(filter, () => callFilter(false))
  write(watchedFilter, () => callFilter(true))
}

export const makeEmpty = Effect.acquireRelease(
  Effect.sync(() => {
    const empty = at(makeTemporary("empty"))
    lay(empty)
    return empty
  }),
  ({ place }) => Effect.sync(() => rmSync(place, { recursive: true, force: true }))
)
