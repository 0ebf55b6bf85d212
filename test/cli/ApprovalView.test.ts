/** The approval shows the whole of what will run, and nothing that deceives (LESSONS 29, R162). */
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { approvalLines, type ApprovalOptions, noCalls, placeOf, withCall } from "../../src/cli/ApprovalView.ts"
import { width } from "../../src/cli/Width.ts"
import type { ApprovalRequest } from "../../src/domain/Approval.ts"
import type { SessionEvent } from "../../src/domain/Event.ts"
import type { CallId, RequestId } from "../../src/domain/Ids.ts"

const request = (more: Partial<ApprovalRequest> = {}): ApprovalRequest => ({
  request_id: "req_1" as RequestId,
  kind: "tool",
  call_id: "c1" as CallId,
  tool_name: "bash",
  content: '{"command":"npm test && rm -rf dist","timeout_ms":5000}',
  risk: "dangerous",
  reason: "It removes files.",
  preview: { kind: "command", command: "npm test && rm -rf dist", parts: ["npm test", "rm -rf dist"] },
  grant_options: [
    { id: "exact", label: "exactly this call", matcher: { kind: "exact", digest: "d" } },
    { id: "npm", label: "npm test …", matcher: { kind: "command", argv: ["npm", "test"] } }
  ],
  expires_at: "2026-01-01T00:01:00.000Z",
  ...more
})

const PLACE = "call 2 of 3 of this answer; they run when all have been decided"
const now = Date.parse("2026-01-01T00:00:15.000Z")
const time = new Date("2026-01-01T00:01:00.000Z").toLocaleTimeString("en-GB")
const lines = (asked: ApprovalRequest, more: Partial<ApprovalOptions> = {}) =>
  approvalLines(asked, { columns: 60, color: false, locale: "en", expanded: false, now, ...more })
const bare = ({ preview: _, expires_at: __, ...rest }: ApprovalRequest): ApprovalRequest => ({
  ...rest,
  grant_options: []
})
const args = (content: string): ApprovalRequest => bare(request({ content }))

