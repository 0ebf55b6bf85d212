/** The one error of this room. `fenced`: another owner has a newer epoch; everything else is the storage's. */
import { Schema } from "effect"

export class StoreError extends Schema.TaggedError<StoreError>()("StoreError", {
  code: Schema.Literals(["storage_unavailable", "fenced", "session_not_found", "session_exists", "session_moved"]),
  operation: Schema.String,
  /** A sentence for a person: what could not be done, and what to do where there is something. */
  detail: Schema.String,
  /** What alone could not be stored: the same append without it may be. */
  part: Schema.optionalKey(Schema.Literal("grants")),
  cause: Schema.optionalKey(Schema.Defect())
}) {
  override get message(): string {
    return this.detail
  }
}
