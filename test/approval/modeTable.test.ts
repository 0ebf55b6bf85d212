/**
 * The modes as the issue words them, as a table: mode × risk × rule (R138, R319). `ask` is the default; `accept-edits`
 * lets file edits pass; `plan` changes nothing; `never-ask` refuses what would ask; `bypass` allows what is not denied.
 */
import { assert, describe, it } from "@effect/vitest"
import type { Mode } from "../../src/approval/ApprovalGate.ts"
import { decide } from "../../src/approval/Policy.ts"
import type { Action, Rule } from "../../src/approval/Rules.ts"
import type { Grant, Risk, RiskAssessment } from "../../src/domain/Approval.ts"
import type { CallId, GrantId } from "../../src/domain/Ids.ts"

const WORKSPACE = "/nowhere/ws"

const RISKS: Readonly<Record<Risk, RiskAssessment>> = {
  safe: { risk: "safe", reason: "reads a.ts", paths: [`${WORKSPACE}/a.ts`], opaque: false },
  mutating: { risk: "mutating", reason: "changes a.ts", paths: [`${WORKSPACE}/a.ts`], opaque: false },
  dangerous: { risk: "dangerous", reason: "a server's tool", paths: [], opaque: true }
}

type Row = readonly [none: Action, allow: Action, ask: Action, deny: Action]

const table: Readonly<Record<Mode, Readonly<Record<Risk, Row>>>> = {
  //               no rule  allow    ask      deny
  ask: {
    safe: ["allow", "allow", "ask", "deny"],
    mutating: ["ask", "allow", "ask", "deny"],
    dangerous: ["ask", "allow", "ask", "deny"]
  },
  "accept-edits": {
    safe: ["allow", "allow", "ask", "deny"],
    mutating: ["allow", "allow", "ask", "deny"],
    dangerous: ["ask", "allow", "ask", "deny"]
  },
  plan: {
    safe: ["allow", "allow", "ask", "deny"],
    mutating: ["deny", "deny", "deny", "deny"],
    dangerous: ["deny", "deny", "deny", "deny"]
  },
  "never-ask": {
    safe: ["allow", "allow", "deny", "deny"],
    mutating: ["deny", "allow", "deny", "deny"],
    dangerous: ["deny", "allow", "deny", "deny"]
  },
  bypass: {
    safe: ["allow", "allow", "allow", "deny"],
    mutating: ["allow", "allow", "allow", "deny"],
    dangerous: ["allow", "allow", "allow", "deny"]
  }
}

const RULES = [undefined, "allow", "ask", "deny"] as const

const rule = (action: Action): Rule => ({ name: action, tool: "probe", action, matcher: { kind: "tool" } })

const judge = (mode: Mode, risk: Risk, action: Action | undefined, grants: ReadonlyArray<Grant> = []) =>
  decide({
    call: { call_id: "call_1" as CallId, tool_name: "probe", arguments: "{}" },
    digest: "d",
    assessment: RISKS[risk],
    mode,
    rules: action === undefined ? [] : [rule(action)],
    grants,
    workspace: WORKSPACE
  })

const cells = (Object.keys(table) as ReadonlyArray<Mode>).flatMap((mode) =>
  (Object.keys(RISKS) as ReadonlyArray<Risk>).flatMap((risk) =>
    RULES.map((action, at) => ({ mode, risk, action, expected: table[mode][risk][at]! }))
  )
)

const granted: Grant = {
  grant_id: "grant_1" as GrantId,
  tool_name: "probe",
  matcher: { kind: "exact", digest: "d" },
  workspace: WORKSPACE,
  created_at: "2026-01-01T00:00:00.000Z",
  expires_at: "2126-01-01T00:00:00.000Z"
}

describe("modes", () => {
  it.each(cells)("$mode, $risk, rule $action: $expected", ({ mode, risk, action, expected }) => {
    assert.strictEqual(judge(mode, risk, action).action, expected)
  })

  it.each(cells)(
    "$mode, $risk, rule $action: a grant lifts no deny, and no plan",
    ({ mode, risk, action, expected }) => {
      const lifted = action === "deny" || (mode === "plan" && risk !== "safe") ? expected : "allow"
      assert.strictEqual(judge(mode, risk, action, [granted]).action, lifted)
    }
  )

  it.each(cells)("$mode, $risk, rule $action: a deny of another tier holds beside it", ({ mode, risk, action }) => {
    const subject = { mode, risk, action }
    assert.strictEqual(judgeWith([...(action === undefined ? [] : [rule(action)]), rule("deny")], subject), "deny")
  })
})

describe("a new plan file", () => {
  it.each([
    ["plan", undefined, "allow"],
    ["plan", "ask", "ask"],
    ["plan", "deny", "deny"],
    ["ask", undefined, "ask"],
    ["never-ask", undefined, "deny"]
  ] as const)("in mode %s, with rule %s: %s", (mode, action, expected) => {
    const { mutating } = RISKS
    const found = decide({
      call: { call_id: "call_1" as CallId, tool_name: "probe", arguments: "{}" },
      digest: "d",
      assessment: { ...mutating, newPlan: true },
      mode,
      rules: action === undefined ? [] : [rule(action)],
      grants: [],
      workspace: WORKSPACE
    })
    assert.strictEqual(found.action, expected)
  })
})

const judgeWith = (rules: ReadonlyArray<Rule>, { mode, risk }: { readonly mode: Mode; readonly risk: Risk }): Action =>
  decide({
    call: { call_id: "call_1" as CallId, tool_name: "probe", arguments: "{}" },
    digest: "d",
    assessment: RISKS[risk],
    mode,
    rules,
    grants: [granted],
    workspace: WORKSPACE
  }).action
