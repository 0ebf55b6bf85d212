/**
 * What is wrong with the configuration, as a person can mend it: where, what, what would be right.
 * Invariant: `detail` is one sentence without a stack, a secret, or the text of a file.
 */
import { Schema } from "effect"

export class ConfigError extends Schema.TaggedError<ConfigError>()("ConfigError", {
  /** The file (with `:line:column` where known), the variable or the flag. */
  where: Schema.String,
  /** The key's path, e.g. `limits.max_turns`; absent where the whole file is unreadable. */
  key: Schema.optionalKey(Schema.String),
  detail: Schema.String
}) {
  get code() {
    return "bad_config" as const
  }
  override get message(): string {
    return `${this.where}: ${this.detail}`
  }
}
