/**
 * Interrupts streaming runs, many at once: until each run has ended for its caller, until the server saw each socket
 * close. A run that never ends, or a socket that stays, fails the job.
 */
import { now, quantile, sleep } from "../samples.ts"
import { type Job, type Lab, param } from "./job.ts"

const PATIENCE_MS = 20_000

const until = async (what: string, holds: () => boolean | Promise<boolean>): Promise<void> => {
  const limit = now() + PATIENCE_MS
  while (!(await holds())) {
    if (now() > limit) throw new Error(`${what}: not within ${PATIENCE_MS} ms`)
    await sleep(3)
  }
}

const round = async (lab: Lab, count: number, model: string) => {
  const conversations = await Promise.all(Array.from({ length: count }, () => lab.contender.open(model)))
  let live = 0
  const ends: Array<number> = []
  const runs = conversations.map((conversation) => {
    let shown = false
    const running = conversation.run({
      onText: () => {
        if (!shown) live++
        shown = true
      }
    })
    return { ...running, ended: running.ended.then(() => ends.push(now())) }
  })
  await until("every run streams", () => live === count)
  await sleep(30)
  const at = now()
  for (const run of runs) run.cancel()
  await Promise.all(runs.map((run) => run.ended))
  const log = () => lab.server.log(model)
  await until("every socket is closed", async () => (await log()).every((request) => request.closed !== undefined))
  const closes = (await log()).map((request) => (request.closed ?? Number.NaN) - at)
  for (const conversation of conversations) await conversation.close()
  return { ends: ends.map((end) => end - at), closes }
}

export const cancel: Job = async (lab) => {
  const [count, rounds] = [param(lab, "runs"), param(lab, "rounds")]
  const ends: Array<number> = []
  const closes: Array<number> = []
  for (let i = 0; i <= rounds; i++) {
    const seen = await round(lab, count, `endless:interval=20,round=${i},of=${process.pid}`)
    // The first round warms everything up.
    if (i === 0) continue
    ends.push(...seen.ends)
    closes.push(...seen.closes)
  }
  return {
    ended_p50_ms: quantile(ends, 0.5),
    ended_p99_ms: quantile(ends, 0.99),
    closed_p50_ms: quantile(closes, 0.5),
    closed_p99_ms: quantile(closes, 0.99)
  }
}
