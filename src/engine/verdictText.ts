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
