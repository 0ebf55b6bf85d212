/**
 * The kill table: one undisturbed run of a scene lists its points, then one run for each with SIGKILL there. Owns: which
 * pairs there are, and what a row shows. Invariant: a pair that no run reaches any more is said, and is no pass.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Pair } from "./job.ts"
import { type Outcome, type Place, run } from "./run.ts"
import type { Scene } from "./scenes.ts"
import { casesOf, describe, resumedTo } from "./state.ts"

export interface Row {
  readonly scene: string
  readonly pair: Pair
  readonly cases: ReadonlyArray<string>
  readonly state: string
  readonly resumed: string
  readonly effects: string
  readonly complaints: ReadonlyArray<string>
  /** False: this run came to its end without the point. */
  readonly reached: boolean
}

/** What a piece of work writes to the file of its points. */
export const recordedPairs = async (work: (file: string) => Promise<unknown>): Promise<ReadonlyArray<Pair>> => {
  const directory = mkdtempSync(join(tmpdir(), "claw-points-"))
  const file = join(directory, "points")
  try {
    await work(file)
    return readFileSync(file, "utf8")
      .split("\n")
      .filter(Boolean)
      .map((line) => {
        const [name = "", nth = "1"] = line.split("\t")
        return { name, nth: Number(nth) }
      })
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

/** Points that an undisturbed run reaches. */
export const record = (place: Place, scene: Scene): Promise<ReadonlyArray<Pair>> =>
  recordedPairs(async (file) => {
    const { complaints } = await run(place, scene, [{ record: file }], { again: false })
    if (complaints.length > 0) throw new Error(`${scene.name} without a kill: ${complaints.join("; ")}`)
  })

const counted = (effects: ReadonlyArray<string>): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>()
  for (const effect of effects) counts.set(effect, (counts.get(effect) ?? 0) + 1)
  return counts
}

/** `b1 0→1`: executions at the kill, and in the end. */
const effectsOf = ({ evidence: { end, kills } }: Outcome): string => {
  const [then, now] = [counted(kills[0]?.effects ?? []), counted(end.effects)]
  return Array.from(now, ([call, n]) => `${call} ${then.get(call) ?? 0}→${n}`).join(" ") || "–"
}

/** Which of the pair's runs did not come to the point is a matter of timing: it has three. */
const TRIES = 3

export const killAt = async (place: Place, scene: Scene, pair: Pair): Promise<Row> => {
  let outcome = await run(place, scene, [{ kill: pair }])
  for (let i = 1; i < TRIES && outcome.killed === 0; i++) outcome = await run(place, scene, [{ kill: pair }])
  const { evidence, killed } = outcome
  const [then] = evidence.kills
  return {
    scene: scene.name,
    pair,
    cases: then === undefined ? [] : casesOf(pair, then.store),
    state: then === undefined ? "–" : describe(then.store),
    resumed: then === undefined ? "–" : resumedTo(then.store, evidence.end.store),
    effects: effectsOf(outcome),
    complaints: outcome.complaints,
    reached: killed > 0
  }
}

/** Ten kills in a row, each inside of the recovery from the one before (C22). */
export const tenInARow = async (place: Place, scene: Scene): Promise<Row> => {
  const inside = ["recovery before", "claim inside", "claim after", "recovery leftovers ended", "claim before"]
  const kills = Array.from({ length: 10 }, (_, i) => ({ kill: { name: inside[i % inside.length] ?? "", nth: 1 } }))
  const first = { name: "process output", nth: 1 }
  const outcome = await run(place, scene, [{ kill: first }, ...kills])
  const { end, kills: moments } = outcome.evidence
  const last = moments.at(-1)
  return {
    scene: scene.name,
    pair: { name: "recovery, ten in a row", nth: 1 },
    cases: ["C22"],
    state: last === undefined ? "–" : describe(last.store),
    resumed: last === undefined ? "–" : resumedTo(last.store, end.store),
    effects: effectsOf(outcome),
    complaints: [
      ...outcome.complaints,
      ...(outcome.killed === 11 ? [] : [`only ${outcome.killed} of 11 kills happened`])
    ],
    reached: outcome.killed === 11
  }
}

/** Several at once, in order of their ends. */
export const each = async <A, B>(
  list: ReadonlyArray<A>,
  atOnce: number,
  work: (one: A) => Promise<B>,
  told: (result: B) => void = () => {}
): Promise<ReadonlyArray<B>> => {
  const results: Array<B> = []
  const waiting = list.entries()
  const worker = async () => {
    for (const [i, one] of waiting) {
      const result = await work(one)
      results[i] = result
      told(result)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
  return results
}
