/**
 * What a running tool prints, as watchers see it. Owns: its positions, its bound, the masking.
 * Invariant: nothing is shown before `open`, where the call's beginning is put off.
 */
import type { TaskId } from "../domain/Ids.ts"
import type { ToolCall } from "../domain/Message.ts"
import type { Mask } from "../observability/Redact.ts"
import type { Limits } from "./EngineLimits.ts"
import type { Reporter } from "./Reporter.ts"

interface Shown {
  readonly at: { readonly task_id: TaskId }
  readonly reporter: Reporter["Service"]
  readonly limits: Limits
  readonly mask: Mask
}

export const liveOutput = (batch: Shown, call: ToolCall, isHeld: boolean) => {
  const masked = batch.mask.stream()
  let held: Array<string> | undefined = isHeld ? [] : undefined
  let offset = 0
  const show = (text: string): void => {
    const room = batch.limits.live_output_chars - offset
    const content = text.slice(0, Math.max(0, room)).toWellFormed()
    if (content === "") return
    const { call_id } = call
    const { task_id } = batch.at
    batch.reporter.signal([{ type: "tool_output_delta", task_id, stream_id: call_id, call_id, offset, content }])
    offset += content.length
  }
  return {
    emit: (text: string): void => {
      if (held === undefined) show(masked.push(text))
      else held.push(text)
    },
    open: (): void => {
      const before = held ?? []
      held = undefined
      for (const text of before) show(masked.push(text))
    },
    /** What nobody saw by now is in the result. */
    end: (): void => {
      if (held === undefined) show(masked.end())
    }
  }
}
