/** A session as its export has it, for benches and tests of what is long. Owns: its text. */

/** A session as it is exported. */
export const exported = (session_id: string, title: string, bodies: ReadonlyArray<object>): string => {
  const ts = "2026-01-01T00:00:00.000Z"
  const session = { session_id, workspace: "/", title, created_at: ts, updated_at: ts }
  const events = bodies.map((body, i) => ({ seq: i + 1, event_id: `e${i}`, ts, ...body }))
  return JSON.stringify({ format: "claw-session", version: 1, session, events })
}

export const BIG = "big-session"
const TASKS = 2_500

/** Four items a task: what was said, an answer, a call, an end. */
export const bigSession = (): string => {
  const usage = { input_tokens: 1, output_tokens: 1 }
  const bodies = Array.from({ length: TASKS }, (_, i) => {
    const [task_id, call_id] = [`t${i}`, `c${i}`]
    const at = { task_id, turn: 1 }
    return [
      { type: "task_started", task_id, prompt_id: `p${i}`, content: `question ${i}` },
      { type: "thinking", ...at, stream_id: `s${i}`, reasoning_stream_id: `r${i}` },
      { type: "text_completed", ...at, stream_id: `s${i}`, content: `answer **${i}**`, finish_reason: "tool_calls" },
      { type: "tool_call", ...at, call_id, tool_name: "list_dir", content: '{"path":"."}', risk: "safe" },
      { type: "tool_started", ...at, call_id, attempt: 1 },
      {
        type: "tool_result",
        ...at,
        call_id,
        tool_name: "list_dir",
        result: "README.md",
        status: "ok",
        is_error: false,
        duration_ms: 1
      },
      { type: "task_completed", task_id, usage }
    ]
  }).flat()
  return exported(BIG, "Big", bodies)
}
