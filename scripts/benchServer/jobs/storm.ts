/**
 * Everybody comes back at once and is a thousand facts behind: until the last one has caught up, and that nobody misses
 * one. The driver reads only the numbers of what comes, or it would be what is measured.
 */
import { now, quantile, sleep } from "../../bench/samples.ts"
import { greet, kindOf, many, type Message, open } from "../client.ts"
import { type Job, type Lab, param, watched } from "../lab.ts"
import { cpuOf, rss } from "../processLook.ts"

interface History {
  readonly session: string
  readonly position: number
}

/** A session with at least so many facts: short answers, one after the other. */
const history = async (lab: Lab, facts: number): Promise<History> => {
  const { client, hello } = await greet("tcp", lab, { create: { model: "text:n=1" } })
  const at = { position: hello.position ?? 0 }
  client.onMessage(({ seq }) => {
    if (seq !== undefined) at.position = seq
  })
  while (at.position < facts) {
    const ended = client.next("task_completed", "task_failed", "error")
    client.send({ type: "prompt", content: "go" })
    const { type, error } = await ended
    if (type !== "task_completed") throw new Error(`a history could not be made: ${error?.code}`)
  }
  client.send({ type: "close" })
  await client.closed
  return { session: hello.session_id ?? "", position: at.position }
}

const PATIENCE_MS = 60_000
const SEQ = '"seq":'
const seqOf = (text: string): number | undefined => {
  // The envelope's own: a string's quotes are escaped, so this spelling cannot stand inside one.
  const at = text.indexOf(SEQ)
  return at < 0 ? undefined : Number.parseInt(text.slice(at + SEQ.length, at + SEQ.length + 12), 10)
}

const catchUp = async (lab: Lab, index: number, { session, position }: History, behind: number): Promise<number> => {
  const begun = now()
  const client = await open(kindOf(index), lab)
  const start = position - behind
  let last = start
  await new Promise<void>((done, fail) => {
    const patience = setTimeout(() => fail(new Error(`not caught up within ${PATIENCE_MS} ms`)), PATIENCE_MS)
    const stop = (fault?: string): void => {
      clearTimeout(patience)
      if (fault === undefined) done()
      else fail(new Error(fault))
    }
    client.onText((text) => {
      const seq = seqOf(text)
      if (seq === undefined) {
        if (text.includes('"type":"error"')) stop((JSON.parse(text) as Message).error?.code ?? "an error")
        return
      }
      if (seq !== last + 1) stop(`fact ${seq} after ${last}`)
      last = seq
      if (last === position) stop()
    })
    void client.closed.then((code) => stop(`closed with ${code}`))
    client.send({ type: "hello", session_id: session, after: { seq: start } })
  })
  const took = now() - begun
  await sleep(100)
  if (last !== position) throw new Error(`${last - position} facts more than there are`)
  client.destroy()
  return took
}

export const storm: Job = async (lab) => {
  const [clients, sessions, behind] = [param(lab, "clients"), param(lab, "sessions"), param(lab, "behind")]
  const made = await many(sessions, 20, () => history(lab, behind))
  const [cpuBefore, begun] = [cpuOf(lab.pid), now()]
  let gapless = 0
  const faults = new Map<string, number>()
  const { value: times, driver } = await watched(() =>
    many(clients, clients, async (index) => {
      const one = made[index % sessions]
      if (one === undefined) return Number.NaN
      try {
        const took = await catchUp(lab, index, one, behind)
        gapless++
        return took
      } catch (error) {
        const why = (error as Error).message
        faults.set(why, (faults.get(why) ?? 0) + 1)
        return now() - begun
      }
    })
  )
  for (const [why, count] of faults) console.error(`${count} clients: ${why}`)
  const seconds = (now() - begun) / 1000
  return {
    seconds,
    missed: clients - gapless,
    p50_s: quantile(times, 0.5) / 1000,
    facts_per_s: (gapless * behind) / seconds,
    cpu_percent: ((cpuOf(lab.pid) - cpuBefore) / (seconds * 1000)) * 100,
    rss_mib: rss(lab.pid),
    driver_late_ms: driver.late_ms,
    driver_cpu_percent: driver.cpu_percent
  }
}
