/**
 * Notices a model that goes in circles: the same calls with the same results, also in cycles of two or three steps.
 * Pure. Honest repetition, where results change, is never touched (LESSONS 37).
 */
import { reminderText } from "../domain/FromClaw.ts"

/** One step of the task: its calls and what came of them, as one comparable text. */
export type Step = string

export interface GuardLimits {
  /** Times a cycle must have been seen to be named to the model. */
  readonly remind: number
  /** Times a cycle must have been seen to end the task. */
  readonly stop: number
}

export const guardDefaults: GuardLimits = { remind: 3, stop: 6 }

const LONGEST_CYCLE = 3
/** Steps that can matter. */
export const KEPT = guardDefaults.stop * LONGEST_CYCLE

/** How often the last `period` steps stand at the end of `steps`, one after another. */
const repeats = (steps: ReadonlyArray<Step>, period: number): number => {
  let count = 1
  for (let end = steps.length - period; end >= period; end -= period) {
    for (let i = 0; i < period; i++) {
      if (steps[end - 1 - i] !== steps[steps.length - 1 - i]) return count
    }
    count++
  }
  return count
}

export const judge = (steps: ReadonlyArray<Step>, limits: GuardLimits = guardDefaults): "fine" | "remind" | "stop" => {
  let most = 0
  for (let period = 1; period <= LONGEST_CYCLE && period <= steps.length; period++) {
    most = Math.max(most, repeats(steps, period))
  }
  if (most >= limits.stop) return "stop"
  return most === limits.remind ? "remind" : "fine"
}

export const REMINDER = reminderText
