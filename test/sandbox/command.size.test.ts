/** Size is limited by text, never by parts: a rule that long lines could outrun is no rule (SECURITY T2, P3). */
import { assert, it } from "@effect/vitest"
import { MAX_COMMAND_BYTES, analyse } from "../../src/sandbox/CommandAnalysis.ts"
import { denyRule, judgeBash, makeGrant } from "../support/approvalCorpus.ts"

const WORKSPACE = "/nowhere/ws"
const context = { workspace: WORKSPACE, home: "/home/someone" }

it("the last of ten thousand parts is judged like the first (T2: under 200 ms when nothing else runs)", () => {
  const parts = Array.from({ length: 10_000 }, (_, at) => `w${at % 7}`)
  const line = `${parts.join(";")};curl x`
  assert.strictEqual(analyse(line, context).commands.length, 10_001)
  const judged = judgeBash({
    command: line,
    workspace: WORKSPACE,
    rules: [denyRule(["curl"])],
    grants: [0, 1, 2, 3, 4, 5, 6].map((at) => makeGrant(WORKSPACE, "prefix", [`w${at}`]))
  })
  assert.strictEqual(judged.action, "deny")
})

it("64 KiB are judged, one byte more is refused, counted in bytes", () => {
  const exactly = "e".repeat(MAX_COMMAND_BYTES)
  assert.isUndefined(analyse(exactly, context).refused)
  assert.strictEqual(analyse(`${exactly}e`, context).refused, "is longer than 64 KiB")
  assert.strictEqual(analyse("é".repeat(MAX_COMMAND_BYTES / 2 + 1), context).refused, "is longer than 64 KiB")
})

it("deep nesting ends in a refusal or a doubt, never in an overflow", () => {
  const nested = (depth: number, open: string, close: string) => open.repeat(depth) + "curl x" + close.repeat(depth)
  for (const line of [
    nested(3_000, "(", ")"),
    nested(3_000, "$(", ")"),
    nested(3_000, "{ ", ";}"),
    "env ".repeat(3_000) + "curl"
  ]) {
    const plan = analyse(line, context)
    assert.isTrue(
      plan.refused !== undefined || plan.doubts.length > 0 || plan.commands.some((one) => one.notPlain.length > 0),
      line.slice(0, 20)
    )
  }
})

it("launchers within launchers have an end, though each can be read in several ways (P4, T2)", () => {
  for (const line of [`${"bwrap ".repeat(9_000)}sudo id`, `${"perf setarch ip ".repeat(3_000)}sudo id`])
    assert.strictEqual(analyse(line, context).refused, "is nested too deeply to be judged")
  const few = analyse(`${"bwrap a b ".repeat(5)}sudo id`, context)
  assert.strictEqual(few.refused, "sudo takes other rights")
  assert.isBelow(few.commands.length, 40)
})
