/**
 * What a finished session keeps in memory: collected heap with it, minus collected heap after it was let go. A session
 * of claw is its folded state, its records and what watches it.
 */
import { collect, KIB } from "../samples.ts"
import type { Conversation } from "../contenders/contender.ts"
import { type Job, once, param } from "./job.ts"

export const history: Job = async (lab) => {
  const turns = param(lab, "turns")
  await once(lab, `tools:turns=${param(lab, "warm")},args=200`)
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
  return {
    heap_kib: (kept.heapUsed - left.heapUsed) / KIB,
    external_kib: (kept.external - left.external) / KIB
  }
}
