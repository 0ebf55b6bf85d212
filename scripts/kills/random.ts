/**
 * Kills at random: at any point of a scene, or at any time, one process after another. Owns: what a seed means. A run is
 * made of its seed and its number alone, so that one that failed can be had again.
 */
import { randomOf } from "../seeded.ts"
import { type Outcome, type Place, run, type Wanted } from "./run.ts"
import { type Scene, scenes } from "./scenes.ts"

export interface Drawn {
  readonly scene: Scene
  readonly kills: ReadonlyArray<Wanted>
}

/** More points than any scene has from its start on are no kill. */
const POINTS = 150
const LONGEST_MS = 250
const MOST_KILLS = 8

export const draw = (seed: number, nth: number): Drawn => {
  const random = randomOf(Math.imul(seed, 1_000_003) + nth)
  const below = (n: number) => Math.floor(random() * n)
  const scene = scenes[below(scenes.length)] as Scene
  const kills = Array.from({ length: 1 + below(MOST_KILLS) }, (): Wanted => {
    const byPoint = random() < 0.7
    return byPoint ? { kill: { any: 1 + below(POINTS) } } : { after_ms: below(LONGEST_MS) }
  })
  return { scene, kills }
}

export interface RandomRun {
  readonly nth: number
  readonly drawn: Drawn
  readonly outcome: Outcome
}

/** Run after run until there were so many kills. Several at once. */
export const randomKills = async (
  place: Place,
  options: { readonly seed: number; readonly kills: number; readonly from: number; readonly atOnce: number },
  told: (run: RandomRun) => void
): Promise<{ readonly kills: number; readonly runs: number; readonly failed: number }> => {
  let next = options.from
  const sum = { kills: 0, runs: 0, failed: 0 }
  const worker = async () => {
    while (sum.kills < options.kills) {
      const nth = next++
      const drawn = draw(options.seed, nth)
      const outcome = await run(place, drawn.scene, drawn.kills)
      sum.kills += outcome.killed
      sum.runs += 1
      if (outcome.complaints.length > 0) sum.failed += 1
      told({ nth, drawn, outcome })
    }
  }
  await Promise.all(Array.from({ length: options.atOnce }, worker))
  return sum
}
