/**
 * Interrupts a task inside bash: until its process group is gone, until the terminal event. The second may never be
 * before the first (SETTLED 3); `late` counts the groups that outlived it and must be 0.
 */
import { readdirSync, readFileSync } from "node:fs"
import { now, quantile, sleep } from "../samples.ts"
import { type Job, type Lab, param } from "./job.ts"

/** State and group of a process; where nobody reaps orphans, the dead stay as `Z` and hold nothing. */
const lives = (pid: string, group: number): boolean => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1")
    const [state, , of] = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
    return Number(of) === group && state !== "Z" && state !== "X"
  } catch {
    return false
  }
}

/** The kernel knows no such group any more. Cheap, and true only where orphans are reaped. */
const forgotten = (group: number): boolean => {
  try {
    process.kill(-group, 0)
    return false
  } catch {
    return true
  }
}

const alive = (group: number): boolean =>
  !forgotten(group) &&
  (process.platform !== "linux" || readdirSync("/proc").some((name) => /^\d/.test(name) && lives(name, group)))

const round = async (lab: Lab) => {
  const conversation = await lab.contender.open("bash")
  const { promise, resolve } = Promise.withResolvers<number>()
  let output = ""
  const running = conversation.run({
    onSign: (sign, content) => {
      if (sign === "output") output += content
      const found = /pgid (\d+)\n/.exec(output)?.[1]
      if (found !== undefined) resolve(Number(found))
    }
  })
  const group = await Promise.race([promise, running.ended.then(() => 0)])
  if (group === 0) throw new Error("bash ended before it was interrupted")
  await sleep(20)
  const at = now()
  let gone = Number.NaN
  const look = setInterval(() => {
    if (Number.isNaN(gone) && forgotten(group)) gone = now() - at
  }, 1)
  running.cancel()
  await running.ended
  const end = now() - at
  clearInterval(look)
  const late = alive(group)
  while (alive(group)) await sleep(1)
  // Nobody saw it before the end where the dead are not reaped, or where it was gone within a turn.
  if (Number.isNaN(gone)) gone = late ? now() - at : end
  await conversation.close()
  return { end, gone, late }
}

export const cancelBash: Job = async (lab) => {
  const rounds = param(lab, "rounds")
  const seen: Array<Awaited<ReturnType<typeof round>>> = []
  for (let i = 0; i <= rounds; i++) seen.push(await round(lab))
  const measured = seen.slice(1)
  const ends = measured.map(({ end }) => end)
  const gones = measured.map(({ gone }) => gone)
  return {
    ended_p50_ms: quantile(ends, 0.5),
    ended_p99_ms: quantile(ends, 0.99),
    gone_p50_ms: quantile(gones, 0.5),
    gone_p99_ms: quantile(gones, 0.99),
    late: seen.filter(({ late }) => late).length
  }
}
