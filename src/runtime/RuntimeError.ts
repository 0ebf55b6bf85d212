/** What a caller of a runtime may be told. The codes are those of the wire (PROTOCOL §3). */
import { Schema } from "effect"
import { ErrorCode, table } from "../domain/ErrorCode.ts"

export class RuntimeError extends Schema.TaggedError<RuntimeError>()("RuntimeError", {
  code: ErrorCode,
  detail: Schema.optionalKey(Schema.String),
  cause: Schema.optionalKey(Schema.Defect())
}) {
  override get message(): string {
    return this.detail ?? table[this.code].en
  }
  get isRetryable(): boolean {
    return table[this.code].retryable
  }
}
