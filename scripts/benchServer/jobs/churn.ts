/**
 * Connections that come, ping and go, and tasks that are cancelled while they stream, wait for a person or run bash: what
 * is left of them. Levels are taken when everybody has gone and the server has rested.
 */
import { MIB, now, quantile, sleep } from "../../bench/samples.ts"
import { type Client, greet, kindOf, many, open } from "../client.ts"
import { type Job, type Lab, param, watched } from "../lab.ts"
import { collect, held, resources } from "../inspector.ts"
import { children, descriptors, settledRss } from "../processLook.ts"

/** Ports of one address are used up by what has just been closed. */
const source = (index: number): string => `127.0.0.${1 + (index % 16)}`

const visit = async (lab: Lab, index: number): Promise<number> => {
  const at = now()
  const client = await open(kindOf(index), lab, source(index))
  const pong = client.next("pong")
  client.send({ type: "ping" })
  await pong
  const took = now() - at
  client.send({ type: "close" })
  await client.closed
  return took
}

/** So many visits a second, begun on time whether or not earlier ones are over. */
const visits = async (lab: Lab, seconds: number): Promise<ReadonlyArray<number>> => {
  const rate = param(lab, "connects_per_s")
  const total = Math.round(rate * seconds)
  const running: Array<Promise<number>> = []
  const begun = now()
  while (running.length < total) {
    const due = Math.min(total, Math.floor(((now() - begun) / 1000) * rate))
    while (running.length < due) {
      const one = visit(lab, running.length)
      // It is looked at in the end; until then a failure of one must not stop the others.
      one.catch(() => {})
      running.push(one)
    }
    await sleep(2)
  }
  return Promise.all(running)
}

const stops = ["text_delta", "approval_request", "tool_started"] as const
const models = { text_delta: "endless:interval=20", approval_request: "bash", tool_started: "bash" } as const

/** One prompt, cancelled when it has come as far as `stop`. */
const cancelled = async (client: Client, stop: (typeof stops)[number]): Promise<void> => {
  const reached = client.next(stop, "task_failed", "error")
  if (stop === "tool_started") {
    void client.next("approval_request").then(
      ({ request_id }) => client.send({ type: "approval_response", request_id, decision: "allow_once" }),
      () => {}
    )
  }
  client.send({ type: "prompt", content: "go" })
  const at = await reached
  if (at.type !== stop) throw new Error(`${at.type} ${at.error?.code} instead of ${stop}`)
  const ended = client.next("task_canceled", "task_completed", "task_failed")
  client.send({ type: "interrupt" })
  const { type } = await ended
  if (type !== "task_canceled") throw new Error(`${type} after an interrupt`)
}

const tasks = async (lab: Lab, count: number): Promise<void> => {
  const together = Math.min(count, param(lab, "together"))
  await many(together, together, async (index) => {
    const stop = stops[index % stops.length] ?? "text_delta"
    const { client } = await greet(kindOf(index), lab, { create: { model: models[stop] } })
    for (let i = index; i < count; i += together) await cancelled(client, stop)
    client.send({ type: "close" })
    await client.closed
  })
}

const level = async (lab: Lab) => {
  // Connections to the model are kept for the next call; how many is chance.
  await fetch(`http://127.0.0.1:${lab.model_port}/drop`)
  await sleep(1000)
  await collect(lab.inspect_port)
  const mib = await settledRss(lab.pid, param(lab, "rest_ms"))
  const counts = { descriptors: descriptors(lab.pid), children: children(lab.pid) }
  return { mib, ...counts, held: await held(lab.inspect_port), resources: await resources(lab.inspect_port) }
}

export const churn: Job = async (lab) => {
  const [seconds, count] = [param(lab, "seconds"), param(lab, "tasks")]
  await visits(lab, seconds / 4)
  await tasks(lab, param(lab, "warm"))
  const before = await level(lab)
  const { value: times, driver } = await watched(() => visits(lab, seconds))
  const visited = await level(lab)
  const begun = now()
  await tasks(lab, Math.floor(count / 2))
  const middle = await level(lab)
  await tasks(lab, count - Math.floor(count / 2))
  const tasks_s = (now() - begun) / 1000
  const after = await level(lab)
  return {
    connect_p99_ms: quantile(times, 0.99),
    descriptors: Math.max(0, after.descriptors - before.descriptors),
    children: after.children - before.children,
    resources: Math.max(0, after.resources - before.resources),
    held_mib: after.held - before.held,
    held_slope_bytes: ((after.held - middle.held) * MIB) / (count - Math.floor(count / 2)),
    grown_by_visits_mib: visited.mib - before.mib,
    grown_mib: after.mib - before.mib,
    slope_bytes: ((after.mib - middle.mib) * MIB) / (count - Math.floor(count / 2)),
    tasks_s,
    driver_late_ms: driver.late_ms
  }
}
