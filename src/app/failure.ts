/** An end of a command with its own sentence and exit code. */
import { Schema } from "effect"

export class Failure extends Schema.TaggedError<Failure>()("Failure", {
  exit: Schema.Int,
  detail: Schema.String
}) {
  override get message(): string {
    return this.detail
  }
}
