/**
 * More events a second than any model gives, for a while: whether they all come, how late, and whether memory comes
 * back. Events are the model's deltas: what arrives together may travel as one frame. The level to come back to is that
 * of a server that has had the same load before and has rested.
 */
import { now, quantile, sleep } from "../../bench/samples.ts"
import { open } from "../client.ts"
import { delays, endAll, type Job, type Lab, param, streaming, watched } from "../lab.ts"
import { collect } from "../inspector.ts"
import { cpuOf, rss, settledRss } from "../processLook.ts"

const load = async (lab: Lab, window_ms: number) => {
  const [tasks, interval, burst] = [param(lab, "tasks"), param(lab, "interval_ms"), param(lab, "burst")]
  const seen = delays()
  const opened = await streaming(lab, tasks, `endless:interval=${interval},burst=${burst}`, seen.take)
  seen.read()
  const [cpuBefore, begun] = [cpuOf(lab.pid), now()]
  let events = 0
  let frames = 0
  let peak = 0
  const p99s: Array<number> = []
  const { driver } = await watched(async () => {
    while (now() - begun < window_ms) {
      await sleep(1000)
      const part = seen.read()
      events += part.ms.length
      frames += part.frames
      p99s.push(quantile(part.ms, 0.99))
      peak = Math.max(peak, rss(lab.pid))
    }
  })
  const [took, used] = [now() - begun, cpuOf(lab.pid) - cpuBefore]
  await endAll(opened)
  return {
    per_s: (events / took) * 1000,
    frames_per_s: (frames / took) * 1000,
    p99_ms: quantile(p99s, 0.99),
    cpu_percent: (used / took) * 100,
    peak_mib: peak,
    driver
  }
}

export const burst: Job = async (lab) => {
  const window_ms = param(lab, "window_ms")
  const idle = await open("tcp", lab)
  const stir = () => idle.send({ type: "ping" })
  await load(lab, window_ms)
  const rested = async (): Promise<number> => {
    await sleep(1000)
    await collect(lab.inspect_port)
    return settledRss(lab.pid, param(lab, "rest_ms"), stir)
  }
  const before = await rested()
  const { driver, ...numbers } = await load(lab, window_ms)
  const after = await rested()
  idle.destroy()
  return {
    ...numbers,
    rested_mib: before,
    after_mib: after,
    back: after / before,
    driver_late_ms: driver.late_ms,
    driver_cpu_percent: driver.cpu_percent
  }
}
