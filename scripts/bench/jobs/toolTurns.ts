/** A long task of tool turns: what a turn costs, and whether it costs more as the history grows. */
import { collect, cpu, now, quantile } from "../samples.ts"
import { type Job, once, param } from "./job.ts"

export const toolTurns: Job = async (lab) => {
  const [turns, calls] = [param(lab, "turns"), param(lab, "calls")]
  for (let i = 0; i < 3; i++) await once(lab, `tools:turns=${param(lab, "warm")},calls=${calls}`)
  await collect()
  const model = `tools:turns=${turns},calls=${calls},measured=1`
  const conversation = await lab.contender.open(model)
  const [cpuBefore, begun] = [cpu(), now()]
  await conversation.run({}).ended
  const [ms, used] = [now() - begun, cpu() - cpuBefore]
  const log = await lab.server.log(model)
  const asked = log.slice(-turns - 1).map((request) => request.at)
  if (asked.length !== turns + 1) throw new Error(`${log.length} requests for ${turns} turns`)
  await conversation.close()
  const gaps = asked.slice(1).map((at, i) => at - (asked[i] ?? at))
  const some = Math.min(20, Math.ceil(turns / 2))
  const first = quantile(gaps.slice(0, some), 0.5)
  const last = quantile(gaps.slice(-some), 0.5)
  return {
    ms_per_turn: ms / turns,
    cpu_ms_per_turn: used / turns,
    first_ms: first,
    last_ms: last,
    growth: last / first
  }
}
