/**
 * What a store costs that has grown: the list of many sessions, a long one brought back, space given back beside a
 * writer. Drives the SQLite store alone; the contender is only there to be named. Each figure is the median of a few
 * runs, the store opened anew for each.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import type { DurableBody } from "../../../src/domain/Event.ts"
import {
  type CallId,
  newEventId,
  type PromptId,
  type SessionId,
  type StreamId,
  type TaskId
} from "../../../src/domain/Ids.ts"
import { localOwner, sessionKey } from "../../../src/domain/Principal.ts"
import { recover } from "../../../src/runtime/recover.ts"
import * as SessionLog from "../../../src/runtime/sessionLog.ts"
import { standingOf } from "../../../src/sandbox/WorkspaceIdentity.ts"
import { Journal, type JournalRecord } from "../../../src/store/Journal.ts"
import { SessionIndex } from "../../../src/store/SessionIndex.ts"
import { compact } from "../../../src/store/sqlite/Compact.ts"
import { layerSqlite } from "../../../src/store/sqlite/SqliteStore.ts"
import { type Job, param } from "./job.ts"

const RUNS = 7
const TS = "2026-01-01T00:00:00.000Z"
const usage = { input_tokens: 100, output_tokens: 20 }

/** One turn with a call, of eight facts; the first begins the task. */
const turnOf = (n: number): ReadonlyArray<DurableBody> => {
  const task_id = "task_1" as TaskId
  const at = { task_id, turn: n }
  const [stream_id, reasoning_stream_id] = [`str_${n}` as StreamId, `str_r${n}` as StreamId]
  const call = { ...at, call_id: `call_${n}` as CallId, tool_name: "bash" }
  const begin: ReadonlyArray<DurableBody> =
    n === 1 ? [{ type: "task_started", task_id, prompt_id: "prompt_1" as PromptId, content: "go on" }] : []
  return [
    ...begin,
    { type: "thinking", ...at, stream_id, reasoning_stream_id },
    { type: "text_completed", ...at, stream_id, content: "I look.", finish_reason: "tool_calls", usage },
    { type: "usage", ...at, usage, session_usage: usage },
    { type: "tool_call", ...call, content: '{"command":"ls -la src"}', risk: "safe" },
    { type: "approval_resolved", ...call, decision: "allow_once", via: "policy" },
    { type: "tool_started", ...at, call_id: call.call_id, attempt: 1 },
    { type: "tool_result", ...call, result: "x".repeat(400), status: "ok", is_error: false, duration_ms: 3 }
  ]
}

const recordsOf = (bodies: ReadonlyArray<DurableBody>): ReadonlyArray<JournalRecord> =>
  bodies.map((body, i) => ({ pos: i + 1, seq: i + 1, event_id: newEventId(), ts: TS, body }))

const fill = (id: string, records: ReadonlyArray<JournalRecord>) =>
  Effect.gen(function* () {
    const [index, journal] = [yield* SessionIndex, yield* Journal]
    const session_id = id as SessionId
    const key = sessionKey(localOwner, session_id)
    yield* index.create({
      session_id,
      workspace: process.cwd(),
      title: `title of ${id}`,
      created_at: TS,
      updated_at: TS
    })
    const { epoch } = yield* journal.claim(key, "bench")
    for (let i = 0; i < records.length; i += 200) yield* journal.append(key, epoch, records.slice(i, i + 200))
    yield* journal.release(key, epoch)
  })

const median = (numbers: ReadonlyArray<number>): number =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0

/** `cpu`: what a machine that does nothing else would take. */
const timed = async (work: () => Promise<unknown>): Promise<{ readonly ms: number; readonly cpu: number }> => {
  const [took, used]: [Array<number>, Array<number>] = [[], []]
  for (let run = 0; run < RUNS; run++) {
    const [begun, before] = [performance.now(), process.cpuUsage()]
    await work()
    took.push(performance.now() - begun)
    const { user, system } = process.cpuUsage(before)
    used.push((user + system) / 1000)
  }
  return { ms: median(took), cpu: median(used) }
}

const list = Effect.gen(function* () {
  const metas = yield* (yield* SessionIndex).list({ limit: Number.MAX_SAFE_INTEGER })
  return metas.map((meta) => `${meta.session_id} ${meta.title} ${standingOf(meta.workspace, meta.workspace_id)}`)
})

const bringBack = Effect.scoped(
  Effect.gen(function* () {
    const log = yield* SessionLog.open({ session_id: "long" as SessionId, owner: localOwner }, "bench")
    return recover(log.state(), { looks: new Map(), broken: log.marks.broken }).kind
  })
)

/** The longest that the lock was held, while the space of a removed session is given back. */
const giveBack = async (file: string, turns: number): Promise<number> => {
  const gone = Effect.andThen(
    fill("gone", recordsOf(Array.from({ length: turns }, (_, i) => turnOf(i + 1)).flat())),
    Effect.flatMap(SessionIndex, (index) => index.remove("gone" as SessionId))
  )
  await Effect.runPromise(Effect.provide(gone, layerSqlite(file)))
  return (await Effect.runPromise(compact(file))).longest_ms
}

export const stored: Job = async (lab) => {
  const directory = mkdtempSync(join(tmpdir(), "claw-bench-stored-"))
  const [many, long] = [join(directory, "many.db"), join(directory, "long.db")]
  const events = param(lab, "events")
  const facts = Array.from({ length: Math.ceil(events / 7) }, (_, i) => turnOf(i + 1)).flat()
  const sessions = Effect.forEach(Array.from({ length: param(lab, "sessions") }), (_, i) =>
    fill(`terminal-${i}`, recordsOf(turnOf(1)))
  )
  await Effect.runPromise(Effect.provide(sessions, layerSqlite(many)))
  await Effect.runPromise(Effect.provide(fill("long", recordsOf(facts.slice(0, events))), layerSqlite(long)))
  const listed = await timed(() => Effect.runPromise(Effect.provide(list, layerSqlite(many))))
  const back = await timed(() => Effect.runPromise(Effect.provide(bringBack, layerSqlite(long))))
  const numbers = {
    list_ms: listed.ms,
    list_cpu_ms: listed.cpu,
    recover_ms: back.ms,
    recover_cpu_ms: back.cpu,
    step_ms: await giveBack(long, param(lab, "gone"))
  }
  rmSync(directory, { recursive: true, force: true })
  return numbers
}
