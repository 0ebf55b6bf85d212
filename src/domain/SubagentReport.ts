/**
 * What a subagent has to say in the end. Pure. Owns: whether it came to its end, what its last words are, and how they
 * reach the model where its call is over already. Does not own: its facts (closing).
 */
import { itemsOfTask, type SessionState } from "./Session.ts"

/** The last thing that it said. */
export const lastWords = ({ history }: SessionState): string => {
  const answer = history.findLast((item) => item.kind === "answer" && item.content.trim() !== "")
  return answer?.kind === "answer" ? answer.content : ""
}

/** Its last answer is stored whole and asks for nothing more: whatever becomes of its process, it is done. */
export const hasFinished = (state: SessionState): boolean => {
  const { task } = state
  if (task === undefined || task.stream !== undefined) return false
  const last = itemsOfTask(state).at(-1)
  return last?.kind === "answer" && !last.partial && last.finish_reason === "stop" && last.calls.length === 0
}

/** The result of its call. */
export const finishedText = (state: SessionState): string => lastWords(state) || "(The subagent said nothing.)"

const FROM_CLAW = "(From claw, not from the person.)"

/** One in the background says it as a prompt that steers its task. */
export const announced = (title: string, text: string, failed = false): string =>
  `${FROM_CLAW} The subagent "${title}" ${failed ? "failed" : "reports"}:\n${text}`

/** Its first line, without the report: `The subagent "x" reports`; undefined: a person wrote it. */
export const announcement = (prompt: string): string | undefined =>
  prompt.startsWith(FROM_CLAW) ? prompt.slice(FROM_CLAW.length).trim().split("\n", 1)[0]?.replace(/:$/, "") : undefined
