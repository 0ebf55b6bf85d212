/** Many slow runs at once: memory for each, how late a delta is, CPU. Deltas carry the time at which they were sent. */
import { collect, cpu, KIB, now, nowMicros, quantile, sleep } from "../samples.ts"
import { type Job, once, param } from "./job.ts"

const STAMP = /@(\d+);/g

export const concurrent: Job = async (lab) => {
  const [count, interval, window] = [param(lab, "runs"), param(lab, "interval_ms"), param(lab, "window_ms")]
  for (let i = 0; i < 20; i++) await once(lab, "text:n=5")
  await collect()
  const before = process.memoryUsage.rss()
  const conversations = await Promise.all(
    Array.from({ length: count }, () => lab.contender.open(`endless:interval=${interval}`))
  )
  const delays: Array<number> = []
  const live = new Set<number>()
  let measuring = false
  const runs = conversations.map((conversation, i) =>
    conversation.run({
      onText: (text) => {
        live.add(i)
        if (!measuring) return
        const at = nowMicros()
        for (const [, sent] of text.matchAll(STAMP)) delays.push((at - Number(sent)) / 1000)
      }
    })
  )
  const limit = now() + 30_000
  while (live.size < count) {
    if (now() > limit) throw new Error(`only ${live.size} of ${count} runs stream`)
    await sleep(20)
  }
  await sleep(window / 2)
  measuring = true
  const [cpuBefore, begun] = [cpu(), now()]
  await sleep(window)
  const [used, ms] = [cpu() - cpuBefore, now() - begun]
  measuring = false
  const rss = process.memoryUsage.rss()
  for (const run of runs) run.cancel()
  await Promise.all(runs.map((run) => run.ended))
  for (const conversation of conversations) await conversation.close()
  return {
    rss_kib: (rss - before) / KIB / count,
    p50_ms: quantile(delays, 0.5),
    p99_ms: quantile(delays, 0.99),
    cpu_percent: (used / ms) * 100,
    per_s: (delays.length / ms) * 1000
  }
}
