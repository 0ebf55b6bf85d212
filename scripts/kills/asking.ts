/** Whose model was being asked at one moment. Owns: telling it from the rows that were on the disk. */
import { ENDS } from "./client.ts"
import type { Row, Store } from "./disk.ts"
import { callOf, hasResult, of } from "./rows.ts"

const BEGINS = ["task_started", "subagent_started", "prompt_steered"]
const OVER: ReadonlySet<string> = new Set([...ENDS, "subagent_ended", "text_completed"])

/** Whether one history is where its model is asked next. */
const asksNext = (rows: ReadonlyArray<Row>): boolean => {
  const last = of(rows, ...BEGINS, "tool_result", ...OVER).at(-1)
  if (last === undefined || OVER.has(last.type)) return false
  const calls = of(rows, "tool_call").map(callOf)
  return calls.every((call) => hasResult(rows, call))
}

/** As the rows say: the session's own model, and that of each subagent. */
export const asking = ({ rows }: Store): number =>
  Array.from(Map.groupBy(rows, ({ body }) => body.parent_call_id).values()).filter(asksNext).length
