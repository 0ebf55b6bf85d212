/**
 * What an append takes while many tasks stream: sessions beside them go from prompt to end, again and again.
 * The server measures itself, from handing facts over to their commit; read from the difference of two looks.
 */
import { now, sleep } from "../../bench/samples.ts"
import { greet, kindOf, many } from "../client.ts"
import { endAll, type Job, param, streaming, watched } from "../lab.ts"
import { bucketsOf, gauge, metricsPage, quantileOf } from "../metricsPage.ts"

const NAME = "claw_journal_append_seconds"

export const appends: Job = async (lab) => {
  const others = await streaming(lab, param(lab, "tasks"), `endless:interval=${param(lab, "interval_ms")}`, () => {})
  const [clients, window_ms, pause] = [param(lab, "clients"), param(lab, "window_ms"), param(lab, "pause_ms")]
  const before = bucketsOf(await metricsPage(lab), NAME)
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
  const after = bucketsOf(page, NAME)
  const during = after.map(({ le, count }, i) => ({ le, count: count - (before[i]?.count ?? 0) }))
  await endAll(others)
  return {
    p50_ms: quantileOf(during, 0.5) * 1000,
    p99_ms: quantileOf(during, 0.99) * 1000,
    appends_per_s: ((during.at(-1)?.count ?? 0) / took) * 1000,
    tasks_per_s: (tasks / took) * 1000,
    loop_p99_ms: gauge(page, "claw_event_loop_lag_seconds") * 1000,
    loop_max_ms: gauge(page, "claw_event_loop_lag_max_seconds") * 1000,
    driver_late_ms: driver.late_ms
  }
}
