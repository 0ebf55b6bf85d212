/**
 * Where the bodies of skills come from (SETTLED 24: declared here, provided from above). Owns: the contract only.
 * Invariant: what is read is what was judged when the session began.
 */
import { Context, type Effect } from "effect"
import type { ToolError } from "./ToolError.ts"

export interface ReadSkill {
  /** Valid Unicode. */
  readonly text: string
  /** Of the skill's directory, as commands would name it. */
  readonly path: string
  /** Texts and other files beside its `SKILL.md`, relative to its directory. */
  readonly files: ReadonlyArray<string>
}

export class SkillReader extends Context.Service<
  SkillReader,
  {
    /** None: there is nothing to read, and no tool for it. */
    readonly names: ReadonlyArray<string>
    /** The file's absolute path where it lies in the workspace, for rules about paths. */
    readonly place: (name: string, file?: string) => string | undefined
    /** The skill itself, or a text beside it. */
    readonly read: (name: string, file?: string) => Effect.Effect<ReadSkill, ToolError>
  }
>()("claw/tools/SkillReader") {}
