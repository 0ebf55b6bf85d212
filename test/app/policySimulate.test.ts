/** `claw policy simulate`: what would be decided now, beside what was decided then (R139, R160). */
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { TestClock } from "effect/testing"
import { type Compared, grantsOfSession, simulate } from "../../src/app/policySimulate.ts"
import { type GrantError, GrantStore } from "../../src/approval/GrantStore.ts"
import { parse } from "../../src/cli/CommandLine.ts"
import { Output } from "../../src/cli/Output.ts"
import { load } from "../../src/config/AppConfig.ts"
import type { Grant } from "../../src/domain/Approval.ts"
import type { DurableBody } from "../../src/domain/Event.ts"
import { CallId, type GrantId, TaskId } from "../../src/domain/Ids.ts"
import { Journal } from "../../src/store/Journal.ts"
import { layerMemory } from "../../src/store/memory/MemoryStore.ts"
import { SessionIndex } from "../../src/store/SessionIndex.ts"
import { captured } from "../support/capturedOutput.ts"
import { directoryWith } from "../support/directories.ts"
import { meta, record, sessionId, TS } from "../support/storeRecords.ts"

const turn = { task_id: TaskId.make("task_1"), turn: 1 }

const call = (id: string, command: string): DurableBody => ({
  type: "tool_call",
  ...turn,
  call_id: CallId.make(id),
  tool_name: "bash",
  content: JSON.stringify({ command }),
  risk: "mutating"
})

const grantOf = (workspace: string): Grant => ({
  grant_id: "grant_1" as GrantId,
  tool_name: "bash",
  matcher: { kind: "command", argv: ["git", "status"] },
  workspace,
  created_at: "2026-01-01T00:00:00.000Z",
  expires_at: "2026-03-01T18:00:00.000Z"
})

/** Four calls: asked and granted, covered by that grant, asked and refused, one whose decision was never made. */
const past = (workspace: string): ReadonlyArray<DurableBody> => [
  call("a", "git status"),
  {
    type: "approval_resolved",
    ...turn,
    call_id: CallId.make("a"),
    decision: "allow_session",
    via: "user",
    rule: "change",
    grant: grantOf(workspace)
  },
  call("b", "git status -s"),
  {
    type: "approval_resolved",
    ...turn,
    call_id: CallId.make("b"),
    decision: "allow_once",
    via: "grant",
    rule: "grant",
    grant_id: "grant_1" as GrantId
  },
  call("c", "curl x"),
  { type: "approval_resolved", ...turn, call_id: CallId.make("c"), decision: "deny", via: "user", rule: "change" },
  call("d", "ls")
]

/** Nobody to ask, a question withdrawn by a cancel: of neither did the policy say no. */
const unanswered = (): ReadonlyArray<DurableBody> => [
  call("e", "npm publish"),
  { type: "approval_resolved", ...turn, call_id: CallId.make("e"), decision: "deny", via: "policy", reason: "nobody" },
  call("f", "npm publish"),
  { type: "approval_resolved", ...turn, call_id: CallId.make("f"), decision: "deny", via: "cancel" }
]

/** `then`: what somebody does to the session's grants when all has happened. */
const simulated = Effect.fnUntraced(function* (
  words: ReadonlyArray<string>,
  rules: object = {},
  then: Effect.Effect<unknown, GrantError, GrantStore> = Effect.void,
  history: (workspace: string) => ReadonlyArray<DurableBody> = past
) {
  const root = yield* directoryWith({ "ws/.git/config": "", "rules.json": JSON.stringify({ rules }) })
  const workspace = join(root, "ws")
  const id = sessionId("session")
  const [index, journal] = [yield* SessionIndex, yield* Journal]
  yield* index.create(meta("session", { workspace }))
  const { epoch } = yield* journal.claim(id, "test")
  yield* journal.append(
    id,
    epoch,
    history(workspace).map((body, at) => record(at + 1, at + 1, body))
  )
  yield* then
  const line = Result.getOrThrow(parse(["policy", "simulate", ...words.map((word) => word.replace("{root}", root))]))
  const mode = line.values["mode"] as "ask" | undefined
  const flags = mode === undefined ? {} : { mode }
  const config = Result.getOrThrow(
    load({ workspace, flags, env: { HOME: root }, operator: join(root, "operator.json") })
  )
  const output = captured()
  const exit = yield* Effect.provideService(simulate(id, line, config), Output, output.service)
  return { exit, out: output.out() }
})

const rows = (out: string) =>
  out
    .trim()
    .split("\n")
    .map((text) => JSON.parse(text) as Compared)
    .map(({ call_id, was, now, changed }) => [call_id, was.action, now.action, now.rule, changed])

