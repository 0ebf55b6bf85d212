/**
 * The tools that claw brings, for one session: they share its workspace and its memory of what the model has read.
 * The order is fixed: it is part of every request's first bytes (LESSONS 15).
 */
import { Effect } from "effect"
import { ProcessRunner } from "../../sandbox/ProcessRunner.ts"
import { Workspace } from "../../sandbox/Workspace.ts"
import type { SkillReader } from "../SkillReader.ts"
import type { Tool } from "../Tool.ts"
import { makeBash, type Analyse } from "./bash.ts"
import { makeEditFile } from "./editFile.ts"
import { makeFileTracker } from "./fileTracker.ts"
import { makeGlob } from "./glob.ts"
import { makeGrep } from "./grep.ts"
import { makeListDir } from "./listDir.ts"
import { type ReadGuard, unruled } from "./readGuard.ts"
import { makeReadFile } from "./readFile.ts"
import { makeReadSkill } from "./readSkill.ts"
import { makeSubagent } from "./subagent.ts"
import { makeTodo } from "./todo.ts"
import { makeWriteFile } from "./writeFile.ts"
import { makeWritePlan } from "./writePlan.ts"

export interface BuiltinOptions {
  /** `CommandAnalysis.analyse`, bound to this session's workspace. */
  readonly analyse: Analyse
  /** What this session's rules and secrets keep from tools that walk. */
  readonly guard?: ReadGuard
  /** Absent, or without a name: there is no tool for skills. */
  readonly skills?: (typeof SkillReader)["Service"]
}

interface Sandbox {
  readonly workspace: Workspace["Service"]
  readonly runner: ProcessRunner["Service"]
}

export const builtinTools = ({ runner, workspace }: Sandbox, options: BuiltinOptions): ReadonlyArray<Tool> => {
  const tracker = makeFileTracker()
  const { analyse, guard = unruled, skills } = options
  return [
    makeReadFile(workspace, tracker, guard),
    makeWriteFile(workspace, tracker),
    makeEditFile(workspace, tracker),
    makeBash({ workspace, runner, analyse, guard }),
    makeGlob(workspace, guard),
    makeGrep(workspace, { guard }),
    makeListDir(workspace, guard),
    makeTodo(),
    makeWritePlan(workspace),
    ...(skills === undefined || skills.names.length === 0 ? [] : [makeReadSkill(skills)]),
    makeSubagent()
  ]
}

export const makeBuiltinTools = Effect.fnUntraced(function* (options: BuiltinOptions) {
  return builtinTools({ workspace: yield* Workspace, runner: yield* ProcessRunner }, options)
})
