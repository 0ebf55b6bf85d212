/**
 * The path corpus from the policy's side: what a tool found out of a path (SECURITY P1, P10, P11, R153). Where the path
 * leads is the tool's to say and is tested with the tools.
 */
import { assert, describe, it } from "@effect/vitest"
import { decide } from "../../src/approval/Policy.ts"
import type { Action } from "../../src/approval/Rules.ts"
import { digestOf } from "../../src/approval/matching.ts"
import type { Grant, Risk } from "../../src/domain/Approval.ts"
import type { CallId, GrantId } from "../../src/domain/Ids.ts"
import { passes, readCorpus } from "../support/approvalCorpus.ts"

interface PathEntry {
  readonly id: string
  readonly benign: boolean
  readonly tool: string
  readonly risk: Risk
  readonly leads: string
  readonly verdict?: "forbidden" | "alwaysAsk"
  readonly glob?: string
  readonly granted?: string
  readonly deny?: string
  readonly expect: Action
  readonly why: string
}

const WORKSPACE = "/nowhere/ws"

const grantOf = (entry: PathEntry): ReadonlyArray<Grant> =>
  entry.glob === undefined
    ? []
    : [
        {
          grant_id: "grant_1" as GrantId,
          tool_name: entry.granted ?? entry.tool,
          matcher: { kind: "path", glob: entry.glob },
          workspace: WORKSPACE,
          created_at: "2026-01-01T00:00:00.000Z",
          expires_at: "2126-01-01T00:00:00.000Z"
        }
      ]

const judge = (entry: PathEntry) => {
  const args = { path: entry.leads }
  return decide({
    call: { call_id: "call_1" as CallId, tool_name: entry.tool, arguments: JSON.stringify(args) },
    digest: digestOf(entry.tool, args),
    assessment: {
      risk: entry.risk,
      reason: "a file",
      paths: [`${WORKSPACE}/${entry.leads}`],
      opaque: false,
      ...(entry.verdict === "forbidden" ? { forbidden: "never" } : {}),
      ...(entry.verdict === "alwaysAsk" ? { alwaysAsk: true } : {})
    },
    mode: "ask",
    rules:
      entry.deny === undefined
        ? []
        : [{ name: "no", tool: entry.tool, matcher: { kind: "path", glob: entry.deny }, action: "deny" }],
    grants: grantOf(entry),
    workspace: WORKSPACE
  })
}

describe("path corpus", () => {
  it.each(readCorpus("path") as ReadonlyArray<PathEntry>)("$id $why", (entry) => {
    const { action, reason } = judge(entry)
    assert.isTrue(passes(entry, action), `expected ${entry.expect}, was ${action}: ${reason}`)
  })
})
