/** One approval question: only keys that were pressed after it was seen answer it, and only two of them allow. */
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import type { ApprovalRequest, GrantOption } from "../../src/domain/Approval.ts"
import type { CallId, RequestId } from "../../src/domain/Ids.ts"
import type { Input } from "../../src/cli/Keyboard.ts"
import {
  APART_MS,
  ask,
  press,
  type Question,
  SETTLE_MS,
  settle,
  type Step,
  TYPING_MS,
  answered
} from "../../src/cli/question.ts"

const options: ReadonlyArray<GrantOption> = [
  { id: "exact", label: "exactly this", matcher: { kind: "exact", digest: "d" } },
  { id: "git", label: "git status …", matcher: { kind: "command", argv: ["git", "status"] } }
]

const request = (grants: number, kind: ApprovalRequest["kind"] = "tool"): ApprovalRequest => ({
  request_id: "r" as RequestId,
  kind,
  call_id: "c" as CallId,
  tool_name: "bash",
  content: "{}",
  risk: "dangerous",
  reason: "",
  grant_options: options.slice(0, grants)
})

const key = (name: string): Input => ({ kind: "key", name, text: name.length === 1 ? name : "" })

/** A key, and then nothing for as long as it takes to be an answer. */
const pressAlone = (question: Question, input: Input, now: number): Step => {
  const step = press(question, input, now)
  return "question" in step && step.command === undefined && step.prompt === undefined
    ? settle(step.question, now + APART_MS)
    : step
}

/** Presses keys long after the question was drawn, none right behind another; the answer, or where it stands. */
const pressed = (names: ReadonlyArray<string>, grants = 2, kind: ApprovalRequest["kind"] = "tool"): Step =>
  names.reduce<Step>(
    (step, name, i) => ("question" in step ? pressAlone(step.question, key(name), 10_000 + i * 100) : step),
    { question: ask(request(grants, kind), 0) }
  )

const answers: ReadonlyArray<readonly [keys: ReadonlyArray<string>, grants: number, answer: unknown]> = [
  [["y"], 2, { decision: "allow_once" }],
  [["Y"], 2, { decision: "allow_once" }],
  [["s"], 1, { decision: "allow_session", grant_option: "exact" }],
  [["s", "1"], 2, { decision: "allow_session", grant_option: "exact" }],
  [["s", "7", "enter", "y"], 2, { decision: "allow_once" }],
  [["s", "2"], 2, { decision: "allow_session", grant_option: "git" }],
  [["s", "9", "2"], 2, { decision: "allow_session", grant_option: "git" }],
  [["s", "escape", "n", "enter"], 2, { decision: "deny" }],
  [["n", "enter"], 2, { decision: "deny" }],
  [["n", "n", "o", "enter"], 2, { decision: "deny", reason: "no" }],
  [["n", "👨‍👩‍👧", "backspace", "x", "enter"], 2, { decision: "deny", reason: "x" }],
  [["e", "enter", "enter"], 2, { decision: "deny" }],
  [["enter"], 2, { decision: "deny" }],
  [["escape"], 2, { decision: "deny" }],
  [["ctrl+d"], 2, { decision: "deny" }]
]

const recoveries: ReadonlyArray<readonly [key: string, decision: string]> = [
  ["r", "retry"],
  ["K", "skip"],
  ["x", "stop"]
]

