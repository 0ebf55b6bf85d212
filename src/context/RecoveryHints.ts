/**
 * What a model is told to do about a call that failed, by what was wrong (issue 7). Owns: the one table. Does not own:
 * the tool's own sentence, in front of the hint. Pure: the same failure has the same hint, so that a loop is still seen
 * as one (LESSONS 37). Invariant: one short sentence, and only where it says more than what went before.
 */
import type { Trouble } from "../domain/Trouble.ts"

/** Codes of `tools/ToolError`, which is no room of this one's. */
type Code = "tool_not_found" | "tool_bad_arguments" | "tool_timeout" | "tool_failed" | "workspace_escape"

export interface Failure {
  readonly code?: Code
  readonly trouble?: Trouble
  /** Of a command. */
  readonly exit_code?: number
  readonly signal?: string
  readonly timed_out?: boolean
}

const byTrouble: Partial<Readonly<Record<Trouble, string>>> = {
  no_match: "read the file again where the change belongs, and take old_text from what it says now",
  several_matches: "read the lines around the place that is meant, and send more of them as old_text",
  file_changed: "read the file again and look at what changed before you change it",
  not_found: "look for the right path with glob or list_dir instead of guessing another one",
  is_directory: "list it with list_dir, or name a file in it",
  not_directory: "read it with read_file, or name its directory",
  not_text: "do not edit it as text; make it anew with the program that it comes from, if it must change",
  too_large: "take a part: read_file with offset and limit, or grep for the lines that matter",
  beyond_end: "read without offset first to see how long the file is",
  bad_pattern: "escape what is meant literally, or search for a shorter, simpler piece",
  too_slow: "search below a smaller directory"
}

const byCode: Partial<Readonly<Record<Code, string>>> = {
  tool_bad_arguments: "send the call once more with the arguments that its schema asks for",
  tool_timeout: "do less at once, in several calls",
  workspace_escape: "name a path inside the workspace, relative to its root"
}

const NOT_FOUND = 127
const NOT_EXECUTABLE = 126

const byEnding = ({ exit_code, signal, timed_out }: Failure): string | undefined => {
  if (timed_out === true) return "do less at once, or give a longer timeout_ms if it is known to take so long"
  if (exit_code === NOT_FOUND) return "see with `command -v` which programs there are, and use one of these"
  if (exit_code === NOT_EXECUTABLE) return "run the file with its interpreter, for instance `bash FILE` or `node FILE`"
  return signal === "SIGKILL" ? "it may have used too much memory; try it with less" : undefined
}

/** The hint to a failure, if there is one. */
export const hintFor = (failure: Failure): string | undefined => {
  const known = failure.trouble === undefined ? undefined : byTrouble[failure.trouble]
  return known ?? (failure.code === undefined ? undefined : byCode[failure.code]) ?? byEnding(failure)
}

/** What the model reads of it: the tool's own words, then the hint. */
export const hinted = (text: string, failure: Failure): string => {
  const hint = hintFor(failure)
  return hint === undefined ? text : `${text}\n(Hint: ${hint}.)`
}
