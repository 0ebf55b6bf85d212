/** Small pure parts of what is shown: links, hidden characters, arguments, diffs, figures, addresses, spans (R247, R257). */
import { assert, describe, it } from "@effect/vitest"
import type { NamedPrompt } from "../../src/console/net/api.ts"
import { namedIn, offered, typed } from "../../src/console/session/slash.ts"
import { idsOf, sessionsPath, tokenOf } from "../../src/console/shell/route.ts"
import { spansOf, sumOf } from "../../src/console/state/spans.ts"
import { callText, folded } from "../../src/console/text/callText.ts"
import { diffFiles } from "../../src/console/text/diffFiles.ts"
import { countdown, duration, firstLine, money, pathTail, tokens } from "../../src/console/text/format.ts"
import { hostOf, safeLink } from "../../src/console/text/links.ts"
import { named } from "../../src/console/text/named.ts"
import { inOrder, reveal } from "../../src/console/text/reveal.ts"
import { en } from "../../src/console/words/en.ts"
import type { DurableEvent } from "../../src/domain/Event.ts"

const same = <A, B>(name: string, table: ReadonlyArray<readonly [A, B]>, of: (given: A) => B) =>
  it(name, () => {
    for (const [given, expected] of table) assert.deepStrictEqual(of(given), expected, String(given))
  })

describe("what a model wrote", () => {
  same(
    "leads to http, https and mailto and to nothing else",
    [
      ["https://example.com/a b", ""],
      ["https://example.com/a", "https://example.com/a"],
      ["mailto:a@example.com", "mailto:a@example.com"],
      ["javascript:alert(1)", ""],
      ["JaVaScRiPt:alert(1)", ""],
      ["java\nscript:alert(1)", ""],
      ["\u0001javascript:alert(1)", ""],
      ["data:text/html,x", ""],
      ["vbscript:x", ""],
      ["file:///etc/passwd", ""],
      ["//example.com/x", ""],
      ["/api/sessions", ""],
      ["", ""]
    ],
    safeLink
  )
  same(
    "names its host in ASCII",
    [
      ["https://example.com:8443/x?y", "example.com:8443"],
      ["https://\u0430pple.com/", "xn--pple-43d.com"],
      ["https://good.example@evil.example/", "evil.example"],
      ["nothing", ""]
    ],
    hostOf
  )
  same(
    "hides nothing from whoever decides",
    [
      ["echo ok\n\ttab", "echo ok\n\ttab"],
      ["rm\u202e fr", "rm⟨U+202E⟩ fr"],
      ["a\u200bb\u0000\r", "a⟨U+200B⟩b⟨U+0000⟩⟨U+000D⟩"],
      ["\u{e0041}x", "⟨U+E0041⟩x"]
    ],
    reveal
  )
  same(
    "turns no line of prose around, and leaves emoji and scripts as they are",
    [
      ["txt\u202e.exe\u2066x", "txt⟨U+202E⟩.exe⟨U+2066⟩x"],
      ["\u001b[31mred", "⟨U+001B⟩[31mred"],
      ["👨\u200d👩\u200d👧 می\u200cخواهم\r\n", "👨\u200d👩\u200d👧 می\u200cخواهم\r\n"]
    ],
    inOrder
  )
  it("turns nothing around where only a line of it is shown", () => {
    const evil = "txt\u202e.exe"
    const facts = [
      { type: "task_started", task_id: "t", prompt_id: "p", content: evil },
      { type: "tool_call", task_id: "t", turn: 1, call_id: "c", tool_name: evil, content: "{}", risk: "safe" },
      { type: "tool_started", task_id: "t", turn: 1, call_id: "c", attempt: 1 }
    ].map((fact, i) => ({ ...fact, seq: i + 1, ts: "2026-01-01T00:00:00.000Z" })) as unknown as Array<DurableEvent>
    const [task] = spansOf(facts)
    const lines = [firstLine(evil), pathTail(`/a/${evil}`, 1), en.reason(evil), task?.title, task?.spans[0]?.name]
    for (const line of lines) assert.include(line, "txt⟨U+202E⟩.exe")
  })
  same(
    "is a title in its own order, and never a session's id",
    [
      ["a\u202eb", "a⟨U+202E⟩b"],
      [" ", "New session"],
      [undefined, "New session"],
      ["👨\u200d👩 x", "👨\u200d👩 x"]
    ] as ReadonlyArray<readonly [string | undefined, string]>,
    (title) => named(title, en.untitled)
  )
})

describe("calls", () => {
  same(
    "are told by what they are about",
    [
      ['{"command":"ls -l","timeout_ms":5}', { subject: "ls -l", rest: [["timeout_ms", "5"]] }],
      ['{"path":"a.ts","old_text":"x"}', { subject: "a.ts", rest: [["old_text", "x"]] }],
      ['{"other":[1]}', { subject: "[\n  1\n]", rest: [["other", "[\n  1\n]"]] }],
      ["{broken", { subject: "{broken", rest: [] }],
      [
        '{"command":"echo \u202e;","a\u200b":"\\u001b"}',
        { subject: "echo ⟨U+202E⟩;", rest: [["a⟨U+200B⟩", "⟨U+001B⟩"]] }
      ]
    ] as ReadonlyArray<readonly [string, ReturnType<typeof callText>]>,
    callText
  )
  it("that are nested deeper than anybody reads stay as short as they came", () => {
    const nested = (depth: number) => `{"items":${"[".repeat(depth)}${"]".repeat(depth)}}`
    assert.strictEqual(callText(nested(3000)).subject, "[".repeat(3000) + "]".repeat(3000))
    assert.include(callText(nested(3)).subject, "\n    []")
  })
  it("fold long outputs in the middle", () => {
    const lines = Array.from({ length: 100 }, (_, i) => String(i)).join("\n")
    assert.deepStrictEqual(folded(lines, 6), { text: "0\n1\n⋯\n96\n97\n98\n99", hidden: 94 })
    assert.deepStrictEqual(folded("a\nb", 6), { text: "a\nb", hidden: 0 })
  })
})

