/** An end of a command with its own sentence and exit code. */
import { Schema } from "effect"
import { EXIT, type Locale } from "../cli/Commands.ts"

export class Failure extends Schema.TaggedError<Failure>()("Failure", {
  exit: Schema.Int,
  /** In the person's language where whoever made it knew it, else in English. */
  detail: Schema.String,
  /** The same in Chinese, where `detail` is English. */
  zh: Schema.optionalKey(Schema.String)
}) {
  override get message(): string {
    return this.detail
  }
}

/** What was asked for cannot be, as it was asked for. */
export const refusal = (detail: string, zh: string): Failure => new Failure({ exit: EXIT.usage, detail, zh })

export const detailIn = ({ detail, zh }: Failure, locale: Locale): string =>
  locale === "zh-CN" ? (zh ?? detail) : detail
