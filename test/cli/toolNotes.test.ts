/** One line a tool call, one line its end (R090, R106, LESSONS 29). */
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { makeCallNotes } from "../../src/cli/callNotes.ts"
import type { Durable, SessionEvent } from "../../src/domain/Event.ts"
import type { CallId, TaskId } from "../../src/domain/Ids.ts"
import { argumentSummary, toolEnded, toolStarted } from "../../src/cli/toolNotes.ts"
import { width } from "../../src/cli/Width.ts"

const result = (more: Partial<Durable<"tool_result">> = {}): Durable<"tool_result"> => ({
  type: "tool_result",
  task_id: "t1" as TaskId,
  turn: 1,
  call_id: "c1" as CallId,
  tool_name: "bash",
  result: "",
  status: "ok",
  is_error: false,
  duration_ms: 12,
  ...more
})

describe("notes about tools", () => {
  it("name the telling argument", () => {
    const summary = (args: unknown) => argumentSummary(JSON.stringify(args))
    assert.strictEqual(toolStarted("bash", '{"command":"node --test"}'), "● bash  node --test")
    assert.strictEqual(summary({ path: "src/a.ts", content: "long" }), "src/a.ts")
    assert.strictEqual(summary({ pattern: "TODO", path: "src" }), "TODO src")
    assert.strictEqual(summary({ command: "a\nb\x1b[2K" }), "a ⏎ b\\x1b[2K")
    assert.strictEqual(summary({ limit: 3, all: true }), "limit=3 all=true")
    assert.strictEqual(summary({}), "")
    assert.strictEqual(argumentSummary("{not json"), "{not json")
  })

  it("say how a call ended", () => {
    assert.strictEqual(toolEnded(result({ exit_code: 0 }), "en"), "  ✓ bash  ok · 12 ms")
    const failed = result({ status: "error", is_error: true, exit_code: 1, truncated: true, duration_ms: 2_100 })
    const text = "\nError: no\r\n  at x\nmore"
    assert.strictEqual(
      toolEnded({ ...failed, result: text }, "en"),
      "  ✗ bash  error · exit 1 · output cut short · 2.1 s: Error: no ⏎ at x"
    )
    const killed = result({ status: "timeout", is_error: true, signal: "SIGKILL", duration_ms: 61_000 })
    assert.strictEqual(toolEnded(killed, "zh-CN"), "  ✗ bash  超时 · 信号 SIGKILL · 1 min 1 s")
  })

  it("say whose end it is where several calls or subagents are open", () => {
    const notes = makeCallNotes("en")
    const event = (body: object) => ({ task_id: "t", turn: 1, ...body }) as SessionEvent
    const call = (call_id: string, title: string, parent_call_id?: string) =>
      event({ type: "tool_call", call_id, tool_name: "subagent", content: JSON.stringify({ title }), parent_call_id })
    const begins = (parent_call_id: string, title: string) => event({ type: "subagent_started", parent_call_id, title })
    const ends = (call_id: string, parent_call_id?: string) =>
      event({ ...result({ call_id: call_id as CallId, tool_name: "subagent" }), parent_call_id })
    const lines = [
      call("a", "alpha"),
      call("b", "beta"),
      begins("a", "alpha"),
      call("x", "one", "a"),
      ends("x", "a"),
      begins("b", "beta"),
      call("y", "two", "b"),
      ends("y", "b"),
      event({ type: "subagent_ended", parent_call_id: "b" }),
      ends("b"),
      ends("a"),
      call("c", "gamma"),
      ends("c")
    ].map(notes)
    assert.deepStrictEqual(lines.join("").split("\n").filter(Boolean), [
      "● subagent  alpha",
      "● subagent  beta",
      "  ● subagent  one",
      "    ✓ subagent  ok · 12 ms",
      "  [beta] ● subagent  two",
      "  [beta]   ✓ subagent  ok · 12 ms",
      "  ✓ subagent  beta  ok · 12 ms",
      "  ✓ subagent  alpha  ok · 12 ms",
      "● subagent  gamma",
      "  ✓ subagent  ok · 12 ms"
    ])
  })

  it("are one short line whatever stands in them", () => {
    const text = fc.string({ unit: "binary", maxLength: 400 })
    fc.assert(
      fc.property(text, text, (name, content) => {
        const lines = [
          toolStarted(name, content),
          toolEnded(result({ tool_name: name, result: content, is_error: true }), "en")
        ]
        for (const line of lines) {
          assert.notMatch(line, /[\p{Cc}\u2028\u202e]/u)
          assert.isAtMost(width(line), 240)
        }
      })
    )
  })
})
