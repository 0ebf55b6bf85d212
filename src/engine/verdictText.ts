/** What a model reads of a call that was not run. Pure. */
import type { Verdict } from "../approval/ApprovalGate.ts"

export const DENIED = "Denied. The call was not executed."

export const deniedText = (verdict: Verdict): string => {
  const why =
    verdict.reason === undefined || verdict.reason === "" ? "." : `: ${verdict.reason.replace(/[.\s]+$/, "")}.`
  switch (verdict.via) {
    case "user":
      return `Denied by the user${why} The call was not executed.`
    case "timeout":
      return "Nobody answered the approval request in time. The call was not executed."
    case "cancel":
      return `The approval request was withdrawn${why} The call was not executed.`
    default:
      return `Denied by policy${why} The call was not executed.`
  }
}

export const ENDED = "The approval that covered this call has ended. It was not executed; try again to be asked anew."

/** Behind each of them where the call had begun before. */
const EARLIER =
  "That is about this attempt. An earlier one began before claw stopped, and its outcome is unknown; check before repeating it."

/** Of a call that does not run. Where it did before, nobody knows what became of that, and that is what counts. */
export const unrun = (attempt: number, status: "denied" | "error", text: string) =>
  attempt === 1
    ? ({ status, result: text, duration_ms: 0 } as const)
    : ({ status: "uncertain", result: `${text} ${EARLIER}`, duration_ms: 0 } as const)
