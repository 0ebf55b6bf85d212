/**
 * What a session's model is told beside the conversation: put together here from configuration, trust and git. Owns no
 * logic but that mapping. Invariant: it is looked up when a session is built, and stays until it leaves memory.
 */
import { Clock, Effect, Semaphore } from "effect"
import { slashCommands } from "../cli/SlashCommands.ts"
import { nothingWritten, type WrittenByPeople } from "../cli/WrittenByPeople.ts"
import type { ConfigShape } from "../config/AppConfig.ts"
import { hookEvents } from "../config/HookSettings.ts"
import { distrusted } from "../config/HookTrust.ts"
import { standing } from "../config/WorkspaceTrust.ts"
import { commandFilesOf, memoryOf, skillFilesOf, standingOf } from "../config/WrittenForAgents.ts"
import { loadYaml, type ReadYaml } from "../context/FrontMatter.ts"
import type { MemoryFile } from "../context/MemoryFiles.ts"
import { expand, readCommands } from "../context/PromptCommands.ts"
import { readSkills, type Skills } from "../context/Skills.ts"
import * as SystemPrompt from "../context/SystemPrompt.ts"
import { look, type RepositoryState } from "../sandbox/checkpoints/RepositoryLook.ts"
import type { Finding } from "./finding.ts"
import { nameOf } from "./hookReply.ts"

export interface Told {
  readonly memory: ReadonlyArray<MemoryFile>
  readonly skills: Skills
}

/** A server's sessions may work where nobody was asked: it is in the log. */
const notedElsewhere = ({ state_dir, trust }: ConfigShape, workspace: string) =>
  Effect.suspend(() => {
    if (trust.workspace === workspace) return Effect.void
    const { status } = standing({ state_dir, workspace })
    return status === "empty" || status === "trusted"
      ? Effect.void
      : Effect.logWarning("What this workspace brings along is not trusted, and not used.", { workspace, status })
  })

export const toldIn = Effect.fnUntraced(function* (config: ConfigShape, root: string) {
  yield* notedElsewhere(config, root)
  const here = standingOf(config, root)
  const sources = skillFilesOf(config, here)
  const skills = sources.length === 0 ? { skills: [], bad: [] } : readSkills(sources, yield* Effect.promise(loadYaml))
  return { memory: memoryOf(config, here), skills } satisfies Told
})

/** Of one workspace at a time. */
export type Looks = (workspace: string) => Effect.Effect<RepositoryState | undefined>

const FRESH_MS = 10_000
const MOST_KEPT = 100

/** Many sessions that begin in one workspace at once are one question to git. */
export const makeLooks = ({ childEnvironment }: ConfigShape): Looks => {
  const known = new Map<string, ReturnType<Looks>>()
  const one = (workspace: string): ReturnType<Looks> => {
    const turn = Semaphore.makeUnsafe(1)
    let kept: { readonly at: number; readonly state: RepositoryState | undefined } | undefined
    const fresh = Effect.flatMap(Clock.currentTimeMillis, (now) => {
      if (kept !== undefined && now - kept.at < FRESH_MS) return Effect.succeed(kept.state)
      return Effect.tap(look({ workspace, path: childEnvironment["PATH"] ?? "" }), (state) =>
        Effect.sync(() => void (kept = { at: now, state }))
      )
    })
    return turn.withPermits(1)(fresh)
  }
  return (workspace) => {
    if (known.size >= MOST_KEPT) known.clear()
    const found = known.get(workspace) ?? one(workspace)
    known.set(workspace, found)
    return found
  }
}

export const systemPrompt = (
  { language }: ConfigShape,
  root: string,
  { memory, skills: { skills } }: Told,
  looks: Looks,
  mask: (text: string) => string
) =>
  SystemPrompt.make({
    workspace: root,
    platform: process.platform,
    date: new Date().toLocaleDateString("sv-SE"),
    memory,
    skills,
    repository: looks(root),
    mask,
    ...(language === undefined ? {} : { language })
  })

const taken: ReadonlySet<string> = new Set(slashCommands.map(({ name }) => name))

/** The prompts among these files, and what could not be taken. */
const promptsOf = (files: ReturnType<typeof commandFilesOf>, readYaml: ReadYaml) => {
  const { bad, commands } = readCommands(files, taken, readYaml)
  return { bad, prompts: commands.map((command) => ({ ...command, fill: (words: string) => expand(command, words) })) }
}

/** For the terminal: what people wrote that has a name, where claw was started. */
export const writtenHere = Effect.fnUntraced(function* (config: ConfigShape) {
  const here = standingOf(config, config.trust.workspace)
  const [skillFiles, commandFiles] = [skillFilesOf(config, here), commandFilesOf(config, here)]
  if (skillFiles.length + commandFiles.length === 0) return nothingWritten
  const readYaml = yield* Effect.promise(loadYaml)
  const skills = readSkills(skillFiles, readYaml)
  const { bad, prompts } = promptsOf(commandFiles, readYaml)
  return { prompts, skills: skills.skills, bad: [...skills.bad, ...bad] } satisfies WrittenByPeople
})

/** For a server: the prompts of a session's workspace, as it is trusted now, and the person's own. */
export const promptsIn = Effect.fnUntraced(function* (config: ConfigShape, workspace: string) {
  const files = commandFilesOf(config, standingOf(config, workspace))
  return files.length === 0 ? [] : promptsOf(files, yield* Effect.promise(loadYaml)).prompts
})

/** Hooks of the workspace that would not be run. */
const distrustedHooks = (config: ConfigShape): ReadonlyArray<Finding> => {
  const { childEnvironment, hooks } = config
  return hookEvents.flatMap((event) =>
    hooks[event].flatMap((hook): ReadonlyArray<Finding> => {
      if (hook.tier !== "workspace") return []
      const why = distrusted(config, hook.command, childEnvironment["PATH"] ?? "")
      return why === undefined ? [] : [{ name: "hooks", status: "problem", detail: `${nameOf(hook)} ${why}` }]
    })
  )
}

/** What is told here, for `claw doctor`. */
export const toldFindings = Effect.fnUntraced(function* (config: ConfigShape) {
  const { bad, prompts, skills } = yield* writtenHere(config)
  const memory = memoryOf(config, config.trust)
  const files = memory.map(({ path, text }) => `${path} (${text.length} characters)`).join(", ")
  const listed = (all: ReadonlyArray<{ readonly name: string }>) => all.map(({ name }) => name).join(", ")
  const ok = (detail: string): Finding => ({ name: "told", status: "ok", detail })
  const hooks = hookEvents.flatMap((event) => config.hooks[event].map(nameOf)).join(", ")
  return [
    ...(memory.length === 0 ? [] : [ok(`the model is told what stands in ${files}`)]),
    ...(skills.length === 0 ? [] : [ok(`the model may read the skills ${listed(skills)}`)]),
    ...(prompts.length === 0 ? [] : [ok(`prompts by name: ${listed(prompts)}`)]),
    ...(hooks === "" ? [] : [{ name: "hooks", status: "ok", detail: hooks } as const]),
    ...distrustedHooks(config),
    ...bad.map(({ path, why }): Finding => ({ name: "told", status: "note", detail: `${path} is not taken: ${why}` }))
  ]
})
