/** What a grant covers and when it ends (R144, R152–R156, R159, R161, SECURITY P2–P5, P12). */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { ApprovalGate, type Check, type Mode } from "../../src/approval/ApprovalGate.ts"
import type { Question } from "../../src/approval/Approver.ts"
import { GrantStore } from "../../src/approval/GrantStore.ts"
import { answer, bash, layerGate, makeCheck, read, write, WORKSPACE } from "../support/approvalGate.ts"
import { judgeBash, makeGrant, makeWorkspace } from "../support/approvalCorpus.ts"

/** The first call is answered with `option` for the session; which of the others are asked about again? */
const askedAgain = (first: Check, option: string, others: ReadonlyArray<Check>) => {
  const questions: Array<Question> = []
  const answering = ({ request }: Question) =>
    answer("allow_session", request.call_id === first.call.call_id ? { grant_option: option } : {})(questions[0]!)
  return Effect.gen(function* () {
    const gate = yield* ApprovalGate
    yield* gate.check(first)
    const before = questions.length
    const out: Array<boolean> = []
    for (const other of others) {
      const count = questions.length
      yield* gate.check(other)
      out.push(questions.length > count)
    }
    assert.strictEqual(before, 1)
    return out
  }).pipe(Effect.provide(layerGate({ questions, answering })))
}

describe("grants", () => {
  it.effect("exact: the whole argument object, not one field (R154, R159)", () =>
    Effect.map(
      askedAgain(bash("npm test"), "exact", [
        bash("npm test"),
        makeCheck("bash", { command: "npm test", timeout_ms: 5 }, bash("npm test").assessment),
        bash("npm test -- x"),
        bash("npm run build"),
        write()
      ]),
      (asked) => assert.deepStrictEqual(asked, [false, true, true, true, true])
    )
  )

  it.effect("command: whole words of a plain command (R154)", () =>
    Effect.map(
      askedAgain(bash("npm test"), "command", [
        bash("npm test -- src/a.ts"),
        bash("npm testify"),
        bash("npm test && npm publish"),
        bash("X=1 npm test")
      ]),
      (asked) => assert.deepStrictEqual(asked, [false, true, true, true])
    )
  )

  it.effect("directory: whole path segments (R153)", () =>
    Effect.map(
      askedAgain(write("src/a.ts"), "directory", [
        write("src/b.ts"),
        write("src/new/deep/c.ts"),
        write("src/.hidden"),
        write("srcx/a.ts"),
        write("a.ts")
      ]),
      (asked) => assert.deepStrictEqual(asked, [false, false, false, true, true])
    )
  )

  it.effect("file: this file alone, glob characters taken for themselves (R153)", () =>
    Effect.map(
      askedAgain(write("src/[ab]*.ts"), "file", [write("src/[ab]*.ts"), write("src/a.ts"), write("src/b1.ts")]),
      (asked) => assert.deepStrictEqual(asked, [false, true, true])
    )
  )

  it.effect("another session is asked (R161)", () =>
    Effect.map(askedAgain(write("src/a.ts"), "exact", [write("src/a.ts", "session-b")]), (asked) =>
      assert.deepStrictEqual(asked, [true])
    )
  )

  it.effect("expiry and revocation end it (R155, R156)", () => {
    const questions: Array<Question> = []
    return Effect.gen(function* () {
      const gate = yield* ApprovalGate
      const store = yield* GrantStore
      const check = write()
      const { grant } = yield* gate.check(check)
      assert.strictEqual((yield* gate.check(write())).via, "grant")
      assert.isTrue(yield* store.revoke(check.session_id, grant!.grant_id))
      assert.strictEqual((yield* gate.check(write())).via, "user")
      yield* TestClock.adjust("7 hours")
      assert.strictEqual((yield* gate.check(write())).via, "grant")
      yield* TestClock.adjust("1 hour")
      assert.strictEqual((yield* gate.check(write())).via, "user")
      assert.strictEqual(questions.length, 3)
    }).pipe(Effect.provide(layerGate({ questions, answering: answer("allow_session") })))
  })

  it.effect("a change of mode holds from the next check on, and beats every grant", () => {
    let mode: Mode = "ask"
    return Effect.gen(function* () {
      const gate = yield* ApprovalGate
      yield* gate.check(write())
      mode = "plan"
      assert.strictEqual((yield* gate.check(write())).rule, "mode: plan")
      assert.strictEqual((yield* gate.check(read())).decision, "allow_once")
    }).pipe(Effect.provide(layerGate({ answering: answer("allow_session"), mode: Effect.sync(() => mode) })))
  })

  it("a grant of another workspace or tool covers nothing (R152)", () => {
    const workspace = makeWorkspace()
    try {
      const grant = makeGrant(workspace.path, "prefix", ["git", "status"])
      const action = (some: typeof grant) =>
        judgeBash({ command: "git status", workspace: workspace.path, grants: [some] }).action
      assert.deepStrictEqual(
        [grant, { ...grant, workspace: `${workspace.path}-other` }, { ...grant, tool_name: "mcp_bash" }].map(action),
        ["allow", "ask", "ask"]
      )
    } finally {
      workspace.remove()
    }
  })

  it.effect.each([
    ["npm test", ["exact", "command"]],
    ["git log -3", ["exact", "command", "reads"]],
    ["python3 x.py", ["exact"]],
    ["npm test > log", ["exact"]],
    ["npm test && ls", ["exact", "command", "command:2"]],
    ["FOO=1 npm test", ["exact"]],
    ["cat ../x", ["exact"]],
    ["npm install left-pad", ["exact"]],
    ["neverheardof x", ["exact"]],
    ["gcc -c a.c", ["exact"]],
    ["setarch x86_64 ls", ["exact"]]
  ] as ReadonlyArray<readonly [string, ReadonlyArray<string>]>)(
    "%s offers %j, exact first (P5, P8)",
    ([command, ids]) => {
      const questions: Array<Question> = []
      return Effect.gen(function* () {
        yield* (yield* ApprovalGate).check(bash(command))
        assert.deepStrictEqual(
          questions[0]!.request.grant_options.map(({ id }) => id),
          ids
        )
        assert.strictEqual(questions[0]!.request.grant_options[0]!.matcher.kind, "exact")
      }).pipe(Effect.provide(layerGate({ questions })))
    }
  )

  it.effect("two workspaces of the same name's beginning stay apart", () =>
    Effect.map(
      askedAgain(write("src/a.ts"), "directory", [
        makeCheck(
          "write_file",
          {},
          { risk: "mutating", reason: "", paths: [`${WORKSPACE}-evil/src/a.ts`], opaque: false }
        )
      ]),
      (asked) => assert.deepStrictEqual(asked, [true])
    )
  )
})
