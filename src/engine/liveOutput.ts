/**
 * What a running tool prints, as watchers see it. Owns: its positions, its bound, the masking.
 * Invariants: nothing is shown before `open`, where the call's beginning is put off, nor of a call that ended before it;
 * what is held until then is within the same bound.
 */
import type { LiveBody } from "../domain/Event.ts"
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
  let held: Array<LiveBody> | undefined = isHeld ? [] : undefined
  let offset = 0
  const show = (text: string): void => {
    const room = batch.limits.live_output_chars - offset
    const content = text.slice(0, Math.max(0, room)).toWellFormed()
    if (content === "") return
    const { call_id } = call
    const { task_id } = batch.at
    const delta: LiveBody = { type: "tool_output_delta", task_id, stream_id: call_id, call_id, offset, content }
    offset += content.length
    if (held === undefined) batch.reporter.signal([delta])
    else held.push(delta)
  }
  return {
    emit: (text: string): void => show(masked.push(text)),
    open: (): void => {
      const before = held ?? []
      held = undefined
      if (before.length > 0) batch.reporter.signal(before)
    },
    /** What nobody saw by now is in the result, behind which nothing is shown. */
    end: (): void => {
      show(masked.end())
      offset = batch.limits.live_output_chars
      if (held !== undefined) held = []
    }
  }
}
