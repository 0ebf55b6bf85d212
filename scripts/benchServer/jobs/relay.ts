/**
 * One long answer as fast as it can be taken, by a TCP and a WebSocket client of the server, beside the same answer taken
 * in process (the bench's `text` job), in turns.
 */
import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { bundledClaw } from "../../bench/bundled.ts"
import { median, now } from "../../bench/samples.ts"
import type { Measurement } from "../../bench/measure.ts"
import { greet, type Kind } from "../client.ts"
import { type Job, type Lab, param, watched } from "../lab.ts"

const MEASURE = fileURLToPath(new URL("../../bench/measure.ts", import.meta.url))
const SIZE = 4

const inProcess = async (lab: Lab, deltas: number): Promise<number> => {
  const params = { deltas, warm: Math.min(deltas, 2000) }
  const [text, port, bundle] = ["text", lab.model_port, await bundledClaw()]
  const measurement: Measurement = { job: text, file: text, contender: "claw", bundle, port, params }
  const { stdout } = await promisify(execFile)(process.execPath, ["--expose-gc", MEASURE, JSON.stringify(measurement)])
  return (JSON.parse(stdout) as { readonly per_s: number }).per_s
}

const relayed = async (lab: Lab, kind: Kind, deltas: number): Promise<number> => {
  const { client } = await greet(kind, lab, { create: { model: `text:n=${deltas},size=${SIZE}` } })
  let characters = 0
  let frames = 0
  client.onMessage(({ type, content = "" }) => {
    if (type !== "text_delta") return
    characters += content.length
    frames++
  })
  const ended = client.next("task_completed", "task_failed", "error")
  const begun = now()
  client.send({ type: "prompt", content: "go" })
  const { type, error } = await ended
  const took = now() - begun
  client.destroy()
  if (type !== "task_completed") throw new Error(`${type}: ${error?.code}`)
  if (characters !== deltas * SIZE) throw new Error(`${characters} of ${deltas * SIZE} characters came in ${frames}`)
  return (deltas / took) * 1000
}

export const relay: Job = async (lab) => {
  const [deltas, rounds] = [param(lab, "deltas"), param(lab, "rounds")]
  const rates = { process: [] as Array<number>, tcp: [] as Array<number>, ws: [] as Array<number> }
  for (let i = 0; i < 3; i++) for (const kind of ["tcp", "ws"] as const) await relayed(lab, kind, deltas / 10)
  const { driver } = await watched(async () => {
    for (let round = 0; round < rounds; round++) {
      rates.process.push(await inProcess(lab, deltas))
      for (const kind of ["tcp", "ws"] as const) rates[kind].push(await relayed(lab, kind, deltas))
    }
  })
  const ratios = (kind: Kind) => rates[kind].map((rate, round) => rate / (rates.process[round] ?? Number.NaN))
  return {
    tcp: median(ratios("tcp")),
    ws: median(ratios("ws")),
    process_per_s: median(rates.process),
    tcp_per_s: median(rates.tcp),
    ws_per_s: median(rates.ws),
    driver_late_ms: driver.late_ms
  }
}
