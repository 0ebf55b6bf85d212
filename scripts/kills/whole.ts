/** The whole table: all scenes, all upkeep, ten kills in a row. Owns: which pairs are worth a run. */
import type { Pair } from "./job.ts"
import type { Place } from "./run.ts"
import { scenes } from "./scenes.ts"
import { each, killAt, record, type Row, tenInARow } from "./table.ts"
import { upkeepPairs, upkeeps } from "./upkeep.ts"

export interface Which {
  readonly atOnce: number
  /** Every point once, in the scene that meets it first. */
  readonly quick: boolean
  readonly scene?: RegExp
}

/** The same in every scene: the first one is enough. */
const COMMON = /^(migration|create|claim|update|release|recovery)/

/**
 * What a quick table knows a point by. The state before a commit is the state inside of it, and that behind it is the
 * state when it is told; which facts share a commit is a matter of timing.
 */
const kindOf = ({ name }: Pair): string | undefined => {
  const [, types = "", when] = /^commit (\S+) (\w+)$/.exec(name) ?? []
  if (name.startsWith("published") || when === "before") return undefined
  if (types === "") return name
  const grant = types.split("+").includes("grant") ? "grant " : ""
  return `commit ${grant}${types.split("+").at(-1)} ${when}`
}

const choosing = (quick: boolean) => {
  const known = new Set<string>()
  const isNew = (id: string | undefined) => {
    if (id === undefined || known.has(id)) return false
    known.add(id)
    return true
  }
  return (pairs: ReadonlyArray<Pair>, always: (pair: Pair) => boolean = () => false): ReadonlyArray<Pair> =>
    pairs.filter((pair) => {
      if (always(pair)) return true
      if (quick) return isNew(kindOf(pair))
      return COMMON.test(pair.name) ? isNew(`${pair.name} ${pair.nth}`) : true
    })
}

export const tableOf = async (place: Place, which: Which, told: (row: Row) => void): Promise<ReadonlyArray<Row>> => {
  const rows: Array<Row> = []
  const take = (row: Row) => {
    rows.push(row)
    told(row)
  }
  const wanted = (name: string) => which.scene?.test(name) !== false
  const choose = choosing(which.quick)
  for (const scene of scenes) {
    if (!wanted(scene.name)) continue
    const pairs = choose(await record(place, scene), scene.always)
    await each(pairs, which.atOnce, (pair) => killAt(place, scene, pair), take)
    if (scene.name === "bash") take(await tenInARow(place, scene))
  }
  for (const work of upkeeps) {
    if (!wanted(work)) continue
    const { end, kill, pairs } = await upkeepPairs(place, work)
    await each(choosing(which.quick)(pairs), which.atOnce, kill, take)
    end()
  }
  return rows
}
