/**
 * What exactly was wrong with a tool call, where its tool knows: what a hint to the model is keyed on (context's
 * RecoveryHints). Sentences are the tool's own.
 */
export const troubles = [
  /** The text to replace stands nowhere, or in several places, of the file. */
  "no_match",
  "several_matches",
  /** The file is not what it was when it was read. */
  "file_changed",
  "not_found",
  "is_directory",
  "not_directory",
  "not_text",
  "too_large",
  "beyond_end",
  "bad_pattern",
  "too_slow"
] as const
export type Trouble = (typeof troubles)[number]
