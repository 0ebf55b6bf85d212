/**
 * A person's session over scripted tool calls: the real gate, grants, tools and processes, and how often the person was
 * asked. Owns: the repository of a small project, an npm that starts at once, the person who answers `s` each time.
 */
import { execFileSync } from "node:child_process"
import { chmodSync } from "node:fs"
import { join } from "node:path"
import { Effect, Layer } from "effect"
import { ApprovalGate, type Mode } from "../../src/approval/ApprovalGate.ts"
import { Approver, type Question } from "../../src/approval/Approver.ts"
import * as Gate from "../../src/approval/Gate.ts"
import * as GateSettings from "../../src/approval/GateSettings.ts"
import { GrantStore } from "../../src/approval/GrantStore.ts"
import { layerMemory } from "../../src/approval/MemoryGrants.ts"
import { newTaskId, type SessionId } from "../../src/domain/Ids.ts"
import * as CommandAnalysis from "../../src/sandbox/CommandAnalysis.ts"
import { ProcessRunner } from "../../src/sandbox/ProcessRunner.ts"
import * as Workspace from "../../src/sandbox/Workspace.ts"
import { makeBuiltinTools } from "../../src/tools/builtin/BuiltinTools.ts"
import * as ToolRegistry from "../../src/tools/ToolRegistry.ts"
import { contextFor, toolCall } from "./builtinTools.ts"
import { directoryWith } from "./directories.ts"
import { runnerOf } from "./processes.ts"

export type Call = readonly [tool: string, args: object]

export const bash = (command: string): Call => ["bash", { command }]

/** What `s` is followed by: the first, exact grant, or the widest that is offered. */
export type Choice = "exact" | "widest"

const session_id = "session_asked" as SessionId

const PROJECT = {
  "README.md": "# sums\n\nAdds numbers.\n",
  "package.json": '{"name":"sums","scripts":{"test":"node test/sum.js","lint":"node lint.js"}}\n',
  "lint.js": "process.exitCode = 0\n",
  "src/sum.js": "export const sum = (a, b) => a - b\n",
  "src/index.js": 'export { sum } from "./sum.js"\n',
  "src/twice.js": 'import { sum } from "./sum.js"\nexport const twice = (a) => sum(a, a)\n',
  "test/sum.js": 'import("../src/sum.js").then(({ sum }) => process.exit(sum(1, 1) === 2 ? 0 : 1))\n',
  "docs/use.md": "sum(1, 2)\n"
}

/** The scripts of the project above without npm's own start, which takes seconds. */
const programs = Effect.tap(
  directoryWith({ npm: '#!/bin/sh\ncase "$*" in *lint*) node lint.js ;; *) node test/sum.js ;; esac\n' }),
  (path) => Effect.sync(() => chmodSync(join(path, "npm"), 0o755))
)

const project = Effect.tap(directoryWith(PROJECT), (path) =>
  Effect.sync(() => {
    const git = (...args: ReadonlyArray<string>) => execFileSync("git", args, { cwd: path })
    git("init", "-q")
    git("config", "user.name", "t")
    git("config", "user.email", "t@localhost")
    git("add", "-A")
    git("commit", "-qm", "start")
  })
)

const person = (questions: Array<Question>, choice: Choice) =>
  Layer.succeed(
    Approver,
    Approver.of({
      ask: (question) =>
        Effect.sync(() => {
          questions.push(question)
          const option = question.request.grant_options.at(choice === "exact" ? 0 : -1)
          return {
            decision: "allow_session",
            via: "user",
            ...(option === undefined ? {} : { grant_option: option.id })
          } as const
        })
    })
  )

const one = Effect.fnUntraced(function* ([tool, args]: Call) {
  const [registry, gate, store] = [yield* ToolRegistry.ToolRegistry, yield* ApprovalGate, yield* GrantStore]
  const resolved = yield* Effect.fromResult(registry.resolve(toolCall(tool, args)))
  const verdict = yield* gate.check({
    session_id,
    task_id: newTaskId(),
    turn: 1,
    call: resolved.call,
    digest: resolved.digest,
    assessment: yield* resolved.tool.assess(resolved.args),
    preview: resolved.tool.preview(resolved.args)
  })
  if (verdict.permit === undefined) return yield* Effect.die(new Error(`${JSON.stringify(args)}: ${verdict.reason}`))
  if (verdict.grant !== undefined) yield* store.save(session_id, verdict.grant)
  return yield* registry.execute(resolved, verdict.permit, contextFor(resolved))
})

/** What was asked about, call by call, as the person saw it. */
export const asked = Effect.fnUntraced(function* (calls: ReadonlyArray<Call>, mode: Mode, choice: Choice) {
  const [workspace, bin] = [yield* project, yield* programs]
  const path = `${bin}:${process.env["PATH"] ?? ""}`
  const runner = yield* runnerOf({ environment: { PATH: path, HOME: "/tmp" } })
  const questions: Array<Question> = []
  const analyse = (source: string) => CommandAnalysis.analyse(source, { workspace, path, home: "/tmp" })
  const registry = Layer.effect(ToolRegistry.ToolRegistry, Effect.map(makeBuiltinTools({ analyse }), ToolRegistry.make))
  const gate = Gate.layer.pipe(
    Layer.provide([person(questions, choice), GateSettings.layer({ workspace, mode })]),
    Layer.provideMerge(layerMemory)
  )
  const context = yield* Layer.build(
    Layer.merge(
      gate,
      registry.pipe(Layer.provide([Workspace.layer({ root: workspace }), Layer.succeed(ProcessRunner, runner)]))
    )
  )
  yield* Effect.forEach(calls, (call) => Effect.provideContext(one(call), context), { discard: true })
  return questions.map(({ request }) => request)
})
