/**
 * Connections that only are there, each with a session of its own: what they cost, and that every one of them still
 * answers. They come from several loopback addresses, so that ports do not run short.
 */
import { now, quantile } from "../../bench/samples.ts"
import { type Client, greet, type Kind, many } from "../client.ts"
import { type Job, param, watched } from "../lab.ts"
import { cpuOf, descriptors, rss, settledRss } from "../processLook.ts"

const PER_ADDRESS = 20_000
const source = (index: number): string => `127.0.0.${1 + Math.floor(index / PER_ADDRESS)}`

const answered = async (clients: ReadonlyArray<Client>): Promise<ReadonlyArray<number>> =>
  many(clients.length, 200, async (index) => {
    const client = clients[index]
    if (client === undefined) throw new Error("a connection is missing")
    const at = now()
    const pong = client.next("pong")
    client.send({ type: "ping", nonce: String(index) })
    await pong
    return now() - at
  })

export const idle: Job = async (lab) => {
  const each = param(lab, "each")
  const before = await settledRss(lab.pid, 2000)
  const fds = descriptors(lab.pid)
  let gone = 0
  const begun = now()
  const connect = (kind: Kind) => (index: number) =>
    greet(kind, lab, {}, source(index)).then(({ client }) => {
      void client.closed.then(() => gone++)
      return client
    })
  const clients = [...(await many(each, 50, connect("tcp"))), ...(await many(each, 50, connect("ws")))]
  const connected_s = (now() - begun) / 1000
  const peak = rss(lab.pid)
  const [cpuBefore, quiet] = [cpuOf(lab.pid), now()]
  const settled = await settledRss(lab.pid, param(lab, "hold_ms"))
  const cpu = ((cpuOf(lab.pid) - cpuBefore) / (now() - quiet)) * 100
  const { value: times, driver } = await watched(() => answered(clients))
  const held = descriptors(lab.pid) - fds
  const lost = gone
  for (const client of clients) client.destroy()
  return {
    connections: held,
    lost,
    rss_mib: Math.max(peak, settled, rss(lab.pid)),
    kib_each: ((settled - before) * 1024) / (2 * each),
    connected_s,
    idle_cpu_percent: cpu,
    pong_p99_ms: quantile(times, 0.99),
    driver_late_ms: driver.late_ms
  }
}