describe("question", () => {
  it("is answered by these keys; an empty answer refuses (R091, R319, T027)", () => {
    for (const [keys, grants, answer] of answers) {
      assert.deepStrictEqual(pressed(keys, grants), { answer } as Step, keys.join(" "))
    }
  })

  it("is not answered by the Enter of somebody who types e and Enter to see more", () => {
    assert.property(pressed(["e", "enter"]), "question")
    assert.deepStrictEqual(pressed(["e", "enter", "y"]), { answer: { decision: "allow_once" } } as Step)
  })

  it("is not answered by keys of one read: a paste that no terminal put into brackets (P16)", () => {
    const together = (name: string): Input => ({ ...key(name), together: true }) as Input
    for (const name of ["y", "s", "n", "enter", "escape"]) {
      const step = press(ask(request(1), 0), together(name), 10_000)
      assert.property(step, "question", name)
      assert.property("question" in step && pressAlone(step.question, key("y"), 10_000 + TYPING_MS - 1), "question")
    }
    const reason = pressed(["n"])
    assert.deepStrictEqual("question" in reason && press(reason.question, together("enter"), 10_100), {
      answer: { decision: "deny" }
    })
  })

  it("of recovery is answered by a letter and Enter; any other line is a new prompt (SETTLED 14)", () => {
    for (const [name, decision] of recoveries) {
      assert.property(pressed([name], 0, "recovery"), "question")
      assert.deepStrictEqual(pressed([name, "enter"], 0, "recovery"), { answer: { decision } } as Step)
      assert.deepStrictEqual(pressed(["b", "backspace", name, "enter"], 0, "recovery"), {
        answer: { decision }
      } as Step)
    }
    for (const line of ["run the tests again", "x it", "y", "s"]) {
      assert.deepInclude(pressed([...line, "enter"], 0, "recovery"), { prompt: line }, line)
    }
    for (const keys of [["enter"], ["escape"], ["r", "escape", "enter"]]) {
      assert.notProperty(pressed(keys, 0, "recovery"), "answer", keys.join(" "))
      assert.notProperty(pressed(keys, 0, "recovery"), "prompt", keys.join(" "))
    }
    assert.deepInclude(pressed(["ctrl+d"], 0, "recovery"), { command: "/exit" })
  })

  it("of recovery takes a paste as text, and its end as no answer (P16)", () => {
    const pasted = press(ask(request(0, "recovery"), 0), { kind: "paste", text: "r" }, 10_000)
    assert.property(pasted, "question")
    const question = "question" in pasted ? pasted.question : ask(request(0, "recovery"), 0)
    const behind = press(question, { ...key("enter"), together: true } as Input, 10_001)
    assert.property(behind, "question")
    assert.notProperty(behind, "prompt")
    assert.deepStrictEqual(press(question, key("enter"), 10_500), { answer: { decision: "retry" } } as Step)
  })

  it("is answered once: no later tick gives the answer again", () => {
    const open = press(ask(request(1), 0), key("y"), 10_000)
    const question = "question" in open ? open.question : ask(request(1), 0)
    assert.property(settle(question, 10_100), "answer")
    assert.property(settle(answered(question), 10_200), "question")
    assert.isUndefined(answered(question).pending)
  })

  it("stays open at a line that begins with /, which is a command and no reason (R086)", () => {
    const lines: ReadonlyArray<readonly [keys: ReadonlyArray<string>, kind: ApprovalRequest["kind"]]> = [
      [[..."/exit", "enter"], "tool"],
      [["n", ..."/exit", "enter"], "tool"],
      [["n", " ", ..."/exit", "enter"], "tool"],
      [[..."/exit", "enter"], "recovery"]
    ]
    for (const [keys, kind] of lines) {
      const step = pressed(keys, 2, kind)
      assert.deepInclude(step, { command: "/exit" }, keys.join(" "))
      assert.deepStrictEqual("question" in step ? step.question.phase : undefined, { kind: "choose" })
    }
    for (const taken of [
      [..."/y", "escape"],
      ["/", "backspace"],
      [..."/n", "backspace", "backspace"]
    ]) {
      assert.deepStrictEqual(pressed([...taken, "y"]), { answer: { decision: "allow_once" } })
    }
    assert.deepStrictEqual(pressed(["n", ..."a/b", "enter"]), { answer: { decision: "deny", reason: "a/b" } })
  })

  it("cannot be allowed for the session where nothing is offered", () => {
    assert.property(pressed(["s"], 0), "question")
  })

  it("is allowed by no other key, and no paste (LESSONS 30, 50)", () => {
    const other = fc.string({ unit: "grapheme" }).filter((name) => !/^[ysYS]$/.test(name))
    fc.assert(
      fc.property(fc.array(other, { maxLength: 6 }), (names) => {
        const step = pressed(names)
        assert.isTrue("question" in step || step.answer.decision === "deny")
      })
    )
    const paste = press(ask(request(2), 0), { kind: "paste", text: "y\n" }, 10_000)
    assert.property(paste, "question")
    assert.property("question" in paste && pressAlone(paste.question, key("y"), 10_100), "question")
  })
})

const typeAt = (question: Question, times: ReadonlyArray<number>): Step =>
  times.reduce<Step>((step, time) => ("question" in step ? pressAlone(step.question, key("y"), time) : step), {
    question
  })

describe("what was typed ahead (T025, LESSONS 50)", () => {
  it("does not answer", () => {
    assert.property(typeAt(ask(request(2), 1_000), [1_000 + SETTLE_MS - 1]), "question")
    assert.property(typeAt(ask(request(2), 1_000), [1_000 + SETTLE_MS]), "answer")
  })

  it("does not answer while somebody goes on typing over the question, however long", () => {
    const gap = fc.integer({ min: 1, max: TYPING_MS - 1 })
    fc.assert(
      fc.property(fc.array(gap, { minLength: 1, maxLength: 40 }), (gaps) => {
        let now = 1_000
        const times = gaps.map((ms) => (now += ms))
        assert.property(typeAt(ask(request(2), 1_000, true), times), "question")
        assert.property(typeAt(ask(request(2), 1_000, true), [...times, now + TYPING_MS]), "answer")
      })
    )
  })
})

/** Keys that follow each other in so many milliseconds; then nothing. */
const rapidly = (names: ReadonlyArray<string>, gap_ms: number): Step => {
  const start: Step = { question: ask(request(2), 0) }
  const last = names.reduce<Step>((step, name, i) => {
    if (!("question" in step)) return step
    // What a loop does that looks between two keys.
    const looked = settle(step.question, 10_000 + i * gap_ms)
    return "question" in looked ? press(looked.question, key(name), 10_000 + i * gap_ms) : looked
  }, start)
  return "question" in last ? settle(last.question, 20_000) : last
}

describe("keys faster than anybody presses them (P16)", () => {
  it("are a paste, wherever an answer stands in it", () => {
    assert.deepStrictEqual([SETTLE_MS >= 500, APART_MS], [true, 30])
    for (const text of ["yarn install", "y\nls", "ay", "say", "s1", "s2y", "ny", "/y", "ey"]) {
      const names = Array.from(text, (char) => (char === "\n" ? "enter" : char))
      for (const gap_ms of [0, 1, 29]) {
        const step = rapidly(names, gap_ms)
        const allows = "answer" in step && step.answer.decision !== "deny"
        assert.isFalse(allows, `${text} every ${gap_ms} ms`)
      }
    }
  })

  it("answer with as much time between them, and a lone key only once it has stayed alone", () => {
    assert.deepStrictEqual(rapidly(["s", "2"], 30), { answer: { decision: "allow_session", grant_option: "git" } })
    const step = press(ask(request(2), 0), key("y"), 10_000)
    assert.property(step, "question")
    assert.property("question" in step && settle(step.question, 10_029), "question")
    assert.deepStrictEqual("question" in step && settle(step.question, 10_030), { answer: { decision: "allow_once" } })
  })

  it("of a reason are text", () => {
    const names = ["n", ..."not now", "enter"]
    assert.deepStrictEqual(rapidly(names, 1), { answer: { decision: "deny", reason: "not now" } })
  })
})