const takeBack = Effect.flatMap(GrantStore, (store) => store.revoke(sessionId("session"), "grant_1" as GrantId, "ada"))

describe("claw policy simulate", () => {
  it.effect("a grant that was taken back before a call covers it no more (P12)", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.parse(TS) - 1)
      const { out } = yield* simulated(["--json"], {}, takeBack)
      assert.deepStrictEqual(rows(out)[1], ["b", "allow", "ask", "command", true])
    }).pipe(Effect.provide(layerMemory))
  )

  it.effect("one that was taken back afterwards did cover it", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.parse(TS) + 1)
      const { out } = yield* simulated(["--json"], {}, takeBack)
      assert.deepStrictEqual(rows(out)[1], ["b", "allow", "allow", "grant", false])
    }).pipe(Effect.provide(layerMemory))
  )

  it.effect("what claw policy explain --session goes by: in force now, and not taken back", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.parse(TS) + 1)
      yield* simulated([])
      const ids = Effect.map(grantsOfSession(sessionId("session")), (all) => all.map(({ grant_id }) => grant_id))
      assert.deepStrictEqual(yield* ids, ["grant_1"])
      yield* takeBack
      assert.deepStrictEqual(yield* ids, [])
    }).pipe(Effect.provide(layerMemory))
  )

  it.effect("with the grants that each call had before it", () =>
    Effect.gen(function* () {
      const { out, exit } = yield* simulated(["--json"])
      assert.strictEqual(exit, 0)
      assert.deepStrictEqual(rows(out), [
        ["a", "ask", "ask", "command", false],
        ["b", "allow", "allow", "grant", false],
        ["c", "ask", "ask", "change", false],
        ["d", "none", "ask", "command", false]
      ])
    }).pipe(Effect.provide(layerMemory))
  )

  it.effect("under another mode and the rules of a file", () =>
    Effect.gen(function* () {
      const { out } = yield* simulated(["--json", "--mode", "never-ask", "--rules", "{root}/rules.json"], {
        deny: [{ argv: ["git"], reason: "no git" }],
        allow: [{ argv: ["ls"], reason: "looking" }]
      })
      assert.deepStrictEqual(rows(out), [
        ["a", "ask", "deny", 'user rules.deny[0] ("no git")', true],
        ["b", "allow", "deny", 'user rules.deny[0] ("no git")', true],
        ["c", "ask", "deny", "mode: never-ask", true],
        ["d", "none", "allow", 'user rules.allow[0] ("looking")', false]
      ])
    }).pipe(Effect.provide(layerMemory))
  )

  it.effect("what nobody answered was a question, and /dev/null has no rules", () =>
    Effect.gen(function* () {
      const { out, exit } = yield* simulated(["--json", "--rules", "/dev/null"], {}, Effect.void, unanswered)
      assert.strictEqual(exit, 0)
      assert.deepStrictEqual(
        rows(out).map(([id, was, now, , changed]) => [id, was, now, changed]),
        [
          ["e", "ask", "ask", false],
          ["f", "ask", "ask", false]
        ]
      )
    }).pipe(Effect.provide(layerMemory))
  )

  it.effect("for a person: what changed is marked and counted", () =>
    Effect.gen(function* () {
      const { out } = yield* simulated([])
      assert.match(out, /^ {6}1 {2}ask {3}→ ask {4}bash {2}\{"command":"git status"\}\n/)
      assert.match(out, /\n {6}7 {2}none {2}→ ask {4}bash {2}\{"command":"ls"\}\n/)
      assert.include(out, "\n4 calls, 0 decided otherwise now (*); questions then 2, now 3\n")
    }).pipe(Effect.provide(layerMemory))
  )

  it.effect("a rules file whose rule would never meet anything is refused", () =>
    Effect.gen(function* () {
      const failed = yield* Effect.flip(simulated(["--rules", "{root}/rules.json"], { deny: [{ argv: ["git push"] }] }))
      assert.match(String((failed as { detail?: string }).detail), /rules\.deny\[0\] has several words in one element/)
    }).pipe(Effect.provide(layerMemory))
  )

  it.effect("a rules file whose example fails is named, and nothing is simulated", () =>
    Effect.gen(function* () {
      const failed = yield* Effect.flip(
        simulated(["--rules", "{root}/rules.json"], { deny: [{ argv: ["git"], examples: { no_match: ["git log"] } }] })
      )
      assert.match(
        String((failed as { detail?: string }).detail),
        /rules\.json: the rule rules\.deny\[0\] must not match "git log" and does\.$/
      )
    }).pipe(Effect.provide(layerMemory))
  )
})
