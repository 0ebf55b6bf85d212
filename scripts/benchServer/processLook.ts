/**
 * What a process costs, seen from outside: memory, CPU, descriptors, children. Owns: how /proc is read. Linux only.
 */
import { readdirSync, readFileSync } from "node:fs"
import { KIB, MIB, sleep } from "../bench/samples.ts"

const TICKS_PER_SECOND = 100

/** Resident memory, MiB. */
export const rss = (pid: number): number => {
  const found = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))
  return (Number(found?.[1] ?? Number.NaN) * KIB) / MIB
}

const statOf = (pid: number | string): ReadonlyArray<string> => {
  const text = readFileSync(`/proc/${pid}/stat`, "latin1")
  // The name may hold anything, also brackets: fields count from behind its last one; the state is the first.
  return text.slice(text.lastIndexOf(")") + 2).split(" ")
}

/** Milliseconds of CPU, user and system, all threads. */
export const cpuOf = (pid: number): number => {
  const fields = statOf(pid)
  return ((Number(fields[11]) + Number(fields[12])) * 1000) / TICKS_PER_SECOND
}

export const descriptors = (pid: number): number => readdirSync(`/proc/${pid}/fd`).length

/** Children that live or wait to be reaped. */
export const children = (pid: number): number =>
  readdirSync("/proc").filter((name) => {
    if (!/^\d+$/.test(name)) return false
    try {
      return Number(statOf(name)[1]) === pid
    } catch {
      return false
    }
  }).length

/**
 * Memory once it has come to rest: the least of what is seen until it has not fallen for a while. A process that does
 * nothing collects nothing, so `stir` gives it a little to do.
 */
export const settledRss = async (pid: number, patience_ms: number, stir: () => void = () => {}): Promise<number> => {
  const STEP = 250
  const STILL = 5000
  let least = rss(pid)
  for (let waited = 0, still = 0; waited < patience_ms && still < STILL; waited += STEP, still += STEP) {
    stir()
    await sleep(STEP)
    const seen = rss(pid)
    if (seen < least * 0.995) still = 0
    least = Math.min(least, seen)
  }
  return least
}
