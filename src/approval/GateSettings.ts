/**
 * What the gate goes by in one session. Owns: the mode, which a person may change while a task runs, and fixed values
 * beside it. Invariant: each check reads the mode that is in force when it begins.
 */
import { Context, Effect, Layer } from "effect"
import type { Mode } from "./ApprovalGate.ts"
import type { Rule } from "./Rules.ts"

export const DEFAULT_APPROVAL_TIMEOUT_MS = 15 * 60_000
/** A grant's life (SETTLED 18). */
export const GRANT_TTL_MS = 8 * 3_600_000

export class GateSettings extends Context.Service<
  GateSettings,
  {
    readonly mode: Effect.Effect<Mode>
    /** From the user and the operator; a workspace's own may only add deny and ask. */
    readonly rules: ReadonlyArray<Rule>
    /** Absolute real path. */
    readonly workspace: string
    /** Which directory that path leads to now; a grant holds for the same one only (SECURITY T3). */
    readonly workspaceId: Effect.Effect<string | undefined>
    readonly approvalTimeoutMs: number
    readonly grantTtlMs: number
  }
>()("claw/approval/GateSettings") {}

export interface Options {
  readonly workspace: string
  /** Default: not known, and not compared. */
  readonly workspaceId?: Effect.Effect<string | undefined>
  /** Default `ask`; an effect where a person may change it. */
  readonly mode?: Mode | Effect.Effect<Mode>
  readonly rules?: ReadonlyArray<Rule>
  readonly approvalTimeoutMs?: number
  readonly grantTtlMs?: number
}

export const make = (options: Options) =>
  GateSettings.of({
    mode: typeof options.mode === "object" ? options.mode : Effect.succeed(options.mode ?? "ask"),
    rules: options.rules ?? [],
    workspace: options.workspace,
    workspaceId: options.workspaceId ?? Effect.undefined,
    approvalTimeoutMs: options.approvalTimeoutMs ?? DEFAULT_APPROVAL_TIMEOUT_MS,
    grantTtlMs: options.grantTtlMs ?? GRANT_TTL_MS
  })

export const layer = (options: Options) => Layer.succeed(GateSettings, make(options))
