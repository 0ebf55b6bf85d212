/**
 * How one session is put together here: its own workspace, processes, tools, grants, gate and engine over the shared
 * provider (R067–R069). Owns no logic but the mapping from configuration to parts.
 */
import { Context, Effect, Layer, Redacted, Semaphore } from "effect"
import { ApprovalGate, type Mode } from "../approval/ApprovalGate.ts"
import { Approver } from "../approval/Approver.ts"
import * as Gate from "../approval/Gate.ts"
import * as GateSettings from "../approval/GateSettings.ts"
import { GrantStore, ownedBy } from "../approval/GrantStore.ts"
import type { Rule } from "../approval/Rules.ts"
import { AppConfig, type ConfigShape } from "../config/AppConfig.ts"
import { cappedBy } from "../config/SpendingLimits.ts"
import { repositorySecrets } from "../config/RepositorySecrets.ts"
import { stricter } from "../config/Settings.ts"
import type { ToolDefinition } from "../domain/Message.ts"
import { SystemPrompt } from "../context/SystemPrompt.ts"
import { sessionKey } from "../domain/Principal.ts"
import { Budget } from "../engine/Budget.ts"
import * as Engine from "../engine/Engine.ts"
import { type Caps, defaults, EngineLimits, type Limits, ProcessSlots } from "../engine/EngineLimits.ts"
import { Hooks } from "../engine/Hooks.ts"
import { Reporter } from "../engine/Reporter.ts"
import { KnownSecrets, maskKnown } from "../observability/Redact.ts"
import { ModelCatalogue } from "../provider/Catalogue.ts"
import { Provider } from "../provider/Provider.ts"
import { makeBudgets } from "./budgets.ts"
import { hooksFor, type Runners, runnersFor } from "./commandHooks.ts"
import { modeInForce } from "./isolation.ts"
import { checkedRules, guardOf, secretPlaces } from "./policyRules.ts"
import { clearFor } from "./remains.ts"
import { skillReader } from "./skillReader.ts"
import { type Looks, makeLooks, systemPrompt, type Told, toldIn } from "./told.ts"
import { RuntimeError } from "../runtime/RuntimeError.ts"
import { RuntimeFactory, type Seed } from "../runtime/RuntimeFactory.ts"
import type { Checkpoints } from "../sandbox/Checkpoints.ts"
import * as GitCheckpoints from "../sandbox/checkpoints/GitCheckpoints.ts"
import * as CommandAnalysis from "../sandbox/CommandAnalysis.ts"
import { Isolation } from "../sandbox/Isolation.ts"
import * as ProcessRunner from "../sandbox/ProcessRunner.ts"
import type { SecretFiles } from "../sandbox/SecretFiles.ts"
import * as Workspace from "../sandbox/Workspace.ts"
import { identityOf } from "../sandbox/WorkspaceIdentity.ts"
import { SessionIndex, type SessionMeta } from "../store/SessionIndex.ts"
import { builtinTools, makeBuiltinTools } from "../tools/builtin/BuiltinTools.ts"
import { SUBAGENT } from "../tools/SubagentRunner.ts"
import type { Tool } from "../tools/Tool.ts"
import * as ToolRegistry from "../tools/ToolRegistry.ts"

const limitsOf = ({ fallback_models, limits, retry }: ConfigShape): Limits => ({
  ...defaults,
  fallback_models,
  max_turns: limits.max_turns,
  tool_concurrency: limits.tools_per_session,
  tool_time_ms: limits.tool_time_ms,
  turn_tokens: limits.turn_tokens,
  task_tokens: limits.task_tokens,
  compact_at: limits.compact_at,
  ...(limits.context_window_tokens === undefined ? {} : { context_window: limits.context_window_tokens }),
  task_cost_usd: limits.task_cost_usd,
  session_tokens: limits.session_tokens,
  session_cost_usd: limits.session_cost_usd,
  task_subagents: limits.task_subagents,
  subagents_at_once: limits.subagents_at_once,
  subagent_depth: limits.subagent_depth,
  subagent_turns: limits.subagent_turns,
  ...(limits.output_tokens === undefined ? {} : { max_output_tokens: limits.output_tokens }),
  tool_output_chars: limits.tool_output_chars,
  retry: {
    max_attempts: retry.max_attempts,
    base_ms: retry.base_ms,
    max_backoff_ms: retry.max_ms,
    max_retry_after_ms: retry.retry_after_max_ms,
    max_elapsed_ms: retry.total_ms
  }
})

