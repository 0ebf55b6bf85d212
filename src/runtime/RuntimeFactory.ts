/**
 * How the parts of one session are put together (R067–R069). Owns: the tag; `app` provides the one that knows every
 * implementation. Invariant: provider and process-wide limits are shared, everything else belongs to one session.
 */
import { Context, type Effect, type Scope } from "effect"
import type { Mode } from "../approval/ApprovalGate.ts"
import type { Approver } from "../approval/Approver.ts"
import type { OwnedGrants } from "../approval/GrantStore.ts"
import type { Caps } from "../engine/EngineLimits.ts"
import type { Engine } from "../engine/Engine.ts"
import type { Reporter } from "../engine/Reporter.ts"
import type { Checkpoints } from "../sandbox/Checkpoints.ts"
import type { SessionMeta } from "../store/SessionIndex.ts"
import type { RuntimeError } from "./RuntimeError.ts"
import type { BeginsWith } from "./statusOf.ts"

/** What the runtime gives: its own reporter and approver, and the mode as it is at each check. */
export interface Seed {
  readonly meta: SessionMeta
  readonly reporter: Reporter["Service"]
  readonly approver: Approver["Service"]
  readonly mode: Effect.Effect<Mode>
  /** Hooks that were told of the end of the session's task before, by a process that did not live to store it. */
  readonly hooksTold: () => ReadonlySet<string>
}

export interface Parts {
  readonly engine: Engine["Service"]
  /** Of the session's owner. */
  readonly grants: OwnedGrants
  /** The model that tasks use where the session names none. */
  readonly model: string
  /** The mode of a session that names none. */
  readonly mode: Mode
  /** Names of the tools that there are; absent: any. */
  readonly tools?: ReadonlySet<string>
  /** Absent: nothing can be taken back. */
  readonly checkpoints?: Checkpoints["Service"]
  /** Limits that a task begins with where nobody set others; absent: none. */
  readonly limits?: BeginsWith
  /** What of these limits holds here; `within`: of somebody who may set none that is looser than ours. Absent: all. */
  readonly capped?: (caps: Caps, within?: boolean) => Caps
  /** Whether a session may be given this mode here; absent: any. */
  readonly allowsMode?: (mode: Mode) => Effect.Effect<boolean>
}

export class RuntimeFactory extends Context.Service<
  RuntimeFactory,
  {
    /** Lives as long as the scope; fails with `workspace_unreadable` or a configuration's own code. */
    readonly build: (seed: Seed) => Effect.Effect<Parts, RuntimeError, Scope.Scope>
  }
>()("claw/runtime/RuntimeFactory") {}
