/** What a task waits for is said where its state does not tell, as long as that lasts (R022, R090). */
import { assert, it } from "@effect/vitest"
import type { SessionEvent } from "../../src/domain/Event.ts"
import { initial, reduce, render } from "../../src/cli/Transcript.ts"

const ts = "2026-01-02T03:04:05.000Z"
const event = (body: object) =>
  ({ v: 1, session_id: "s", seq: 1, event_id: "e", ts, ...body }) as unknown as SessionEvent
const started = event({ type: "task_started", task_id: "t", prompt_id: "p", content: "go" })
const on = (waits?: string) =>
  event({ type: "state", state: "preparing", ...(waits === undefined ? {} : { on: waits }) })

const status = (locale: "en" | "zh-CN", ...events: ReadonlyArray<SessionEvent>) => {
  const view = [started, ...events].reduce(reduce, initial)
  return render(view, { columns: 80, color: false, locale, now: Date.parse(ts) }).live.at(-1)
}

it("a summary and hooks are named until they are over", () => {
  assert.deepStrictEqual(
    [
      status("en", on("summary")),
      status("zh-CN", on("summary")),
      status("en", on("hooks")),
      status("en", on("hooks"), on())
    ],
    ["summarising the conversation · 0 s", "正在概括对话 · 0 s", "asking hooks · 0 s", "preparing · 0 s"]
  )
})