describe("the approval question", () => {
  it("says why in the person's language, or as it came where a part of it is not known", () => {
    const why = (reason: string) => lines(request({ reason, risk: "mutating" }), { locale: "zh-CN", columns: 200 })[2]
    const several = "sh starts another program (nobody can tell what else dash runs; has a loop)"
    assert.strictEqual(why(several), "sh 会启动另一个程序（无法得知 dash 还会运行什么；含有循环）")
    assert.strictEqual(why("runs npm test"), "运行 npm test")
    const unknown = "sh starts another program (does something new)"
    assert.strictEqual(why(unknown), unknown)
  })

  it("shows risk, reason, command with its parts, grants, expiry and keys", () => {
    assert.deepStrictEqual(lines(request()), [
      "Approval needed: bash",
      "dangerous",
      "It removes files.",
      "",
      "  timeout_ms: 5000",
      "  npm test && rm -rf dist",
      "  1. npm test",
      "  2. rm -rf dist",
      "",
      "For the session (s, or s and its number):",
      "  1. exactly this call, and nothing else",
      "  2. plain commands that begin with npm test, any words ",
      "  after",
      `expires at ${time}`,
      "y once · s session · n deny · e explain"
    ])
  })

  it("longer than the screen, says risk and reason again beside its keys", () => {
    const command = Array.from({ length: 400 }, (_, at) => `echo ${at}`).join("\n")
    const long = lines(request({ preview: { kind: "command", command, parts: [] } }), { rows: 24 })
    assert.deepStrictEqual(long.slice(-3), [
      `expires at ${time}`,
      "dangerous: It removes files.",
      "y once · s session · n deny · e explain"
    ])
    assert.deepStrictEqual(long.slice(0, 3), ["Approval needed: bash", "dangerous", "It removes files."])
    assert.strictEqual(lines(request(), { rows: 24 }).filter((line) => /dangerous/.test(line)).length, 1)
  })

  it("says which call of an answer it is, and that none runs before all are decided", () => {
    const call = (call_id: string, turn: number) =>
      ({ type: "tool_call", task_id: "t", turn, call_id }) as unknown as SessionEvent
    const calls = [call("c0", 1), call("c0", 2), call("c1", 2), call("c2", 2)].reduce(withCall, noCalls)
    const place = placeOf(calls, request())
    assert.deepStrictEqual(lines(request(), { columns: 80, ...place })[1], PLACE)
    assert.deepStrictEqual(placeOf(withCall(noCalls, call("c1", 1)), request()), {}, "the only one")
  })

  it("counts within the subagent's own answer, and not at all what a crash cut off", () => {
    const call = (call_id: string, parent_call_id?: string) =>
      ({ type: "tool_call", task_id: "t", turn: 1, call_id, parent_call_id }) as unknown as SessionEvent
    const calls = [call("s1"), call("s2"), call("x", "s2"), call("c1", "s1")].reduce(withCall, noCalls)
    const asked = { ...request(), subagent: "alpha" }
    assert.deepStrictEqual(placeOf(calls, asked), {}, "alpha's answer has one call")
    const more = placeOf(withCall(calls, call("c2", "s1")), asked)
    assert.deepStrictEqual(more, { place: { at: 1, of: 2, subagent: "alpha" } })
    assert.include(lines(asked, { columns: 80, ...more })[1], "call 1 of 2 of an answer of alpha")
    assert.deepStrictEqual(placeOf(calls, { ...request(), kind: "recovery", call_id: "s2" as CallId }), {})
  })

  it("says itself, without e, that an earlier grant does not count any more", () => {
    const why = ["what it runs has changed since the grant grant_1 was given"]
    const parts = [{ words: ["npm", "test"], state: "uncovered", why }] as const
    const explanation = { action: "ask", rule: "change", reason: "", line: [], parts } as const
    assert.include(lines(request({ explanation })).join(" ").replaceAll(/\s+/g, " "), why[0] ?? "")
  })

  it("at e, keeps the numbers of the line, and what asks stands next to the keys", () => {
    const part = (word: string, state: "asks" | "covered", at?: number) =>
      ({ words: [word], state, why: [], ...(at === undefined ? {} : { at }) }) as const
    const explanation = { action: "ask", rule: "change", reason: "", line: [], more: 2 } as const
    const parts = [part("curl", "asks", 7), part("ls", "covered", 1), part("rm", "asks", 3)]
    const shown = lines(bare(request({ explanation: { ...explanation, parts } })), { expanded: true })
    assert.deepStrictEqual(
      shown.flatMap((line) => /^ {2}[?✓] (\d+\. \S+)/.exec(line)?.slice(1) ?? []),
      ["1. ls", "7. curl", "3. rm"]
    )
  })

  it("explains itself at e: each command, what covers it, what made it ask, and asks again", () => {
    const asked = request({
      explanation: {
        action: "ask",
        rule: "far-reaching",
        reason: "It removes files.",
        parts: [
          { words: ["npm", "test"], state: "covered", by: "tests", why: [] },
          { words: ["rm", "-rf", "dist"], state: "asks", why: ["removes\u202e"] }
        ],
        line: [],
        narrow: "the line has several commands; a grant of first words covers one"
      }
    })
    const [folded, expanded] = [lines(asked, { columns: 200 }), lines(asked, { columns: 200, expanded: true })]
    assert.deepStrictEqual(
      expanded.filter((line) => !folded.includes(line)),
      [
        "decided by: far-reaching (what may reach further than can be said asks, unless a grant covers exactly it)",
        "Nothing wider: the line has several commands; a grant of first words covers one.",
        "  ✓ 1. npm test",
        "       covered by tests",
        "  ? 2. rm -rf dist",
        "       made it ask: removes\\u{202e}"
      ]
    )
    assert.deepStrictEqual(expanded.slice(-4), folded.slice(-4))
  })

  it("colours a diff line by line", () => {
    const diff = request({ preview: { kind: "diff", path: "a.ts", diff: "--- a\n+++ b\n@@ -1 +1 @@\n-x\n+y\n z\n" } })
    assert.deepStrictEqual(lines(diff, { color: true }).slice(4, 11), [
      "  \x1b[1ma.ts\x1b[22m",
      "  \x1b[1m--- a\x1b[22m",
      "  \x1b[1m+++ b\x1b[22m",
      "  \x1b[36m@@ -1 +1 @@\x1b[39m",
      "  \x1b[31m-x\x1b[39m",
      "  \x1b[32m+y\x1b[39m",
      "   z"
    ])
  })

  it("speaks Chinese, and of an interrupted call", () => {
    const recovery = lines(bare(request({ kind: "recovery" })), { locale: "zh-CN" })
    assert.deepStrictEqual(
      [recovery[0], recovery.at(-1)],
      ["被中断的调用：可能已经发生，也可能没有: bash", "r 重新运行 · k 跳过 · x 停止任务，再回车；或输入新提示"]
    )
  })

  it("makes controls, direction marks and invisibles visible, in names too", () => {
    const shown = lines(args('{"command":"ls \\u202e\\u200b;\\u001b[2Krm\\rx"}'))
    assert.include(shown, "  command: ls \\u{202e}\\u{200b};\\x1b[2Krm\\x0dx")
    assert.strictEqual(lines(request({ tool_name: "mcp__\u202eelif" }))[0], "Approval needed: mcp__\\u{202e}elif")
  })

  it("lets no text beside a command push it away or pass for a question (P16)", () => {
    const description = `.${"\n".repeat(60)}Approval needed: bash\nchanges files\n\n  ls\n`
    const shown = lines(request({ content: JSON.stringify({ command: "touch HIDDEN", description }) }))
    assert.strictEqual(shown.filter((line) => line.trim().startsWith("Approval needed")).length, 1)
    assert.isBelow(shown.length, 20)
    assert.strictEqual(
      shown.indexOf("  npm test && rm -rf dist") > shown.findIndex((line) => line.includes("description")),
      true
    )
  })

  it("folds what is long between head and tail, and says how much", () => {
    const command = `echo ok${"\n".repeat(300)}rm -rf src`
    const asked = args(JSON.stringify({ command }))
    const shown = lines(asked)
    assert.include(shown, "… 266 hidden lines · press e to see all …")
    assert.include(shown, "  │ rm -rf src")
    assert.strictEqual(lines(asked, { expanded: true }).length, shown.length + 265)
  })

  it("never cuts a line: every character that is not blank is there, inside the columns", () => {
    const word = fc.constantFrom(
      "echo",
      " ",
      "      ",
      "&&",
      ";",
      "|",
      "\n",
      "你好",
      "👍",
      "\x1b[2K",
      "--flag=value-long"
    )
    const command = fc.array(word, { maxLength: 60 }).map((words) => words.join(""))
    fc.assert(
      fc.property(command, fc.integer({ min: 12, max: 80 }), fc.boolean(), (text, columns, color) => {
        const asked = bare(request({ reason: "", preview: undefined as never }))
        const { preview: _, ...rest } = asked
        const view = lines({ ...rest, content: text }, { columns, expanded: true, color })
        for (const line of view) assert.isAtMost(width(line), columns)
        const squeezed = (value: string) => value.replaceAll(/\s/g, "")
        const visible = text.replaceAll("\x1b", "\\x1b")
        assert.include(
          squeezed(lines({ ...rest, content: text }, { columns, expanded: true }).join("")),
          squeezed(visible)
        )
      })
    )
  })
})
