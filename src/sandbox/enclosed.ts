/**
 * A program with isolation around it, as a driver hands it to the runner, and what it says when the call is over.
 * Owns: these shapes.
 */
import type { Effect } from "effect"

/** A program with isolation around it. */
export interface Enclosed {
  readonly argv: ReadonlyArray<string>
  /**
   * A supervisor inside says on descriptor 3 when the program begins and how it ends (`supervision.ts`); what is
   * around it ignores TERM and ends when nothing is left inside.
   */
  readonly supervised: boolean
  /** A file that what is around the program reads from descriptor 4. */
  readonly input?: string
  /** The leader's process id, before anything of it runs. */
  readonly admit?: (pid: number) => void
  /** What is said of each. */
  readonly limits?: Limits
  /** When no process of the call lives; also when it could not be started. */
  readonly end?: Effect.Effect<Over>
}

/** Why a call is ended for what it does; a name that stays. */
export type Limit = "memory_limit" | "process_limit" | "git_settings"
export type Limits = Readonly<Record<Limit, string>>

/** A host that a command asked for, where it reaches listed ones alone. */
export interface Visit {
  readonly host: string
  readonly port: number
  readonly times: number
  /** Why it did not get there; absent: it was let through. */
  readonly refused?: "not_listed" | "private_address" | "not_found"
}

/** What there is to say when a call is over. */
export interface Over {
  readonly notes: ReadonlyArray<string>
  readonly visits?: ReadonlyArray<Visit>
  /** It, or a process of it, was ended for that. */
  readonly over?: Limit
}
