/** From a client's `interrupt` to its `task_canceled`, while many other tasks stream. */
import { now, quantile } from "../../bench/samples.ts"
import { greet, kindOf, many } from "../client.ts"
import { delays, endAll, type Job, param, streaming, watched } from "../lab.ts"

export const interrupt: Job = async (lab) => {
  const model = `endless:interval=${param(lab, "interval_ms")}`
  const seen = delays()
  const others = await streaming(lab, param(lab, "tasks"), model, seen.take)
  const times: Array<number> = []
  const [clients, rounds] = [param(lab, "clients"), param(lab, "rounds")]
  const { driver } = await watched(() =>
    many(clients, clients, async (index) => {
      const { client } = await greet(kindOf(index), lab, { create: { model } })
      for (let round = 0; round < rounds; round++) {
        const streams = client.next("text_delta", "error", "task_failed")
        client.send({ type: "prompt", content: "go" })
        const { type, error } = await streams
        if (type !== "text_delta") throw new Error(`a task failed: ${error?.code}`)
        const ended = client.next("task_canceled")
        const at = now()
        client.send({ type: "interrupt" })
        await ended
        times.push(now() - at)
      }
      client.destroy()
    })
  )
  const load = quantile(seen.read().ms, 0.99)
  await endAll(others)
  return {
    p50_ms: quantile(times, 0.5),
    p99_ms: quantile(times, 0.99),
    load_p99_ms: load,
    driver_late_ms: driver.late_ms
  }
}
