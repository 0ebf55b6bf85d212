/**
 * Hooks as programs: JSON in, JSON out. Owns: who is run for what, in which order, and what a guard that fails says.
 * Does not own: the form of an answer (hookReply), what an opinion does (engine), running (ProcessRunner).
 * Invariants: a guard that fails, takes too long or says what is not understood refuses, by its name; the first refusal
 * ends the asking; interrupting it leaves no process, and what a killed claw leaves of one is ended where its session goes
 * on. A hook of the person's own runs as they do, one of a workspace in whatever isolation is in force; neither gets a secret.
 */
import { randomUUID } from "node:crypto"
import { Context, Effect, Layer, Result } from "effect"
import type { ConfigShape } from "../config/AppConfig.ts"
import {
  type AllHooks,
  type Hook,
  HOOK_TIMEOUT_MS,
  type HookEvent,
  hookEvents,
  type TieredHook
} from "../config/HookSettings.ts"
import { distrusted } from "../config/HookTrust.ts"
import { hookNote } from "../domain/HookName.ts"
import type { CallId, TaskId } from "../domain/Ids.ts"
import { type CallAbout, type HooksShape, none, type Opinion, type TaskAbout } from "../engine/Hooks.ts"
import type { Reporter } from "../engine/Reporter.ts"
import * as Runner from "../sandbox/ProcessRunner.ts"
import { isFor, isGuard, nameOf, type Reply, replyOf } from "./hookReply.ts"

/** For hooks of the person's own and the operator's, and for a workspace's. */
export type Runners = Readonly<Record<"own" | "workspace", Runner.ProcessRunner["Service"]>>

interface HookParts {
  readonly hooks: AllHooks
  /** Absolute. */
  readonly workspace: string
  readonly runners: Runners
  readonly mask: (text: string) => string
  /** Why a workspace's hook is not what was trusted, looked at now. */
  readonly distrusts: (command: Hook["command"]) => string | undefined
  readonly reporter: Reporter["Service"]
  /** Which were told of the end of this task before, by a process that was ended meanwhile. */
  readonly hooksTold: () => ReadonlySet<string>
  /** Of which a task was told already that they failed. */
  readonly told: Set<string>
}

interface Said extends Reply {
  readonly name: string
  /** It did not do its work: the end of a sentence. */
  readonly failed?: string
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text.trim() === "" ? "{}" : text)
  } catch {
    return text
  }
}

/** What it is told of; it gets all of the object. */
type About = TaskAbout & { readonly call_id?: CallId; readonly status?: string; readonly result?: string }

/** Stored before it begins, so that it is ended also where this process dies; and that it has ended. */
const recorded = ({ reporter }: HookParts, task_id: TaskId, mark: string, after_task: string | undefined) => {
  let begun = false
  return {
    processStarted: (pid: number, start_time: string) => {
      begun = true
      const ends = after_task === undefined ? {} : { after_task }
      return Effect.asVoid(reporter.report([{ type: "hook_started", task_id, mark, pid, start_time, ...ends }]))
    },
    ended: Effect.sync(() => (begun ? reporter.later([{ type: "hook_ended", task_id, mark }]) : undefined))
  }
}

/** Whether it did all of its work nobody knows, and it may be a message to people: it is not sent twice. */
const TOLD = "was running when claw was ended, and is not run again"

/** One program's word. */
const asked = (parts: HookParts, event: HookEvent, hook: TieredHook, about: About): Effect.Effect<Said> => {
  const { command, tier, timeout_ms = HOOK_TIMEOUT_MS } = hook
  const name = nameOf(hook)
  const { distrusts, hooksTold, mask, runners, workspace } = parts
  const failed = (why: string): Said => ({ name, failed: mask(why) })
  const distrust = tier === "workspace" ? distrusts(command) : undefined
  if (distrust !== undefined) return Effect.succeed(failed(distrust))
  if (event === "after_task" && hooksTold().has(name)) return Effect.succeed(failed(TOLD))
  const id = `claw-hook-${randomUUID()}`
  const { ended, processStarted } = recorded(parts, about.task_id, id, event === "after_task" ? name : undefined)
  const stdin = `${mask(JSON.stringify({ v: 1, event, workspace, ...about }))}\n`
  return runners[tier === "workspace" ? "workspace" : "own"]
    .run({ id, command: { argv: command }, cwd: workspace, timeout_ms, merge: false, stdin, processStarted })
    .pipe(
      Effect.ensuring(ended),
      Effect.map((result) =>
        Result.match(replyOf(result, timeout_ms), {
          onSuccess: (reply): Said => ({ ...reply, name }),
          onFailure: failed
        })
      ),
      Effect.catchTag("ProcessError", ({ message }) => Effect.succeed(failed(`could not be run: ${message}`)))
    )
}