/** A session may ask for a laxer mode than the operator permits: the gate never hears of it. */
const gateSettings = (config: ConfigShape, rules: ReadonlyArray<Rule>, { meta }: Seed, mode: Seed["mode"]) =>
  GateSettings.make({
    workspace: meta.workspace,
    workspaceId: Effect.sync(() => identityOf(meta.workspace)),
    mode: Effect.map(mode, (wanted) => stricter(config.mode_ceiling, wanted)),
    rules,
    approvalTimeoutMs: config.limits.approval_timeout_ms,
    grantTtlMs: config.limits.grant_ttl_ms
  })

/** What a session's calls do to its files; the store of it is no place for tools. */
const checkpoints = ({ childEnvironment, state_dir }: ConfigShape, { meta }: Seed) =>
  GitCheckpoints.make({
    base: GitCheckpoints.baseIn(state_dir),
    workspace: meta.workspace,
    session: sessionKey(meta.owner, meta.session_id),
    path: childEnvironment["PATH"] ?? "",
    ...(childEnvironment["HOME"] === undefined ? {} : { home: childEnvironment["HOME"] })
  })

interface Files {
  readonly workspace: Workspace.Workspace["Service"]
  readonly kept: Checkpoints["Service"]
}

const tools = (around: Around, rules: ReadonlyArray<Rule>, { skills }: Told, root: string, files: Files) => {
  const { config, definitions, runner, secrets } = around
  const { kept, workspace } = files
  const { childEnvironment } = config
  const { PATH: path, HOME: home } = childEnvironment
  const context = { workspace: root, ...(path === undefined ? {} : { path }), ...(home === undefined ? {} : { home }) }
  const analyse = (source: string) => CommandAnalysis.analyse(source, context)
  const offered = ({ name }: Tool) => name !== SUBAGENT || config.limits.task_subagents > 0
  const make = () => {
    const options = { analyse, guard: guardOf(secrets, rules, root), skills: skillReader(skills.skills, root) }
    return builtinTools({ workspace, runner }, options).filter(offered)
  }
  // What the model is told of them is the same in all sessions that have skills, and in all that have none.
  const kind = skills.skills.length > 0
  const known = definitions.get(kind) ?? ToolRegistry.definitionsOf(make())
  definitions.set(kind, known)
  return ToolRegistry.makeLazily(known, make, kept)
}

/** Whoever may open the session knows its path; an answer over HTTP holds none. */
const gone = ({ session_id: id }: SessionMeta): string =>
  `The directory of session ${id} was moved or deleted, or cannot be read. To go on elsewhere: claw fork ${id} --cwd DIR`

const secretsOf = (config: ConfigShape, root: string): ReadonlyArray<string> =>
  [...config.secrets, ...repositorySecrets(root)].map(Redacted.value)

/** What all sessions of the process have in common. */
interface Around {
  readonly config: ConfigShape
  readonly runner: ProcessRunner.ProcessRunner["Service"]
  readonly grants: GrantStore["Service"]
  readonly isolation: Isolation["Service"]
  readonly budgets: ReturnType<typeof makeBudgets>
  /** Provider, catalogue, slots of tools. */
  readonly shared: Context.Context<Provider>
  readonly looks: Looks
  readonly runners: Runners
  readonly secrets: SecretFiles
  readonly definitions: Map<boolean, ReadonlyArray<ToolDefinition>>
}

