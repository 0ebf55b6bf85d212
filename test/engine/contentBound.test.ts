/**
 * A question and what runs after its answer are of one content (R137, R143; SECURITY P7, P12): a change while it is asked
 * about, or before the call begins, asks again and says so.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { ApprovalGate, CHANGED } from "../../src/approval/ApprovalGate.ts"
import { Approver, type Question, type Reply } from "../../src/approval/Approver.ts"
import * as Gate from "../../src/approval/Gate.ts"
import * as GateSettings from "../../src/approval/GateSettings.ts"
import { layerMemory } from "../../src/approval/MemoryGrants.ts"
import type { Rule } from "../../src/approval/Rules.ts"
import { checkAnswer } from "../../src/domain/Decide.ts"
import type { DurableBody } from "../../src/domain/Event.ts"
import { fold } from "../../src/domain/Fold.ts"
import type { PromptId, RequestId, SessionId, StreamId, TaskId } from "../../src/domain/Ids.ts"
import { type CallState, initial, lastCalls, pendingApprovals } from "../../src/domain/Session.ts"
import { Engine } from "../../src/engine/Engine.ts"
import { Reporter } from "../../src/engine/Reporter.ts"
import * as Tool from "../../src/tools/Tool.ts"
import { answer, call, kit, turns } from "../support/engineKit.ts"
import { plainCommand } from "../support/builtinTools.ts"

const world = () => {
  let script = "one"
  const ran: Array<string> = []
  const change = (to: string) => Effect.sync(() => void (script = to))
  const parameters = Schema.Struct({ to: Schema.optionalKey(Schema.String) })
  const edit = Tool.make({
    name: "edit",
    description: "changes the script",
    parameters,
    assess: () => Effect.succeed({ risk: "mutating", reason: "changes s.sh", paths: ["/ws/s.sh"], opaque: false }),
    run: ({ to = "" }) => Effect.as(change(to), { content: "changed" })
  })
  const sh = Tool.make({
    name: "sh",
    description: "runs the script",
    parameters,
    assess: () =>
      Effect.sync(() => {
        const commands = [{ ...plainCommand("sh s.sh"), content: script }]
        const refused = script === "evil" ? { refused: "is evil" } : {}
        const command = { source: "sh s.sh", commands, writes: [], reads: [], doubts: [], ...refused }
        return { risk: "mutating", reason: "runs sh s.sh", paths: [], opaque: true, command } as const
      }),
    run: () => Effect.sync(() => (ran.push(script), { content: "ran" }))
  })
  return { tools: [edit, sh], ran, change }
}

type World = ReturnType<typeof world>
type Answering = (question: Question, nth: number, at: World) => Effect.Effect<void>

const reply: Reply = { decision: "allow_once", via: "user" }

const setUp = Effect.fnUntraced(function* (
  calls: ReadonlyArray<ReturnType<typeof call>>,
  answering: Answering = () => Effect.void,
  rules: ReadonlyArray<Rule> = []
) {
  const at = world()
  const questions: Array<Question> = []
  const ask = (question: Question) =>
    Effect.as(
      Effect.suspend(() => answering(question, questions.push(question), at)),
      reply
    )
  const approver = Layer.succeed(Approver, Approver.of({ ask }))
  const parts = Layer.mergeAll(approver, GateSettings.layer({ workspace: "/ws", rules }), layerMemory)
  const context = yield* Layer.build(Gate.layer.pipe(Layer.provide(parts)))
  const { check } = yield* Effect.provideContext(ApprovalGate, context)
  const { layer, seen } = kit({ tools: at.tools, script: turns(answer("", calls), answer("ok")), gate: check })
  const facts = () =>
    seen.events.flatMap((event): ReadonlyArray<unknown> => {
      if (event.type === "approval_resolved") return [[event.call_id, event.decision, event.via, event.reason]]
      if (event.type === "tool_started") return [[event.call_id, "started"]]
      return event.type === "tool_result" ? [[event.call_id, event.status, event.result]] : []
    })
  return { ...at, layer, facts, reasons: () => questions.map(({ request }) => request.reason) }
})

const go = Effect.flatMap(Engine, (engine) => engine.prompt({ content: "go" }))

describe("what a call runs", () => {
  it.effect("is asked about again where it changed while it was asked about; the first answer allows nothing", () =>
    Effect.gen(function* () {
      const { facts, layer, ran, reasons } = yield* setUp([call("c1", "sh")], (_, nth, { change }) =>
        nth === 1 ? change("two") : Effect.void
      )
      yield* Effect.provide(go, layer)
      assert.deepStrictEqual(reasons(), ["runs sh s.sh", `runs sh s.sh (${CHANGED})`])
      assert.deepStrictEqual(ran, ["two"])
      assert.deepStrictEqual(facts(), [
        ["c1", "deny", "policy", "what it runs has changed since it was asked about"],
        ["c1", "allow_once", "user", "runs sh s.sh"],
        ["c1", "started"],
        ["c1", "ok", "ran"]
      ])
    }).pipe(Effect.scoped)
  )

  it.effect("is asked about again where a call before it changed it, before it begins", () =>
    Effect.gen(function* () {
      const calls = [call("c1", "edit", { to: "theirs" }), call("c2", "sh"), call("c3", "sh")]
      const { facts, layer, ran, reasons } = yield* setUp(calls)
      yield* Effect.provide(go, layer)
      const again = `runs sh s.sh (${CHANGED})`
      assert.deepStrictEqual(reasons(), ["changes s.sh", "runs sh s.sh", "runs sh s.sh", again, again])
      assert.deepStrictEqual(ran, ["theirs", "theirs"])
      assert.deepStrictEqual(
        facts().filter((fact) => JSON.stringify(fact).includes('"c2"')),
        [
          ["c2", "allow_once", "user", "runs sh s.sh"],
          ["c2", "allow_once", "user", "runs sh s.sh"],
          ["c2", "started"],
          ["c2", "ok", "ran"]
        ]
      )
    }).pipe(Effect.scoped)
  )

  it.effect("that changes with every look is not run, and not asked about for ever", () =>
    Effect.gen(function* () {
      const { facts, layer, ran, reasons } = yield* setUp([call("c1", "sh")], (_, nth, { change }) => change(`${nth}`))
      yield* Effect.provide(go, layer)
      assert.deepStrictEqual([reasons().length, ran], [4, []])
      assert.deepStrictEqual(facts().at(-1), [
        "c1",
        "denied",
        "Denied by policy: what it runs has changed since it was asked about. The call was not executed."
      ])
    }).pipe(Effect.scoped)
  )

  it.effect("is judged again where no person allowed it: what is refused by now does not run", () =>
    Effect.gen(function* () {
      const rule: Rule = { name: "sh", tool: "sh", action: "allow", matcher: { kind: "command", argv: ["sh", "s.sh"] } }
      const calls = [call("c1", "sh"), call("c2", "edit", { to: "evil" }), call("c3", "sh")]
      const { facts, layer, ran, reasons } = yield* setUp(calls, undefined, [rule])
      yield* Effect.provide(go, layer)
      assert.deepStrictEqual([reasons(), ran], [["changes s.sh"], ["one"]])
      assert.deepStrictEqual(facts().at(-1), [
        "c3",
        "denied",
        "Denied by policy: the command is evil. The call was not executed."
      ])
    }).pipe(Effect.scoped)
  )
})

const task_id = "t" as TaskId
const at = { task_id, turn: 1 }
const asked = (request_id: string, content_digest: string): DurableBody => ({
  type: "approval_request",
  ...at,
  request_id: request_id as RequestId,
  kind: "tool",
  call_id: call("c1", "sh").call_id,
  tool_name: "sh",
  content: "{}",
  risk: "mutating",
  reason: "runs sh s.sh",
  grant_options: [],
  content_digest
})
const stored: ReadonlyArray<DurableBody> = [
  { type: "task_started", task_id, prompt_id: "p" as PromptId, content: "go" },
  { type: "thinking", ...at, stream_id: "s" as StreamId, reasoning_stream_id: "s" as StreamId },
  { type: "text_completed", ...at, stream_id: "s" as StreamId, content: "", finish_reason: "tool_calls" },
  { type: "tool_call", ...at, call_id: call("c1", "sh").call_id, tool_name: "sh", content: "{}", risk: "mutating" }
]

it("a question that is asked anew is open again; the one before it can be answered no more", () => {
  const { call_id, tool_name } = call("c1", "sh")
  const allowed = { call_id, tool_name, request_id: "r1" as RequestId, decision: "allow_once", via: "user" } as const
  const facts: ReadonlyArray<DurableBody> = [
    ...stored,
    asked("r1", "one"),
    { type: "approval_resolved", ...at, ...allowed },
    asked("r2", "two")
  ]
  const state = facts.reduce(fold, initial)
  assert.deepStrictEqual(
    pendingApprovals(state).map(({ content_digest, request_id }) => [request_id, content_digest]),
    [["r2", "two"]]
  )
  const answerTo = (id: string) => checkAnswer(state, { request_id: id as RequestId, decision: "allow_once" }, 0)
  assert.deepStrictEqual([answerTo("r1"), answerTo("r2")], ["approval_already_resolved", undefined])
})

describe("after a restart", () => {
  const goOn = (digest: string, step: "run" | "check") =>
    Effect.gen(function* () {
      const { layer, ran, reasons } = yield* setUp([])
      const end = Effect.gen(function* () {
        const [engine, reporter] = [yield* Engine, yield* Reporter]
        yield* reporter.report([...stored, asked("r1", digest)])
        const [open] = lastCalls(yield* reporter.state) as [CallState]
        const place = { kind: "calls", steps: [{ do: step, call: open, attempt: 1 }] } as const
        return yield* engine.resume({ session_id: "s" as SessionId, task_id }, { place, broken: new Set() })
      })
      yield* Effect.provide(end, layer)
      return [reasons(), ran]
    }).pipe(Effect.scoped)

  it.effect("what was allowed runs while its content is what it was, and is asked about again otherwise", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* goOn("one", "run"), [[], ["one"]])
      assert.deepStrictEqual(yield* goOn("older", "run"), [[`runs sh s.sh (${CHANGED})`], ["one"]])
    })
  )

  it.effect("an answer to a question that was asked of another content allows nothing", () =>
    Effect.gen(function* () {
      const again = `runs sh s.sh (${CHANGED})`
      assert.deepStrictEqual(yield* goOn("one", "check"), [["runs sh s.sh"], ["one"]])
      assert.deepStrictEqual(yield* goOn("older", "check"), [["runs sh s.sh", again], ["one"]])
    })
  )
})
