/**
 * The real gate over a scripted person. Owns: calls and assessments for tests, an approver that answers from a function
 * and counts its questions.
 */
import { Effect, Layer } from "effect"
import type { Check, Mode } from "../../src/approval/ApprovalGate.ts"
import { Approver, type ApprovalRequired, type Question, type Reply } from "../../src/approval/Approver.ts"
import * as Gate from "../../src/approval/Gate.ts"
import * as GateSettings from "../../src/approval/GateSettings.ts"
import type { GrantStore } from "../../src/approval/GrantStore.ts"
import { layerMemory } from "../../src/approval/MemoryGrants.ts"
import { digestOf } from "../../src/approval/matching.ts"
import type { RiskAssessment } from "../../src/domain/Approval.ts"
import type { CallId, SessionId, TaskId } from "../../src/domain/Ids.ts"
import { analyse } from "../../src/sandbox/CommandAnalysis.ts"

export const WORKSPACE = "/nowhere/ws"

const file = (risk: "safe" | "mutating", path: string, more: Partial<RiskAssessment> = {}): RiskAssessment => ({
  risk,
  reason: `touches ${path}`,
  paths: [`${WORKSPACE}/${path}`],
  opaque: false,
  ...more
})

const assessBash = (command: string): RiskAssessment => ({
  risk: "dangerous",
  reason: "runs a shell command",
  paths: [],
  opaque: true,
  command: analyse(command, { workspace: WORKSPACE, home: "/home/someone" })
})

let calls = 0

export const makeCheck = (
  tool_name: string,
  args: object,
  assessment: RiskAssessment,
  session = "session-a"
): Check => {
  calls += 1
  return {
    session_id: session as SessionId,
    task_id: "task_1" as TaskId,
    turn: 1,
    call: { call_id: `call_${calls}` as CallId, tool_name, arguments: JSON.stringify(args) },
    digest: digestOf(tool_name, args),
    assessment,
    preview: Effect.succeed(undefined)
  }
}

export const read = (path = "src/a.ts", session?: string) =>
  makeCheck("read_file", { path }, file("safe", path), session)
export const write = (path = "src/a.ts", session?: string) =>
  makeCheck("write_file", { path, content: "x" }, file("mutating", path), session)
export const guarded = (path = "package.json") =>
  makeCheck("write_file", { path, content: "x" }, file("mutating", path, { alwaysAsk: true }))
export const forbidden = (path = ".git/config") =>
  makeCheck("write_file", { path, content: "x" }, file("mutating", path, { forbidden: `${path} is never written` }))
export const bash = (command: string, session?: string) => makeCheck("bash", { command }, assessBash(command), session)

export type Answering = (question: Question) => Effect.Effect<Reply, ApprovalRequired>

export const answer =
  (decision: Reply["decision"], more: Partial<Reply> = {}): Answering =>
  () =>
    Effect.succeed({ decision, via: "user", ...more })

export interface Setup extends Partial<GateSettings.Options> {
  readonly mode?: Mode | Effect.Effect<Mode>
  readonly answering?: Answering
  readonly questions?: Array<Question>
  readonly store?: Layer.Layer<GrantStore>
}

/** ApprovalGate, GateSettings and GrantStore. */
export const layerGate = ({ answering = answer("deny"), questions, store = layerMemory, ...options }: Setup = {}) => {
  const approver = Layer.succeed(
    Approver,
    Approver.of({
      ask: (question) => Effect.suspend(() => (questions?.push(question), answering(question)))
    })
  )
  const settings = GateSettings.layer({ workspace: WORKSPACE, ...options })
  return Gate.layer.pipe(Layer.provide(approver), Layer.provideMerge(Layer.merge(settings, store)))
}
