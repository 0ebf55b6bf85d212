/**
 * The chain as a table: call × mode, and whether anybody is asked (R303, R319, R137–R142, R160).
 * Every row runs the real gate with a person who would allow; "ask" means that this person was asked.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { ApprovalGate, type Check, type Mode } from "../../src/approval/ApprovalGate.ts"
import type { Question } from "../../src/approval/Approver.ts"
import {
  answer,
  bash,
  forbidden,
  guarded,
  layerGate,
  makeCheck,
  read,
  WORKSPACE,
  write
} from "../support/approvalGate.ts"

type Outcome = "allow" | "ask" | "deny"

const MODES: ReadonlyArray<Mode> = ["ask", "accept-edits", "plan", "never-ask", "bypass"]

const outside = () =>
  makeCheck(
    "write_file",
    { path: "/x" },
    { risk: "mutating", reason: "writes", paths: [`${WORKSPACE}-evil/x`], opaque: false }
  )
const remote = () =>
  makeCheck("mcp_do", { x: 1 }, { risk: "dangerous", reason: "a server's tool", paths: [], opaque: true })

const rows: ReadonlyArray<readonly [string, () => Check, ...ReadonlyArray<Outcome>]> = [
  //                                              ask      accept   plan    never    bypass
  ["read_file", () => read(), "allow", "allow", "allow", "allow", "allow"],
  ["write_file", () => write(), "ask", "allow", "deny", "deny", "allow"],
  ["write_file of a manifest", () => guarded(), "ask", "ask", "deny", "deny", "allow"],
  ["write_file of the control plane", () => forbidden(), "deny", "deny", "deny", "deny", "deny"],
  ["write_file beside the workspace", outside, "ask", "ask", "deny", "deny", "allow"],
  ["bash that reads", () => bash("git status"), "ask", "ask", "ask", "deny", "allow"],
  ["bash that changes", () => bash("rm -rf build"), "ask", "ask", "deny", "deny", "allow"],
  ["bash that cannot be read", () => bash("echo $("), "ask", "ask", "deny", "deny", "allow"],
  ["bash that hides a change", () => bash("cat x > y"), "ask", "ask", "deny", "deny", "allow"],
  ["bash with other rights", () => bash("sudo ls"), "deny", "deny", "deny", "deny", "deny"],
  ["a server's tool", remote, "ask", "ask", "deny", "deny", "allow"]
]

const cells = rows.flatMap(([name, make, ...outcomes]) =>
  MODES.map((mode, at) => ({ name, make, mode, expected: outcomes[at] as Outcome }))
)

describe("gate", () => {
  it.effect.each(cells)("$name in $mode: $expected", ({ make, mode, expected }) => {
    const questions: Array<Question> = []
    return Effect.gen(function* () {
      const gate = yield* ApprovalGate
      const check = make()
      const verdict = yield* gate.check(check)
      const outcome = questions.length > 0 ? "ask" : verdict.decision === "deny" ? "deny" : "allow"
      assert.strictEqual(outcome, expected)
      assert.strictEqual(verdict.permit?.call_id, expected === "deny" ? undefined : check.call.call_id)
      assert.strictEqual(verdict.via, expected === "ask" ? "user" : "policy")
    }).pipe(Effect.provide(layerGate({ mode, questions, answering: answer("allow_once") })))
  })
})
