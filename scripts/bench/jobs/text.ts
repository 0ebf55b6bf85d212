/** One answer of many small deltas as fast as it can be taken: the rate, and the CPU that a delta costs. */
import { collect, cpu, now } from "../samples.ts"
import { type Job, once, param } from "./job.ts"

const SIZE = 4

export const text: Job = async (lab) => {
  const deltas = param(lab, "deltas")
  for (let i = 0; i < 3; i++) await once(lab, `text:n=${param(lab, "warm")},size=${SIZE}`)
  await collect()
  const conversation = await lab.contender.open(`text:n=${deltas},size=${SIZE}`)
  let characters = 0
  const [cpuBefore, begun] = [cpu(), now()]
  await conversation.run({ onText: (more) => void (characters += more.length) }).ended
  const [ms, used] = [now() - begun, cpu() - cpuBefore]
  if (characters !== deltas * SIZE) throw new Error(`${characters} of ${deltas * SIZE} characters came`)
  await conversation.close()
  return { per_s: (deltas / ms) * 1000, cpu_us: (used * 1000) / deltas }
}
