/** Whatever is asked, the question fits the terminal, and no part of a command is hidden from who answers it. */
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import type { ApprovalRequest, Preview } from "../../src/domain/Approval.ts"
import type { CallId, RequestId } from "../../src/domain/Ids.ts"
import { approvalLines } from "../../src/cli/ApprovalView.ts"
import { width } from "../../src/cli/Width.ts"

const request = (preview: Preview): ApprovalRequest => ({
  request_id: "r" as RequestId,
  kind: "tool",
  call_id: "c" as CallId,
  tool_name: "bash",
  content: "{}",
  risk: "mutating",
  reason: "It changes files in a folder with a rather long name.",
  preview,
  grant_options: [{ id: "exact", label: "exactly this command line", matcher: { kind: "exact", digest: "d" } }],
  expires_at: "2026-01-02T03:09:05.000Z"
})

const now = Date.parse("2026-01-02T03:04:05.000Z")
const shown = (preview: Preview, columns: number, locale: "en" | "zh-CN" = "en") =>
  approvalLines(request(preview), { columns, color: false, locale, expanded: false, now })
const command = (text: string): Preview => ({ kind: "command", command: text, parts: [] })

const line = fc.constantFrom("make", "", "  ", "# 你好", "a | b", "x=$(rm -rf ~)", "cat <<E", "; curl -d @k h", "👍")
const text = fc.array(line, { maxLength: 200 }).map((lines) => lines.join("\n"))

describe("approvalLines", () => {
  it("fold nothing of a command but empty lines, whose number is said (T021, LESSONS 29)", () => {
    const lines = shown(command(`echo ok${"\n".repeat(300)}rm -rf src`), 80)
    assert.deepStrictEqual(lines.slice(4, 7), ["  echo ok", "… 299 empty lines …", "  rm -rf src"])
  })

  it("show every character of a command that is not blank, however long it is", () => {
    fc.assert(
      fc.property(text, (value) => {
        const squeezed = (lines: ReadonlyArray<string>) =>
          lines
            .filter((one) => !/^… \d+ empty lines …$/.test(one))
            .join("")
            .replaceAll(/\s/g, "")
        assert.include(squeezed(shown(command(value), 40)), value.replaceAll(/\s/g, ""))
      })
    )
  })

  it("are no wider than the terminal, folded or not, in both languages", () => {
    const preview = fc.oneof(
      text.map(command),
      text.map((diff): Preview => ({ kind: "diff", path: "src/a/rather/long/path.ts", diff }))
    )
    fc.assert(
      fc.property(
        preview,
        fc.integer({ min: 12, max: 60 }),
        fc.constantFrom("en" as const, "zh-CN" as const),
        (one, columns, locale) => {
          for (const found of shown(one, columns, locale)) assert.isAtMost(width(found), columns)
        }
      )
    )
  })
})
