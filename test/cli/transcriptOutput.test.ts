/** Output of a command as it comes: the lines that a terminal would show (R090, R106). */
import { assert, it } from "@effect/vitest"
import type { SessionEvent } from "../../src/domain/Event.ts"
import { initial, reduce, render } from "../../src/cli/Transcript.ts"

const event = (body: object) => ({ v: 1, session_id: "s", seq: 1, event_id: "e", ts: "", ...body }) as SessionEvent
const running = [
  event({ type: "task_started", task_id: "t", prompt_id: "p", content: "go" }),
  event({ type: "tool_call", task_id: "t", turn: 1, call_id: "a", tool_name: "bash", content: "{}", risk: "safe" }),
  event({ type: "tool_started", call_id: "a", attempt: 1 })
]

const lines = (content: string) => {
  const output = event({ type: "tool_output_delta", stream_id: "a", call_id: "a", offset: 0, content })
  const view = [...running, output].reduce(reduce, initial)
  const { live } = render(view, { columns: 80, color: false, locale: "en", now: 0 })
  return live.flatMap((line) => (line.startsWith("  │ ") ? [line.slice(4)] : []))
}

it("a line that writes over itself is what it wrote last", () => {
  assert.deepStrictEqual(lines("get\r\n 1%\r 20%\r"), ["get", " 20%"])
  assert.deepStrictEqual(lines("get\n\r 1%\r100%\r\ndone\n"), ["get", "100%", "done"])
})
