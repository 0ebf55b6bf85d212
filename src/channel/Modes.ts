/**
 * Which mode somebody may set (SECURITY, R273). Owns: the one rule, for connections and HTTP alike.
 * Invariants: who may not answer a question may not make it go unasked either; `bypass` comes from whoever starts the
 * process, and from nobody who connects to it.
 */
import { Effect } from "effect"
import type { Mode } from "../approval/ApprovalGate.ts"
import { may, type Principal } from "../domain/Principal.ts"
import { RuntimeError } from "../runtime/RuntimeError.ts"

/** What passes without anybody being asked: nothing, edits of files, everything. */
const freedom: Readonly<Record<Mode, number>> = { plan: 0, "never-ask": 0, ask: 0, "accept-edits": 1, bypass: 2 }

/** Whether `wanted` may stand where `now` does. */
export const maySet = (principal: Principal, now: Mode, wanted: Mode): boolean =>
  freedom[wanted] <= freedom[now] || (wanted !== "bypass" && may(principal, "approve"))

/** `wanted`, in place of `now`; absent: as it is. `forbidden` where that lets more pass and is not for this principal. */
export const modeFor = (principal: Principal, now: Mode, wanted: Mode = now): Effect.Effect<Mode, RuntimeError> =>
  maySet(principal, now, wanted) ? Effect.succeed(wanted) : Effect.fail(new RuntimeError({ code: "forbidden" }))
