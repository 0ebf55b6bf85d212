/**
 * What goes wrong with one tool call. All of it is the model's to read: it becomes an observation, never the end of
 * the task (STYLE, Errors).
 */
import { Schema } from "effect"
import { troubles } from "../domain/Trouble.ts"

export class ToolError extends Schema.TaggedError<ToolError>()("ToolError", {
  code: Schema.Literals(["tool_not_found", "tool_bad_arguments", "tool_timeout", "tool_failed", "workspace_escape"]),
  /** A sentence for the model: what was wrong and what would be right. */
  detail: Schema.String,
  /** What exactly, where a hint can be given. */
  trouble: Schema.optionalKey(Schema.Literals(troubles)),
  cause: Schema.optionalKey(Schema.Defect())
}) {
  override get message(): string {
    return this.detail
  }
}