/** Plain calls and no layers: a thousand sessions that only are there would keep what built them. */
const sessionParts = Effect.fnUntraced(function* (around: Around, rules: ReadonlyArray<Rule>, seed: Seed, told: Told) {
  const { budgets, config, grants: store, isolation, looks, runners, shared } = around
  const { owner, workspace: root } = seed.meta
  const mask = maskKnown(secretsOf(config, root))
  const mode = modeInForce(config, isolation, seed.mode)
  const workspace = yield* Workspace.make({ root, ownDirectories: [config.state_dir, config.config_dir] })
  const grants = ownedBy(store, owner)
  const kept = yield* checkpoints(config, seed)
  const registry = tools(around, rules, told, root, { workspace, kept })
  const gate = yield* Gate.make.pipe(
    Effect.provideService(GateSettings.GateSettings, gateSettings(config, rules, seed, mode)),
    Effect.provideService(GrantStore, grants),
    Effect.provideService(Approver, seed.approver)
  )
  const engine = yield* Effect.provideContext(
    Engine.make,
    shared.pipe(
      Context.add(ToolRegistry.ToolRegistry, registry),
      Context.add(ApprovalGate, gate),
      Context.add(SystemPrompt, systemPrompt(config, root, told, looks, mask)),
      Context.add(Reporter, seed.reporter),
      Context.add(EngineLimits, limitsOf(config)),
      Context.add(Hooks, hooksFor(config, runners, { workspace: root, mask, ...seed })),
      Context.add(KnownSecrets, mask),
      Context.add(Budget, budgets(owner))
    )
  )
  return { engine, grants, checkpoints: kept, tools: new Set(registry.definitions.map(({ name }) => name)) }
})

/** What the runtime holds of a session that was put together. */
const partsOf = Effect.fnUntraced(function* (around: Around, rules: ReadonlyArray<Rule>, seed: Seed) {
  const { config, isolation, shared } = around
  yield* clearFor(config, seed.meta.workspace)
  const parts = yield* sessionParts(around, rules, seed, yield* toldIn(config, seed.meta.workspace))
  const allowsMode = (mode: Mode) =>
    Effect.map(modeInForce(config, isolation, Effect.succeed(mode)), (possible) => possible === mode)
  const { cap_ceiling, limits, mode } = config
  const capped = (caps: Caps, within = false) => cappedBy(within ? limits : cap_ceiling, caps)
  return { ...parts, model: Context.get(shared, Provider).model, mode, allowsMode, limits, capped }
})

const make = Effect.gen(function* () {
  const config = yield* AppConfig
  const runner = yield* ProcessRunner.ProcessRunner
  const slots = yield* Semaphore.make(config.limits.tools_per_process)
  const around: Around = {
    config,
    // One for all sessions: its stock of pipes costs a directory and a process.
    runner,
    grants: yield* GrantStore,
    isolation: yield* Isolation,
    budgets: makeBudgets(config, yield* SessionIndex),
    shared: Context.make(Provider, yield* Provider).pipe(
      Context.add(ModelCatalogue, yield* ModelCatalogue),
      Context.add(ProcessSlots, slots)
    ),
    looks: makeLooks(config),
    runners: yield* runnersFor(config, runner),
    secrets: secretPlaces(config),
    definitions: new Map()
  }
  // Once: their examples are commands that are taken apart.
  const checked = checkedRules(config)
  return RuntimeFactory.of({
    build: (seed) =>
      Effect.fromResult(checked).pipe(
        Effect.flatMap((rules) => partsOf(around, rules, seed)),
        Effect.mapError((error) => {
          if (error.code === "bad_config")
            return new RuntimeError({ code: error.code, detail: error.message, cause: error })
          return new RuntimeError({ code: "workspace_unreadable", detail: gone(seed.meta), cause: error })
        })
      )
  })
})

export const layer = Layer.effect(RuntimeFactory, make)

/** Names and descriptions of the tools that sessions have here. */
export const toolList = (config: ConfigShape) => {
  const nothing = Layer.mergeAll(Workspace.layer({ root: process.cwd() }), ProcessRunner.layer({ environment: {} }))
  const analyse = (source: string) => CommandAnalysis.analyse(source, { workspace: process.cwd() })
  return Effect.flatMap(toldIn(config, config.trust.workspace), ({ skills: { skills } }) =>
    makeBuiltinTools({ analyse, skills: skillReader(skills, process.cwd()) })
  ).pipe(
    Effect.provide(nothing),
    Effect.orElseSucceed(() => [])
  )
}
