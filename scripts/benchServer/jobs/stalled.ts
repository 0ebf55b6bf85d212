/**
 * Readers that stop reading while their tasks go on: what the neighbours notice, what the server keeps for them, and
 * that they find everything when they come back. Delay: rounds of the same load, read and not read, beside each other.
 * Memory: many that stall at once, beside as many that read, for one alone is less than a heap's own breathing.
 */
import { median, now, quantile, sleep } from "../../bench/samples.ts"
import { type Client, greet, kindOf, many } from "../client.ts"
import { type Follower, follower } from "../follower.ts"
import { delays, endAll, type Job, type Lab, param, streaming, until, watched } from "../lab.ts"
import { collect } from "../inspector.ts"
import { rss } from "../processLook.ts"

interface Fast {
  readonly client: Client
  readonly session: string
  readonly seen: Follower
}

/** A task that says some megabytes a second: enough to fill what the system buffers in a few seconds. */
const fast = async (lab: Lab, index: number): Promise<Fast> => {
  const model = `endless:interval=${param(lab, "fast_interval_ms")},size=${param(lab, "fast_size")}`
  const { client, hello } = await greet(kindOf(index), lab, { detach: true, create: { model } })
  const seen = follower(hello.position)
  client.onMessage(seen.take)
  client.send({ type: "prompt", content: "go" })
  const failed = client.next("task_failed", "error").then(({ type, error }) => {
    if (seen.characters() === 0) throw new Error(`a fast stream: ${error?.message ?? type}`)
  })
  // Also where nobody waits for it any more.
  failed.catch(() => {})
  await Promise.race([until("a fast stream", 30_000, () => seen.characters() > 0), failed])
  return { client, session: hello.session_id ?? "", seen }
}

const CUT_MS = 3000

const readToEnd = async (lab: Lab, session: string, seen: Follower, index: number): Promise<boolean> => {
  if (seen.ended()) return true
  const { client } = await greet(kindOf(index), lab)
  client.onMessage(seen.take)
  const ended = client.next("task_canceled", "task_completed", "task_failed")
  client.send({ type: "resume", session_id: session, after: seen.position(), detach: true })
  client.send({ type: "interrupt" })
  const read = await ended.then(
    () => true,
    () => false
  )
  client.destroy()
  return read
}

/** Comes back where it was, reads on, ends its task, and has read everything. */
const comeBack = async (lab: Lab, { client, session, seen }: Fast, index: number) => {
  client.resume()
  // What the system still holds for it comes first; then it may find itself cut off.
  const code = await Promise.race([client.closed, sleep(CUT_MS).then(() => -1)])
  client.destroy()
  await client.closed
  // Whoever is cut off again, for the answer is large, comes back again.
  for (let tries = 0; !(await readToEnd(lab, session, seen, index)); tries++) {
    if (tries > 10) throw new Error("a reader that comes back is cut off every time")
  }
  return { faults: seen.faults(), cut: code !== -1 }
}

const LOOK_MS = 2000

/**
 * What the server holds, again and again while a crowd's answers grow: garbage is collected before each look, since
 * the answers themselves are megabytes a second, read or not.
 */
const held = async (lab: Lab, ms: number): Promise<ReadonlyArray<number>> => {
  const looks: Array<number> = []
  for (const begun = now(); now() - begun < ms;) {
    await sleep(LOOK_MS)
    await collect(lab.inspect_port)
    looks.push(rss(lab.pid))
  }
  return looks
}

export const stalled: Job = async (lab) => {
  const [readers, rounds, window_ms] = [param(lab, "readers"), param(lab, "rounds"), param(lab, "window_ms")]
  const seen = delays()
  const neighbours = await streaming(lab, readers - 1, `endless:interval=${param(lab, "interval_ms")}`, seen.take)
  const p99 = async (): Promise<number> => {
    await sleep(500)
    seen.read()
    await sleep(window_ms)
    return quantile(seen.read().ms, 0.99)
  }
  const read: Array<number> = []
  const unread: Array<number> = []
  const faults: Array<string> = []
  let cut = 0
  const back = async (one: Fast, index: number): Promise<void> => {
    const came = await comeBack(lab, one, index)
    faults.push(...came.faults)
    if (came.cut) cut++
  }
  const { driver } = await watched(async () => {
    for (let round = 0; round < rounds; round++) {
      const one = await fast(lab, round)
      read.push(await p99())
      one.client.pause()
      unread.push(await p99())
      await back(one, round)
    }
  })
  const count = param(lab, "stalled")
  const memory = async (stalls: boolean): Promise<ReadonlyArray<number>> => {
    const crowd = await many(count, count, (index) => fast(lab, index))
    if (stalls) for (const { client } of crowd) client.pause()
    const looks = await held(lab, param(lab, "stall_ms"))
    // Who does not read may speak. Answers that went on would be tens of megabytes for whoever comes back last.
    for (const { client } of crowd) client.send({ type: "interrupt" })
    await many(count, 4, async (index) => {
      const one = crowd[index] as Fast
      if (stalls) return back(one, index)
      one.client.destroy()
      await readToEnd(lab, one.session, one.seen, index)
    })
    return looks
  }
  // Twice the same: the first has the server's own growth in it.
  await memory(false)
  const whenRead = await memory(false)
  const whenUnread = await memory(true)
  const more = whenUnread.map((mib, look) => mib - (whenRead[look] ?? Number.POSITIVE_INFINITY))
  await endAll(neighbours)
  for (const fault of faults.slice(0, 5)) console.error(fault)
  return {
    neighbours: median(unread) / median(read),
    read_p99_ms: median(read),
    unread_p99_ms: median(unread),
    mib_each: Math.max(0, ...more) / count,
    faults: faults.length,
    cut,
    driver_late_ms: driver.late_ms
  }
}
