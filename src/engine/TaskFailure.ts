/** Why a task ended without completing: becomes `task_failed`. Whose fault it is stands in the table of codes. */
import { Schema } from "effect"
import { BudgetUse } from "../domain/Budget.ts"
import { ErrorCode, type ErrorBody, table } from "../domain/ErrorCode.ts"

export class TaskFailure extends Schema.TaggedError<TaskFailure>()("TaskFailure", {
  code: ErrorCode,
  detail: Schema.optionalKey(Schema.String),
  budget: Schema.optionalKey(BudgetUse),
  /** When trying again may help, where somebody knows. */
  retry_after_ms: Schema.optionalKey(Schema.Int),
  cause: Schema.optionalKey(Schema.Defect())
}) {
  override get message(): string {
    return this.detail ?? table[this.code].en
  }
}

export const bodyOf = (failure: TaskFailure): ErrorBody => ({
  code: failure.code,
  message: failure.message,
  retryable: table[failure.code].retryable,
  ...(failure.budget === undefined ? {} : { budget: failure.budget }),
  ...(failure.retry_after_ms === undefined ? {} : { retry_after_ms: failure.retry_after_ms })
})
