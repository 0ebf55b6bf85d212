/** How a run of turns ended, as an outcome. Pure. What a server says of a failure is masked: it may repeat what it was told. */
import { Cause, Exit } from "effect"
import type { Outcome } from "../domain/Decide.ts"
import { errorBody } from "../domain/ErrorCode.ts"
import type { Mask } from "../observability/Redact.ts"
import { ReportError } from "./Reporter.ts"
import { bodyOf, TaskFailure } from "./TaskFailure.ts"

const maskedBody = (failure: TaskFailure, mask: Mask) => {
  const body = bodyOf(failure)
  return { ...body, message: mask(body.message) }
}

export const outcomeOf = (exit: Exit.Exit<void, TaskFailure | ReportError>, mask: Mask): Outcome => {
  if (Exit.isSuccess(exit)) return { status: "completed" }
  const failure = exit.cause.reasons.find(Cause.isFailReason)?.error
  if (failure instanceof TaskFailure) return { status: "failed", error: maskedBody(failure, mask) }
  if (failure !== undefined) return { status: "failed", error: errorBody(failure.code) }
  if (Cause.hasInterruptsOnly(exit.cause)) return { status: "canceled" }
  const defect = exit.cause.reasons.find(Cause.isDieReason)?.defect
  if (defect instanceof ReportError) return { status: "failed", error: errorBody(defect.code) }
  return { status: "failed", error: errorBody("internal") }
}
