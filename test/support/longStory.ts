/** Facts of a session of many turns, as an engine reports them; and arbitraries of such. */
import fc from "fast-check"
import type { DurableBody } from "../../src/domain/Event.ts"
import { fold } from "../../src/domain/Fold.ts"
import type { CallId, PromptId, StreamId, TaskId } from "../../src/domain/Ids.ts"
import { initial, type SessionState } from "../../src/domain/Session.ts"

export interface Turn {
  readonly text: string
  readonly results: ReadonlyArray<string>
}
export interface Task {
  readonly prompt: string
  readonly turns: ReadonlyArray<Turn>
}

let ids = 0
const next = (kind: string) => `${kind}_${++ids}`

const turnFacts = (task_id: TaskId, turn: number, { text, results }: Turn): ReadonlyArray<DurableBody> => {
  const at = { task_id, turn }
  const stream_id = next("s") as StreamId
  const calls = results.map((result) => ({ result, call_id: next("c") as CallId }))
  return [
    { type: "thinking", ...at, stream_id, reasoning_stream_id: next("s") as StreamId },
    {
      type: "text_completed",
      ...at,
      stream_id,
      content: text,
      finish_reason: calls.length > 0 ? "tool_calls" : "stop"
    },
    ...calls.map(({ call_id }) => ({
      type: "tool_call" as const,
      ...at,
      call_id,
      tool_name: "read_file",
      content: '{"path":"a.ts"}',
      risk: "safe" as const
    })),
    ...calls.map(({ call_id, result }) => ({
      type: "tool_result" as const,
      ...at,
      call_id,
      tool_name: "read_file",
      result,
      status: "ok" as const,
      is_error: false,
      duration_ms: 1
    }))
  ]
}

/** All but the last task have ended; the last one waits for its next request. */
export const factsOf = (tasks: ReadonlyArray<Task>): ReadonlyArray<DurableBody> =>
  tasks.flatMap(({ prompt, turns }, index): ReadonlyArray<DurableBody> => {
    const task_id = next("t") as TaskId
    const end = { type: "task_completed", task_id, usage: { input_tokens: 0, output_tokens: 0 } } as const
    return [
      { type: "task_started", task_id, prompt_id: next("p") as PromptId, content: prompt },
      ...turns.flatMap((turn, i) => turnFacts(task_id, i + 1, turn)),
      ...(index === tasks.length - 1 ? [] : [end])
    ]
  })

export const stateOf = (facts: ReadonlyArray<DurableBody>): SessionState => facts.reduce(fold, initial)

const text = fc.integer({ min: 1, max: 6_000 }).map((length) => "word ".repeat(Math.ceil(length / 5)).slice(0, length))
const turn: fc.Arbitrary<Turn> = fc.record({ text, results: fc.array(text, { maxLength: 4 }) })
export const tasks: fc.Arbitrary<ReadonlyArray<Task>> = fc.array(
  fc.record({ prompt: text, turns: fc.array(turn, { maxLength: 12 }) }),
  { minLength: 1, maxLength: 5 }
)
