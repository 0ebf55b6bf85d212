/**
 * Notices a model that goes in circles: the same calls with the same results, also in cycles of two or three steps; or
 * nothing but failures, whatever was called. Pure. Honest repetition, where results change and something succeeds, is
 * never touched (LESSONS 37).
 */
import type { AnswerItem } from "../domain/Session.ts"
import { shorten } from "../domain/Shorten.ts"
import { reminderTexts } from "../domain/FromClaw.ts"

/** One step of the task: its calls and what came of them, as one comparable text. */
export type Step = string

export interface GuardLimits {
  /** Times a cycle must have been seen to be named to the model. */
  readonly remind: number
  /** Times a cycle must have been seen to end the task. */
  readonly stop: number
}

export const guardDefaults: GuardLimits = { remind: 3, stop: 6 }

/** Steps in a row of which nothing succeeded. */
const failureDefaults: GuardLimits = { remind: 6, stop: 16 }

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

type Verdict = "fine" | "remind" | "stop"

export const judge = (steps: ReadonlyArray<Step>, limits: GuardLimits = guardDefaults): Verdict => {
  let most = 0
  for (let period = 1; period <= LONGEST_CYCLE && period <= steps.length; period++) {
    most = Math.max(most, repeats(steps, period))
  }
  if (most >= limits.stop) return "stop"
  return most === limits.remind ? "remind" : "fine"
}

/** Whether a step's calls came to nothing, all of them. */
export const isFailure = (calls: AnswerItem["calls"]): boolean =>
  calls.length > 0 &&
  calls.every(({ result }) => result?.status === "error" || result?.status === "denied" || result?.status === "timeout")

const judgeFailures = (inARow: number, limits: GuardLimits = failureDefaults): Verdict => {
  if (inARow >= limits.stop) return "stop"
  return inARow === limits.remind ? "remind" : "fine"
}

const lastCall = (calls: AnswerItem["calls"]): string => {
  const call = calls.at(-1)
  if (call === undefined) return ""
  const args = shorten(call.arguments.replace(/\s+/g, " "), 120).text.replaceAll("\n", " ")
  return ` The last call: ${call.tool_name} ${args}.`
}

const WAY_ON = " Say with your next prompt what it shall do otherwise."

export interface Found {
  /** What the model is told. */
  readonly content?: string
  /** Why the task ends, for a person. */
  readonly stopped?: string
}

/** The steps of a task up to the newest, whose calls these are; so many of them failed in a row. */
export const look = (steps: ReadonlyArray<Step>, failing: number, calls: AnswerItem["calls"]): Found => {
  const [repeated, failed] = [judge(steps), judgeFailures(failing)]
  // What repeats and fails is told as what it is: a model that hears of repetition alone looks for another wording.
  const fails = failing >= guardDefaults.remind
  if (repeated === "stop" || failed === "stop") {
    const again = fails
      ? "The model makes the same calls again and again, and they fail with the same errors each time."
      : "The model makes the same calls with the same results again and again."
    const what = repeated === "stop" ? again : `The last ${failing} steps of the model failed, all of them.`
    return { stopped: what + lastCall(calls) + WAY_ON }
  }
  if (repeated === "remind") return { content: fails ? reminderTexts.failingAlike : reminderTexts.repeating }
  return failed === "remind" ? { content: reminderTexts.failing } : {}
}
