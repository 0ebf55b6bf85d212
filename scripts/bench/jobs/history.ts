/**
 * What a finished session keeps in memory: collected heap with it, minus collected heap after it was let go. A session
 * of claw is its folded state, its records and what watches it.
 */
import { collect, KIB, median } from "../samples.ts"
import type { Conversation } from "../contenders/contender.ts"
import { type Job, type Lab, once, param } from "./job.ts"

interface Kept {
  readonly heap: number
  readonly external: number
}

const session = async (lab: Lab, turns: number): Promise<Kept> => {
  const held: { session: Conversation | undefined } = {
    session: await lab.contender.open(`tools:turns=${turns},args=200`)
  }
  await held.session?.run({}).ended
  await lab.server.drop()
  await collect()
  const kept = process.memoryUsage()
  await held.session?.close()
  held.session = undefined
  await collect()
  const left = process.memoryUsage()
  return { heap: kept.heapUsed - left.heapUsed, external: kept.external - left.external }
}

/** Code that V8 lets go of in between is no session's: the first is not counted, of the others the median. */
const SESSIONS = 3

export const history: Job = async (lab) => {
  await once(lab, `tools:turns=${param(lab, "warm")},args=200`)
  const seen: Array<Kept> = []
  for (let i = 0; i <= SESSIONS; i++) seen.push(await session(lab, param(lab, "turns")))
  const of = (key: keyof Kept) => median(seen.slice(1).map((kept) => kept[key])) / KIB
  return { heap_kib: of("heap"), external_kib: of("external") }
}
