/**
 * Which repositories were there when a call began, on disk while it runs: when claw is killed, the next call in this
 * workspace knows what the lost one may have made. Owns: these files, in claw's own directory, which no call sees.
 * Invariant: a record is taken once, by whoever finds its writer dead.
 */
import { mkdirSync, rmdirSync, unlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { isAlive, own } from "../ProcessIdentity.ts"
import { attempt, namesIn, textOf } from "../look.ts"

interface Record {
  readonly owner: string
  readonly root: string
  readonly known: ReadonlyArray<string>
}

const isList = (value: unknown): value is ReadonlyArray<string> =>
  Array.isArray(value) && value.every((one) => typeof one === "string")

const read = (path: string): Partial<Record> => {
  const value = attempt((): unknown => JSON.parse(textOf(path) ?? "{}"))
  return typeof value === "object" && value !== null ? value : {}
}

const placeOf = (state: string): string => join(state, "calls")
let calls = 0

/** The way to take it away again. Where nothing can be kept, nothing is. */
export const record = (state: string | undefined, root: string, known: ReadonlySet<string>): (() => void) => {
  if (state === undefined) return () => {}
  const place = placeOf(state)
  const path = join(place, `${process.pid}-${calls++}.json`)
  attempt(() => {
    mkdirSync(place, { recursive: true, mode: 0o700 })
    const text: Record = { owner: own(), root, known: Array.from(known) }
    writeFileSync(path, JSON.stringify(text), { mode: 0o600 })
  })
  return () => {
    attempt(() => unlinkSync(path))
    attempt(() => rmdirSync(place))
  }
}

/** Whether a call was cut off here; its record stays. Costs a look into one directory, which is not there mostly. */
export const hasLost = (state: string, root: string): boolean =>
  namesIn(placeOf(state)).some((name) => {
    const { owner, root: of } = read(join(placeOf(state), name))
    return of === root && (owner === undefined || !isAlive(owner))
  })

/** What all calls that were cut off here had found; undefined: there are none. */
export const takeLost = (state: string | undefined, root: string): ReadonlySet<string> | undefined => {
  if (state === undefined) return undefined
  const place = placeOf(state)
  let common: ReadonlySet<string> | undefined
  for (const name of namesIn(place)) {
    const path = join(place, name)
    const { known, owner, root: of } = read(path)
    if (owner !== undefined && isAlive(owner)) continue
    if (of !== root && of !== undefined) continue
    attempt(() => unlinkSync(path))
    if (!isList(known)) continue
    const before = common
    common = new Set(known.filter((id) => before === undefined || before.has(id)))
  }
  return common
}
