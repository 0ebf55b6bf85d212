/** What a call did to the files, and which hosts it asked for, as records: in one append with what is reported next, its result or its end. */
import type { CallId, TaskId } from "../domain/Ids.ts"
import type { ToolContext } from "../tools/Tool.ts"
import type { Reporter } from "./Reporter.ts"

interface Place {
  readonly at: { readonly task_id: TaskId; readonly turn: number }
  readonly reporter: Reporter["Service"]
}

export const recordOf =
  ({ at, reporter }: Place, { call_id }: { readonly call_id: CallId }): NonNullable<ToolContext["recorded"]> =>
  (what) => {
    if ("visits" in what) {
      for (const visit of what.visits) reporter.later([{ type: "host_visited", ...at, call_id, ...visit }])
    } else if ("skipped" in what) reporter.later([{ type: "checkpoint_skipped", ...at, reason: what.skipped }])
    else reporter.later([{ type: "checkpoint", task_id: at.task_id, call_id, ...what }])
  }