describe("a diff", () => {
  it("is taken apart by its counts, so that a line that looks like a head stays a line", () => {
    const diff =
      "--- a/x y.md\n+++ b/x y.md\n@@ -1,2 +1,2 @@\n--- gone\n+++ come\n same\n--- /dev/null\n+++ b/new.ts\n@@ -0,0 +1 @@\n+one\n\\ No newline at end of file\n"
    const files = diffFiles(diff)
    assert.deepStrictEqual(
      files.map(({ path, added, removed }) => [path, added, removed]),
      [
        ["x y.md", 1, 1],
        ["new.ts", 1, 0]
      ]
    )
    assert.include(files[0]?.text, "--- gone\n+++ come\n same")
    assert.deepStrictEqual(diffFiles("no diff at all"), [])
  })
})

describe("figures", () => {
  same(
    "tokens",
    [
      [999, "999"],
      [1_234, "1.2k"],
      [12_345, "12k"],
      [1_500_000, "1.5M"]
    ],
    tokens
  )
  same(
    "money",
    [
      [0, "$0.00"],
      [0.0123, "$0.0123"],
      [1.5, "$1.50"]
    ],
    money
  )
  same(
    "durations",
    [
      [12, "12 ms"],
      [1_500, "1.5 s"],
      [61_000, "1 min 01 s"],
      [3_720_000, "1 h 2 min"]
    ],
    duration
  )
  same(
    "countdowns",
    [
      [-5, "0:00"],
      [65_000, "1:05"],
      [3_661_000, "1:01:01"]
    ],
    countdown
  )
  same(
    "paths",
    [
      ["/a", "/a"],
      ["/home/u/work/claw", "…/work/claw"]
    ],
    (path: string) => pathTail(path)
  )
})

describe("addresses", () => {
  it("name up to four sessions, and hold no token", () => {
    assert.deepStrictEqual(idsOf("/s/a.b:c+d").map(String), ["a.b:c", "d"])
    assert.deepStrictEqual(idsOf("/s/a+a+%zz+b%2Fc+x").map(String), ["a", "x"])
    assert.deepStrictEqual(idsOf("/usage").map(String), [])
    assert.strictEqual(sessionsPath(["a:b", "c"]), "/s/a%3Ab+c")
    assert.deepStrictEqual(idsOf(sessionsPath(["a", "b", "c", "d", "e"])).map(String), ["a", "b", "c", "d"])
    assert.strictEqual(tokenOf("#token=abc"), "abc")
    assert.isUndefined(tokenOf("?token=abc"))
  })
})

describe("commands", () => {
  it("are offered while their name is typed, and taken only where it is one", () => {
    const names = (text: string, prompts?: ReadonlyArray<NamedPrompt>) => offered(text, prompts).map(({ name }) => name)
    assert.deepStrictEqual(names("/re"), ["redo", "rename"])
    assert.deepStrictEqual(offered("/rename x"), [])
    assert.deepStrictEqual(typed(" /rename  a b "), { name: "rename", word: "a b" })
    assert.isUndefined(typed("/etc/passwd is a file"))
    assert.isUndefined(typed("say /undo"))
    // Named prompts come behind claw's own commands, and none takes the name of one (issue 7).
    const prompt = (name: string) => ({ name, description: "", argument: "", of: "project" as const })
    const prompts = ["review", "git:re-do", "redo"].map(prompt)
    assert.deepStrictEqual(names("/re", prompts), ["redo", "rename", "review"])
    assert.deepStrictEqual(names("/git:r", prompts), ["git:re-do"])
    assert.deepStrictEqual(namedIn("/review  a b\nc "), { name: "review", words: "a b\nc" })
    for (const text of ["/redo", "/etc/passwd is a file", "say /review"]) assert.isUndefined(namedIn(text), text)
  })
})

describe("a timeline", () => {
  it("tells for whom a task waited, from its facts alone", () => {
    const at = (second: number, body: object) =>
      ({
        v: 1,
        session_id: "s",
        seq: second,
        event_id: "e",
        ts: new Date(second * 1_000).toISOString(),
        task_id: "t",
        turn: 1,
        call_id: "c",
        ...body
      }) as unknown as DurableEvent
    const [task, ...more] = spansOf([
      at(0, { type: "usage" }),
      at(1, { type: "task_started", content: "do it\nnow" }),
      at(2, { type: "thinking" }),
      at(5, { type: "text_completed" }),
      at(5, { type: "tool_call", tool_name: "bash", content: '{"command":"ls"}' }),
      at(5, { type: "approval_request", tool_name: "bash" }),
      at(9, { type: "approval_resolved", decision: "allow_once" }),
      at(9, { type: "tool_started" }),
      at(10, { type: "tool_result", status: "error" }),
      at(11, { type: "thinking" }),
      at(12, { type: "task_canceled" })
    ])
    assert.deepStrictEqual(more, [])
    assert.deepStrictEqual([task?.title, task?.from, task?.to], ["do it", 1_000, 12_000])
    assert.deepStrictEqual(
      task?.spans.map(({ kind, name, from, to, failed }) => [kind, name, from / 1_000, to / 1_000, failed]),
      [
        ["model", "1", 2, 5, false],
        ["approval", "bash ls", 5, 9, false],
        ["tool", "bash ls", 9, 10, true],
        ["model", "1", 11, 12, false]
      ]
    )
    assert.strictEqual(sumOf(task?.spans ?? [], "model"), 4_000)
  })
})
