/**
 * What a command can reach here, as a fact: approval decides what is asked, isolation what is possible (SECURITY §1).
 * Owns: the shape of the report and the case without isolation. Does not own: how it is made (`bubblewrap/`).
 * Invariant: `in_force` is said only after every escape was really tried on this machine, and held.
 */
import { Context, Effect, Layer } from "effect"

/** One way out that was tried. */
export interface Attempt {
  readonly name: string
  readonly held: boolean
}

export interface IsolationReport {
  /** `required`: it was asked for and is not there, so that no command runs. */
  readonly state: "in_force" | "off" | "unavailable" | "required"
  /** One sentence: what is around a command, or why nothing is. */
  readonly detail: string
  /** Empty where nothing could be tried. */
  readonly attempts: ReadonlyArray<Attempt>
}

export class Isolation extends Context.Service<
  Isolation,
  {
    /** Tried once in this process, when somebody first asks or the first command comes. */
    readonly report: Effect.Effect<IsolationReport>
  }
>()("claw/sandbox/Isolation") {}

/** As the configuration gives them. */
export interface IsolationSettings {
  /** `auto`: where it works; `required`: or nothing runs; `off`: never. */
  readonly mode: "auto" | "required" | "off"
  readonly network: boolean
  /** Hosts that a command without network reaches all the same, by HTTP. */
  readonly hosts: ReadonlyArray<string>
  /** Absolute. Hidden paths that may be read all the same. */
  readonly read: ReadonlyArray<string>
  /** Absolute. Paths outside the workspace that may be written. */
  readonly write: ReadonlyArray<string>
  readonly processes: number
  /** Of a call, with its temporary files and shared memory; 0: no limit. */
  readonly memory_mb: number
  /** Largest file; 0: no limit. */
  readonly file_mb: number
}

export const PROCESS_ONLY = "Commands run as you, in their own process group, without claw's keys; "

/** The process-only driver: the sentence says what that is. */
export const layerOff = (why: string): Layer.Layer<Isolation> =>
  Layer.succeed(
    Isolation,
    Isolation.of({ report: Effect.succeed({ state: "off", detail: `${PROCESS_ONLY}${why}.`, attempts: [] }) })
  )
