/**
 * From a model's parts to the deltas that watchers see. Owns: the position of each stream and the text shown so far.
 * Invariant: the deltas of a stream, put together, are exactly the text that will be committed; no delta ends inside
 * a surrogate pair.
 */
import type { LiveBody } from "../domain/Event.ts"
import type { StreamId, TaskId } from "../domain/Ids.ts"
import type { Completed, ModelPart } from "../provider/ModelPart.ts"

export interface Streams {
  readonly stream_id: StreamId
  readonly reasoning_stream_id: StreamId
}

/** One text that grows. `held` is a first half of a surrogate pair that waits for its second. */
interface Growing {
  shown: string
  held: string
}

const grow = (text: Growing, more: string): string => {
  const whole = text.held + more
  const last = whole.charCodeAt(whole.length - 1)
  const cut = last >= 0xd800 && last <= 0xdbff
  text.held = cut ? whole.slice(-1) : ""
  const ready = cut ? whole.slice(0, -1) : whole
  text.shown += ready
  return ready
}

export interface ShownAnswer {
  readonly content: () => string
  readonly reasoning: () => string
  /** True once anything reached a watcher. */
  readonly any: () => boolean
  readonly completed: () => Completed | undefined
  /** Takes what one read of the network brought; returns what to signal. */
  readonly take: (parts: ReadonlyArray<ModelPart>) => ReadonlyArray<LiveBody>
}

const delta = (
  type: "text_delta" | "thinking_delta",
  task_id: TaskId,
  stream_id: StreamId,
  text: Growing,
  more: string
) => {
  const offset = text.shown.length
  const content = grow(text, more)
  return content === "" ? [] : [{ type, task_id, stream_id, offset, content }]
}

/** The shown side of one model answer. Nothing is shown before `take`. */
export const make = (task_id: TaskId, streams: Streams): ShownAnswer => {
  const text: Growing = { shown: "", held: "" }
  const reasoning: Growing = { shown: "", held: "" }
  let completed: Completed | undefined
  return {
    content: () => text.shown,
    reasoning: () => reasoning.shown,
    any: () => text.shown !== "" || reasoning.shown !== "",
    completed: () => completed,
    take: (parts) => {
      let newText = ""
      let newReasoning = ""
      for (const part of parts) {
        if (part.type === "text_delta") newText += part.text
        else if (part.type === "reasoning_delta") newReasoning += part.text
        else if (part.type === "completed") completed = part
      }
      return [
        ...(newReasoning === ""
          ? []
          : delta("thinking_delta", task_id, streams.reasoning_stream_id, reasoning, newReasoning)),
        ...(newText === "" ? [] : delta("text_delta", task_id, streams.stream_id, text, newText))
      ]
    }
  }
}
