/**
 * What the fact of a compaction says: the model sees less of the conversation. All up to `up_to_seq` is `summary` now
 * ("": nothing was summarised), and longer results up to `shortened.up_to_seq` have so many characters. The prompt of the
 * running task stays. What a summary cost is in the `usage` before it. `digest_reason`: why no model wrote the summary, so
 * that claw's own digest is one; absent: a model did.
 */
import { Schema } from "effect"

export const compactedFields = {
  summary: Schema.String,
  up_to_seq: Schema.Int,
  tokens_before: Schema.Int,
  tokens_after: Schema.Int,
  digest_reason: Schema.optionalKey(Schema.String),
  shortened: Schema.optionalKey(Schema.Struct({ up_to_seq: Schema.Int, chars: Schema.Int }))
}
