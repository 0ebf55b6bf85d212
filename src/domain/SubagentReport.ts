/**
 * What a subagent has to say in the end. Pure. Owns: whether it came to its end, and what its last words are. Does
 * not own: its facts (closing), how they reach a model that waits for no call (FromClaw).
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
