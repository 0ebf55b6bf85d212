/**
 * What an append takes while many tasks stream: sessions beside them go from prompt to end, again and again.
 * The server measures itself, from handing facts over to their commit; read from the difference of two looks.
 */
import { now, sleep } from "../../bench/samples.ts"
import { greet, kindOf, many } from "../client.ts"
import { endAll, type Job, param, streaming, watched } from "../lab.ts"
import { type Bucket, bucketsOf, gauge, metricsPage, quantileOf } from "../metricsPage.ts"

const NAME = "claw_journal_append_seconds"
const COMMIT = "claw_journal_commit_seconds"

/** What was added between two looks. */
const between = (first: string, last: string, name: string): ReadonlyArray<Bucket> => {
  const before = bucketsOf(first, name)
  return bucketsOf(last, name).map(({ le, count }, i) => ({ le, count: count - (before[i]?.count ?? 0) }))
}

/** No more than this, in milliseconds: the border of the bucket that has the slowest. */
const atMost = (buckets: ReadonlyArray<Bucket>): number =>
  (buckets.find(({ count }) => count === buckets.at(-1)?.count)?.le ?? Number.NaN) * 1000

export const appends: Job = async (lab) => {
  const others = await streaming(lab, param(lab, "tasks"), `endless:interval=${param(lab, "interval_ms")}`, () => {})
  const [clients, window_ms, pause] = [param(lab, "clients"), param(lab, "window_ms"), param(lab, "pause_ms")]
  const first = await metricsPage(lab)
  const begun = now()
  let tasks = 0
  const { driver } = await watched(() =>
    many(clients, clients, async (index) => {
      const { client } = await greet(kindOf(index), lab, { create: { model: "text:n=5,size=4" } })
      while (now() - begun < window_ms) {
        const ended = client.next("task_completed", "task_failed", "error")
        client.send({ type: "prompt", content: "go" })
        const { type, error } = await ended
        if (type !== "task_completed") throw new Error(`a task failed: ${error?.code ?? type}`)
        tasks++
        await sleep(pause)
      }
      client.destroy()
    })
  )
  const took = now() - begun
  const page = await metricsPage(lab)
  const during = between(first, page, NAME)
  const commits = between(first, page, COMMIT)
  await endAll(others)
  return {
    p50_ms: quantileOf(during, 0.5) * 1000,
    p99_ms: quantileOf(during, 0.99) * 1000,
    appends_per_s: ((during.at(-1)?.count ?? 0) / took) * 1000,
    tasks_per_s: (tasks / took) * 1000,
    commit_max_ms: atMost(commits),
    loop_p99_ms: gauge(page, "claw_event_loop_lag_seconds") * 1000,
    loop_max_ms: gauge(page, "claw_event_loop_lag_max_seconds") * 1000,
    driver_late_ms: driver.late_ms
  }
}
