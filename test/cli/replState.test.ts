/** What a key means depends on what is open: a question, a task, a line that is being typed. Pure. */
import { assert, describe, it } from "@effect/vitest"
import type { SessionEvent } from "../../src/domain/Event.ts"
import type { Input } from "../../src/cli/Keyboard.ts"
import { textOf } from "../../src/cli/lineEditor.ts"
import { type Action, initial, onEvents, onInput, onTick, type ReplState } from "../../src/cli/replState.ts"
import { view } from "../../src/cli/replView.ts"

const around = { history: [], commands: ["help"], workspace: "/" }
const key = (name: string): Input => ({ kind: "key", name, text: name.length === 1 ? name : "" })

/** Presses keys, one every `gap` milliseconds from `from` on. */
const pressed = (start: ReplState, names: ReadonlyArray<string>, from: number, gap = 100) => {
  let [state, now] = [start, from]
  const actions: Array<Action> = []
  for (const name of names) {
    const step = onInput(state, key(name), { ...around, now })
    state = step.state
    actions.push(...step.actions)
    now += gap
    const ticked = onTick(state, now)
    state = ticked.state
    actions.push(...ticked.actions)
  }
  return { state, actions, now }
}

const request = {
  v: 1,
  session_id: "s",
  seq: 1,
  event_id: "e",
  ts: "2026-01-02T03:04:05.000Z",
  type: "approval_request",
  task_id: "t",
  turn: 1,
  request_id: "r",
  kind: "tool",
  call_id: "c",
  tool_name: "bash",
  content: "{}",
  risk: "dangerous",
  reason: "",
  grant_options: []
} as unknown as SessionEvent
const started = { ...request, type: "task_started", prompt_id: "p", content: "go" } as unknown as SessionEvent
const resolved = {
  ...request,
  type: "approval_resolved",
  decision: "allow_once",
  via: "user"
} as unknown as SessionEvent

describe("keys while a question opens", () => {
  it("go on in the line that was being typed, and answer nothing, until there is a pause", () => {
    const before = pressed(initial, ["d", "o", " "], 1_000)
    const asked = onEvents(before.state, [started, request], before.now)
    const after = pressed(asked, ["y", "e", "s", "enter"], before.now + 50)
    assert.deepStrictEqual([textOf(after.state.editor), after.actions], ["do yes", []])
    const answered = pressed(after.state, ["y"], after.now + 600)
    assert.deepStrictEqual(
      answered.actions.map(({ kind }) => kind),
      ["answer"]
    )
    assert.strictEqual(textOf(answered.state.editor), "do yes")
  })

  it("are dropped where no line was being typed", () => {
    const asked = onEvents(initial, [started, request], 1_000)
    const { state, actions } = pressed(asked, ["y", "enter"], 1_010, 10)
    assert.deepStrictEqual([textOf(state.editor), actions], ["", []])
    const live = (one: ReplState) =>
      view(one, { columns: 80, rows: 24, color: false, locale: "en", now: 0, from: 0, printed: "" }).frame.live.join(
        " "
      )
    assert.include(live(state), "That was no answer yet")
    assert.notInclude(live(asked), "no answer yet")
    assert.notInclude(live(pressed(state, ["e"], 3_000).state), "no answer yet")
  })

  it("mean nothing between an answer and its resolution", () => {
    const asked = onEvents(initial, [started, request], 1_000)
    const { state, actions } = pressed(asked, ["y", "y", "n", "enter"], 2_000)
    assert.strictEqual(actions.length, 1)
    assert.strictEqual(textOf(state.editor), "")
    assert.isUndefined(onEvents(state, [resolved], 3_000).question)
  })
})

describe("Ctrl-C", () => {
  const meaning = (state: ReplState, now = 10_000) => pressed(state, ["ctrl+c"], now)

  it("interrupts what runs, in each state; clears a line; leaves on the second press in two seconds", () => {
    const running = onEvents(initial, [started], 1_000)
    const asked = onEvents(running, [request], 1_000)
    for (const state of [running, asked, { ...initial, submitting: true }]) {
      assert.deepStrictEqual(meaning(state).actions, [{ kind: "interrupt" }])
    }
    const typing = pressed(initial, ["a"], 1_000).state
    assert.deepStrictEqual([textOf(meaning(typing).state.editor), meaning(typing).actions], ["", []])
    const once = meaning(initial)
    assert.deepStrictEqual([once.actions, meaning(once.state, 11_999).actions], [[], [{ kind: "exit" }]])
    assert.deepStrictEqual(meaning(once.state, 12_000).actions, [])
  })
})

describe("Enter", () => {
  it("sends a prompt, queues one while a task runs, and never sends what begins with a slash (R089)", () => {
    const sent = pressed(initial, ["h", "i", "enter"], 0).actions
    assert.deepStrictEqual(sent, [
      { kind: "remember", text: "hi" },
      { kind: "prompt", content: "hi", when_busy: "queue" }
    ])
    const queued = pressed(onEvents(initial, [started], 0), ["h", "enter"], 0).actions
    assert.deepStrictEqual(queued.at(-1), { kind: "prompt", content: "h", when_busy: "queue" })
    const command = pressed(initial, ["/", "n", "o", " ", "x", "enter"], 0).actions
    assert.deepStrictEqual(command.at(-1), { kind: "command", name: "no", argument: "x" })
  })
  it("is no longer on its way once its prompt waits: a task had begun that was not shown yet", () => {
    const { state } = pressed(initial, ["h", "enter"], 0)
    const queued = { ...started, type: "prompt_queued", mode: "queue" } as unknown as SessionEvent
    assert.deepStrictEqual([state.submitting, onEvents(state, [queued], 0).submitting], [true, false])
  })
})
