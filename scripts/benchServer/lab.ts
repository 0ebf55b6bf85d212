/**
 * What every job of this bench has: the server under test, the model server, sizes, and a watch over the driver itself.
 * Owns: stamps to delays, and the check that a driver that was late itself is not believed.
 */
import { monitorEventLoopDelay } from "node:perf_hooks"
import { now, nowMicros, sleep } from "../bench/samples.ts"
import { type Client, greet, kindOf, many, type Target } from "./client.ts"
import { cpuOf } from "./processLook.ts"

export type Params = Readonly<Record<string, number>>
export type Numbers = Record<string, number>

export interface Lab extends Target {
  readonly pid: number
  /** Port of the model server, to be asked directly. */
  readonly model_port: number
  /** Of the server's inspector, which only a job whose plan says so has. */
  readonly inspect_port: number
  readonly params: Params
}

export type Job = (lab: Lab) => Promise<Numbers>

export const param = ({ params }: Pick<Lab, "params">, name: string): number => {
  const value = params[name]
  if (value === undefined) throw new Error(`the job has no parameter ${name}`)
  return value
}

const STAMP = /@(\d+);/g

/** Takes the stamps out of deltas: how many came, and how late. */
export const delays = () => {
  let seen: Array<number> = []
  let frames = 0
  return {
    take: (text: string): void => {
      frames++
      const at = nowMicros()
      for (const [, sent] of text.matchAll(STAMP)) seen.push((at - Number(sent)) / 1000)
    },
    /** What came since it was last asked. */
    read: () => {
      const read = { ms: seen, frames }
      seen = []
      frames = 0
      return read
    }
  }
}

/** The driver's own lateness while `during` runs, p99 in milliseconds, and its share of one core. */
export const watched = async <A>(
  during: () => Promise<A>
): Promise<{ readonly value: A; readonly driver: { readonly late_ms: number; readonly cpu_percent: number } }> => {
  const delay = monitorEventLoopDelay({ resolution: 1 })
  const [begun, before] = [now(), cpuOf(process.pid)]
  delay.enable()
  const value = await during()
  delay.disable()
  const cpu_percent = ((cpuOf(process.pid) - before) / (now() - begun)) * 100
  return { value, driver: { late_ms: delay.percentile(99) / 1e6, cpu_percent } }
}

export const until = async (what: string, patience_ms: number, holds: () => boolean): Promise<void> => {
  const limit = now() + patience_ms
  while (!holds()) {
    if (now() > limit) throw new Error(`${what}: not within ${patience_ms} ms`)
    await sleep(5)
  }
}

export interface Streaming {
  readonly client: Client
  readonly session: string
}

/** `count` clients, each with a session of its own and a prompt whose answer has begun to arrive. */
export const streaming = async (
  lab: Target,
  count: number,
  model: string,
  take: (text: string, index: number) => void
): Promise<ReadonlyArray<Streaming>> => {
  const live = new Set<number>()
  let failure: string | undefined
  const fail = (code: string): void => {
    failure ??= code
  }
  const opened = await many(count, 50, async (index) => {
    const { client, hello } = await greet(kindOf(index), lab, { create: { model } })
    client.onMessage((message) => {
      if (message.type !== "text_delta") {
        if (message.type === "error" || message.type === "task_failed") fail(message.error?.code ?? message.type)
        return
      }
      live.add(index)
      take(message.content ?? "", index)
    })
    client.send({ type: "prompt", content: "go" })
    return { client, session: hello.session_id ?? "" }
  })
  await until(`${count} streams`, 60_000, () => failure !== undefined || live.size === count)
  if (failure !== undefined) throw new Error(`a stream failed: ${failure}`)
  return opened
}

/** Interrupts every one and waits for its end. */
export const endAll = async (streams: ReadonlyArray<Streaming>): Promise<void> => {
  await Promise.all(
    streams.map(async ({ client }) => {
      const ended = client.next("task_canceled", "task_completed", "task_failed")
      client.send({ type: "interrupt" })
      await ended
      client.destroy()
    })
  )
}
