/** From the call to the first delta, answers one after another over a kept connection. */
import { cpu, now, quantile } from "../samples.ts"
import { type Job, param } from "./job.ts"

export const firstDelta: Job = async (lab) => {
  const [count, warm] = [param(lab, "runs"), param(lab, "warm")]
  const waits: Array<number> = []
  let cpuBefore = cpu()
  for (let i = 0; i < count + warm; i++) {
    if (i === warm) cpuBefore = cpu()
    const conversation = await lab.contender.open("text:n=1")
    let first = Number.NaN
    const begun = now()
    await conversation.run({
      onText: () => {
        if (Number.isNaN(first)) first = now()
      }
    }).ended
    if (i >= warm) waits.push(first - begun)
    await conversation.close()
  }
  const used = cpu() - cpuBefore
  return { cpu_ms: used / count, p50_ms: quantile(waits, 0.5), p99_ms: quantile(waits, 0.99) }
}
