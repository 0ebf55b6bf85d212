/**
 * What thousands of cancelled tasks leave behind: a third streaming, a third waiting for an approval, a third inside a
 * tool. Each has a session of its own, which is destroyed and removed. Every number is a difference and should be 0,
 * the heap's within the megabytes of PERFORMANCE. Idle kept connections are closed by the server before counting.
 */
import { readdirSync, readFileSync } from "node:fs"
import { collect, KIB, MIB, sleep } from "../samples.ts"
import { type Job, type Lab, type Numbers, param } from "./job.ts"

const KINDS = ["endless:interval=20", "ask", "wait"] as const

const cancelOne = async ({ contender }: Lab, model: string): Promise<void> => {
  const conversation = await contender.open(model)
  const { promise, resolve } = Promise.withResolvers<"there">()
  const running = conversation.run({
    onText: () => resolve("there"),
    onSign: (sign) => {
      if (sign === (model === "ask" ? "asked" : "started")) resolve("there")
    }
  })
  const first = await Promise.race([promise, running.ended])
  if (first !== "there") throw new Error(`a task of ${model} ended before it was interrupted`)
  running.cancel()
  await running.ended
  await conversation.close()
}

const cancelMany = async (lab: Lab, count: number, together: number): Promise<void> => {
  let begun = 0
  const worker = async () => {
    while (begun < count) await cancelOne(lab, KINDS[begun++ % KINDS.length] ?? "wait")
  }
  await Promise.all(Array.from({ length: Math.min(together, count) }, worker))
}

const children = (): number =>
  readdirSync("/proc/self/task")
    .map((thread) => readFileSync(`/proc/self/task/${thread}/children`, "utf8").trim())
    .filter((line) => line !== "").length

const snapshot = async ({ contender, server }: Lab) => {
  await server.drop()
  await sleep(100)
  await collect()
  const { heapUsed } = process.memoryUsage()
  return {
    fibers: contender.fibers(),
    handles: process.getActiveResourcesInfo().length,
    descriptors: readdirSync("/proc/self/fd").length,
    children: children(),
    heapUsed
  }
}

export const leak: Job = async (lab): Promise<Numbers> => {
  const [count, together] = [param(lab, "tasks"), param(lab, "together")]
  await cancelMany(lab, param(lab, "warm"), together)
  const before = await snapshot(lab)
  await cancelMany(lab, count, together)
  const after = await snapshot(lab)
  const grown = after.heapUsed - before.heapUsed
  return {
    fibers: after.fibers - before.fibers,
    handles: after.handles - before.handles,
    descriptors: after.descriptors - before.descriptors,
    children: after.children - before.children,
    heap_mib: grown / MIB,
    heap_kib_per_task: grown / KIB / count
  }
}