/** A guard that fails refuses, and says so; of another one somebody has to be told. */
const consult = Effect.fnUntraced(function* (parts: HookParts, event: HookEvent, hook: TieredHook, about: About) {
  const said = yield* asked(parts, event, hook, about)
  const { failed, name } = said
  if (failed === undefined) return said
  yield* Effect.logWarning("A hook failed.", { why: `${name} ${failed}` })
  const { call_id, task_id } = about
  const key = `${task_id} ${name}`
  if ((event === "after_tool" || event === "after_task") && !parts.told.has(key)) {
    parts.told.add(key)
    const call = call_id === undefined ? {} : { call_id }
    parts.reporter.later([{ type: "hook_failed", task_id, event, hook: name, reason: failed, ...call }])
  }
  return said
})

/** In order, until one refuses. */
const consultAll = Effect.fnUntraced(function* (parts: HookParts, event: HookEvent, about: About, tool?: string) {
  const all: Array<Said> = []
  for (const hook of parts.hooks[event]) {
    if (!isFor(hook, tool)) continue
    const said = yield* consult(parts, event, hook, about)
    all.push(said)
    if (isGuard(event) && (said.failed !== undefined || said.decision === "deny")) return all
  }
  return all
})

const noted = ({ context, name }: Said): ReadonlyArray<string> =>
  context === undefined ? [] : [hookNote(name, context)]

const opinionOf = (all: ReadonlyArray<Said>): Opinion => {
  const notes = all.flatMap(noted)
  const context = notes.length === 0 ? {} : { context: notes.join("\n\n") }
  const broken = all.find(({ failed }) => failed !== undefined)
  if (broken?.failed !== undefined)
    return { decision: "deny", by: broken.name, reason: `${broken.name} ${broken.failed}` }
  const decided = all.find(({ decision }) => decision === "deny") ?? all.find(({ decision }) => decision === "ask")
  if (decided === undefined || decided.decision === "allow") return context
  const { decision, name, reason = "it gave no reason" } = decided
  return { ...context, ...(decision === undefined ? {} : { decision }), by: name, reason: `${name}: ${reason}` }
}

const ofCall = ({ arguments: args, ...rest }: CallAbout) => ({ ...rest, arguments: parsed(args) })

const commandHooks = (parts: HookParts): HooksShape => ({
  hears: (tool) => parts.hooks.after_tool.some((hook) => isFor(hook, tool)),
  beforeTool: (about) => Effect.map(consultAll(parts, "before_tool", ofCall(about), about.tool_name), opinionOf),
  afterTool: ({ result, status, ...about }) =>
    Effect.map(consultAll(parts, "after_tool", { ...ofCall(about), status, result }, about.tool_name), (all) => {
      const notes = all.flatMap((said) => (said.failed === undefined ? noted(said) : [`[${said.name} ${said.failed}]`]))
      return notes.length === 0 ? undefined : notes.join("\n\n")
    }),
  beforePrompt: (about) =>
    Effect.map(consultAll(parts, "before_prompt", about), (all) => {
      const opinion = opinionOf(all)
      // There is nobody to ask whether one's own prompt may be said.
      return opinion.decision === "ask" ? { ...opinion, decision: "deny" } : opinion
    }),
  afterTask: (about) =>
    Effect.ensuring(
      Effect.asVoid(consultAll(parts, "after_task", about)),
      Effect.sync(() => parts.told.clear())
    )
})

const isEmpty = (hooks: AllHooks): boolean => hookEvents.every((event) => hooks[event].length === 0)

/** A runner without isolation, where somebody has a hook that needs one. `isolated`: the one that runs commands. */
export const runnersFor = Effect.fnUntraced(function* (
  { childEnvironment: environment, hooks }: ConfigShape,
  isolated: Runners["workspace"]
) {
  const needed = hookEvents.some((event) => hooks[event].some(({ tier }) => tier !== "workspace"))
  if (!needed) return { own: isolated, workspace: isolated } satisfies Runners
  const built = yield* Layer.build(Runner.layer({ environment }))
  return { own: Context.get(built, Runner.ProcessRunner), workspace: isolated } satisfies Runners
})

/** A workspace's hooks are for its own sessions: those of another directory were trusted by nobody for this one. */
const ofWorkspace = ({ hooks, trust }: ConfigShape, workspace: string): AllHooks => {
  if (workspace === trust.workspace) return hooks
  const kept = (event: HookEvent) => hooks[event].filter(({ tier }) => tier !== "workspace")
  return {
    before_tool: kept("before_tool"),
    after_tool: kept("after_tool"),
    before_prompt: kept("before_prompt"),
    after_task: kept("after_task")
  }
}

interface ForSession {
  readonly workspace: string
  readonly mask: (text: string) => string
  readonly reporter: Reporter["Service"]
  readonly hooksTold: () => ReadonlySet<string>
}

export const hooksFor = (config: ConfigShape, runners: Runners, session: ForSession): HooksShape => {
  const hooks = ofWorkspace(config, session.workspace)
  const path = config.childEnvironment["PATH"] ?? ""
  const distrusts: HookParts["distrusts"] = (command) => distrusted(config, command, path)
  return isEmpty(hooks) ? none : commandHooks({ ...session, hooks, runners, distrusts, told: new Set() })
}
