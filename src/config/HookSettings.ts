/**
 * Programs that are asked or told when something happens (issue 7). Owns: their settings, and that those of all files
 * add up, each with the tier it came from. Does not own: what they are asked, and what their word does (engine/Hooks).
 * Invariant: a hook of a lower tier takes none of a higher one away.
 */
import { basename, isAbsolute } from "node:path"
import { Result, Schema } from "effect"
import { ConfigError } from "./ConfigError.ts"
import { int, key, text } from "./schemaParts.ts"

/** Before something: a guard, which may refuse it. After something: told of it. */
export const hookEvents = ["before_tool", "after_tool", "before_prompt", "after_task"] as const
export type HookEvent = (typeof hookEvents)[number]

export const HOOK_TIMEOUT_MS = 10_000

export const Hook = Schema.Struct({
  match: key(
    Schema.String.check(
      Schema.isPattern(/^[\w*-]+(?:\|[\w*-]+)*$/, {
        message: "Expected names of tools, with * for any part, | between them"
      })
    ),
    "Names of tools, `*` for any part of one, `|` between them; absent: every tool. Of no meaning for prompts and tasks."
  ),
  command: Schema.NonEmptyArray(text).annotate({
    description: "Program and its arguments, without a shell: gets JSON on standard input and answers with JSON."
  }),
  timeout_ms: int(1, 600_000, HOOK_TIMEOUT_MS, "Milliseconds it may take; a guard that takes longer refuses.")
})
export type Hook = typeof Hook.Type

const of = (description: string) => key(Schema.Array(Hook).check(Schema.isMaxLength(50)), description)

export const Hooks = Schema.Struct({
  before_tool: of("Asked before each call: may refuse it, have it asked about, or add to what the model reads."),
  after_tool: of("Told of each call's end: may add to what the model reads."),
  before_prompt: of("Asked before the model reads a prompt: may refuse it, or add to it."),
  after_task: of("Told of a task's end.")
})
export type Hooks = typeof Hooks.Type

/** `where`: the file; `key`: the hook's place in it, `hooks.before_tool[0]`. */
export interface TieredHook extends Hook {
  readonly tier: "operator" | "user" | "workspace"
  readonly where: string
  readonly key: string
}

export type AllHooks = { readonly [E in HookEvent]: ReadonlyArray<TieredHook> }

export const noHooks: AllHooks = { before_tool: [], after_tool: [], before_prompt: [], after_task: [] }

/** Where a repository's own programs for hooks lie: what is in it is trusted with its settings. */
export const HOOK_PROGRAMS = ".claw/hooks"

/** These run the file that they are given first, and let no other file of the directory they stand in decide what runs. */
const interpreters: ReadonlySet<string> = new Set("sh bash dash ksh zsh node perl python python3 ruby".split(" "))

export const isOwnProgram = (path: string): boolean =>
  path.startsWith(`${HOOK_PROGRAMS}/`) && !path.split("/").includes("..")

/**
 * It is run in whatever directory claw works in, so a path in it may be none of somebody else's. Of a workspace's hook
 * all that decides what runs has to be part of what is trusted, which a package's scripts or a makefile are not.
 */
const mistake = ([program, script]: Hook["command"], tier: TieredHook["tier"]): string | undefined => {
  const ofTheMachine = !program.includes("/") || isAbsolute(program)
  if (tier !== "workspace") return ofTheMachine ? undefined : "must name its program in full, or by a name on PATH."
  if (isOwnProgram(program)) return undefined
  const interpreted = ofTheMachine && interpreters.has(basename(program))
  if (interpreted && script !== undefined && isOwnProgram(script)) return undefined
  return `must run a program in ${HOOK_PROGRAMS}/, by itself or as what ${[...interpreters].join(", ")} are given first: nothing else of a workspace's programs is looked at again before it runs. Put the command into a file there.`
}

/** Fails at the first hook whose program could be another one than was meant. */
export const checkHooks = <F extends Source["file"]>(
  file: F,
  where: string,
  tier: TieredHook["tier"]
): Result.Result<F, ConfigError> => {
  for (const event of hookEvents)
    for (const [at, { command }] of (file.hooks?.[event] ?? []).entries()) {
      const detail = mistake(command, tier)
      const key = `hooks.${event}[${at}]`
      if (detail !== undefined) return Result.fail(new ConfigError({ where, key, detail: `the hook ${key} ${detail}` }))
    }
  return Result.succeed(file)
}

interface Source {
  readonly tier: TieredHook["tier"]
  readonly file: { readonly hooks?: Hooks }
  readonly path: string
}

export const allHooks = (files: ReadonlyArray<Source>): AllHooks => {
  const of = (event: HookEvent): ReadonlyArray<TieredHook> =>
    files.flatMap(({ file, path, tier }) =>
      (file.hooks?.[event] ?? []).map((hook, at) => ({ ...hook, tier, where: path, key: `hooks.${event}[${at}]` }))
    )
  return {
    before_tool: of("before_tool"),
    after_tool: of("after_tool"),
    before_prompt: of("before_prompt"),
    after_task: of("after_task")
  }
}
