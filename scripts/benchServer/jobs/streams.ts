/**
 * Many tasks that stream at a model's pace: how late a delta is at its client, what the server uses, and whether every
 * delta came. `floor`: the same streams read directly from the model server by the same driver, which is what the
 * machine itself takes just now.
 */
import { connect, type Socket } from "node:net"
import { now, quantile, sleep } from "../../bench/samples.ts"
import { delays, endAll, type Job, type Lab, param, streaming, watched } from "../lab.ts"
import { loopLag } from "../metricsPage.ts"
import { cpuOf, rss } from "../processLook.ts"

const ask = (port: number, model: string, take: (text: string) => void): Promise<Socket> =>
  new Promise((done, fail) => {
    const body = JSON.stringify({ model, stream: true, messages: [{ role: "user", content: "go" }] })
    const socket = connect({ host: "127.0.0.1", port, noDelay: true }, () => done(socket))
    socket.setEncoding("latin1").on("data", take).on("error", fail)
    socket.write(`POST /v1/chat/completions HTTP/1.1\r\nhost: bench\r\ncontent-length: ${body.length}\r\n\r\n${body}`)
  })

const floor = async (lab: Lab, count: number, model: string, window_ms: number): Promise<number> => {
  const seen = delays()
  const sockets = await Promise.all(Array.from({ length: count }, () => ask(lab.model_port, model, seen.take)))
  await sleep(500)
  seen.read()
  await sleep(window_ms)
  const { ms } = seen.read()
  for (const socket of sockets) socket.destroy()
  return quantile(ms, 0.99)
}

export const streams: Job = async (lab) => {
  const [tasks, interval, window_ms] = [param(lab, "tasks"), param(lab, "interval_ms"), param(lab, "window_ms")]
  const model = `endless:interval=${interval}`
  const floor_ms = await floor(lab, tasks, model, Math.min(window_ms, 3000))
  const seen = delays()
  const opened = await streaming(lab, tasks, model, seen.take)
  await sleep(Math.min(window_ms, 2000))
  seen.read()
  const [cpuBefore, begun] = [cpuOf(lab.pid), now()]
  const { driver } = await watched(() => sleep(window_ms))
  const { ms, frames } = seen.read()
  const [used, took] = [cpuOf(lab.pid) - cpuBefore, now() - begun]
  const lag = await loopLag(lab)
  const memory = rss(lab.pid)
  await endAll(opened)
  return {
    p50_ms: quantile(ms, 0.5),
    p99_ms: quantile(ms, 0.99),
    floor_ms,
    ...(lag === undefined ? {} : { loop_p99_ms: lag }),
    // Of what the model server was to send; it may fall behind, and then nobody can say more than it.
    arrived: (ms.length / took) * 1000 * (interval / 1000 / tasks),
    frames_per_s: (frames / took) * 1000,
    cpu_percent: (used / took) * 100,
    rss_mib: memory,
    driver_late_ms: driver.late_ms,
    driver_cpu_percent: driver.cpu_percent
  }
}
