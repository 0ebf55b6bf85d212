/**
 * Why a path was not touched. A sentence for the model that names the path as it was given: never content, never
 * where a link outside leads.
 */
import { Schema } from "effect"
import { troubles } from "../domain/Trouble.ts"

export class WorkspaceError extends Schema.TaggedError<WorkspaceError>()("WorkspaceError", {
  code: Schema.Literals(["workspace_escape", "tool_failed"]),
  path: Schema.String,
  /** What exactly, where a hint can be given. */
  trouble: Schema.optionalKey(Schema.Literals(troubles)),
  detail: Schema.String
}) {
  override get message(): string {
    return this.detail
  }
}
