/**
 * What a tool says of the file it was asked to touch (P10, P11). The policy's input, decided on the resolved path.
 * Invariant: a path that does not resolve inside the workspace is forbidden, whatever anybody says.
 */
import { Effect } from "effect"
import type { RiskAssessment } from "../../domain/Approval.ts"
import type { Trouble } from "../../domain/Trouble.ts"
import type { Place, Workspace } from "../../sandbox/Workspace.ts"
import type { WorkspaceError } from "../../sandbox/WorkspaceError.ts"
import { ToolError } from "../ToolError.ts"
import type { ReadGuard } from "./readGuard.ts"

type Room = (typeof Workspace)["Service"]

export const refused = (risk: RiskAssessment["risk"], sentence: string): RiskAssessment => ({
  risk,
  reason: sentence,
  paths: [],
  opaque: false,
  forbidden: sentence
})

const shown = (place: Place): string => (place.relative === "" ? "the workspace" : place.relative)

export const MAY_HOLD_SECRETS = "which may hold secrets"

export const readRisk = (
  workspace: Room,
  guard: ReadGuard,
  path: string,
  verb = "reads"
): Effect.Effect<RiskAssessment> =>
  workspace.locate(path).pipe(
    Effect.map((place): RiskAssessment => {
      const plain: RiskAssessment = {
        risk: "safe",
        reason: `${verb} ${shown(place)}`,
        paths: [place.real],
        opaque: false
      }
      if (!guard.secret(place.real)) return plain
      return { ...plain, reason: `${plain.reason}, ${MAY_HOLD_SECRETS}`, alwaysAsk: true }
    }),
    Effect.catch((error) => Effect.succeed(refused("safe", error.detail)))
  )

const writeRiskOf = (place: Place): RiskAssessment => {
  const { guard } = place
  if (guard.kind === "forbidden") return refused("dangerous", `${JSON.stringify(place.path)} ${guard.why}.`)
  const reason = `${place.kind === "missing" ? "creates" : "changes"} ${shown(place)}`
  const plain: RiskAssessment = { risk: "mutating", reason, paths: [place.real], opaque: false }
  if (guard.kind === "free") return plain
  return { ...plain, risk: "dangerous", reason: `${reason}, which ${guard.why}`, alwaysAsk: true }
}

export const writeRisk = (workspace: Room, path: string): Effect.Effect<RiskAssessment> =>
  workspace.locate(path).pipe(
    Effect.map(writeRiskOf),
    Effect.catch((error) => Effect.succeed(refused("dangerous", error.detail)))
  )

export const toToolError = (error: WorkspaceError): ToolError =>
  new ToolError({
    code: error.code,
    detail: error.detail,
    ...(error.trouble === undefined ? {} : { trouble: error.trouble })
  })

export const failed = (detail: string, trouble?: Trouble): ToolError =>
  new ToolError({ code: "tool_failed", detail, ...(trouble === undefined ? {} : { trouble }) })
