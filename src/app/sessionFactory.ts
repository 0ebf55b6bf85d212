/**
 * How one session is put together here: its own workspace, processes, tools, grants, gate and engine over the shared
 * provider (R067–R069). Reads bottom to top. Owns no logic but the mapping from configuration to parts.
 */
import { Effect, Layer, Redacted, Semaphore } from "effect"
import type { Mode } from "../approval/ApprovalGate.ts"
import { Approver } from "../approval/Approver.ts"
import * as Gate from "../approval/Gate.ts"
import * as GateSettings from "../approval/GateSettings.ts"
import { GrantStore, ownedBy } from "../approval/GrantStore.ts"
import type { Rule } from "../approval/Rules.ts"
import { AppConfig, type ConfigShape } from "../config/AppConfig.ts"
import { cappedBy } from "../config/SpendingLimits.ts"
import { repositorySecrets } from "../config/RepositorySecrets.ts"
import { stricter } from "../config/Settings.ts"
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
import { checkedRules, guardOf } from "./policyRules.ts"
import { clearFor } from "./remains.ts"
import { skillReader } from "./skillReader.ts"
import { type Looks, makeLooks, systemPrompt, type Told, toldIn } from "./told.ts"
import { RuntimeError } from "../runtime/RuntimeError.ts"
import { RuntimeFactory, type Seed } from "../runtime/RuntimeFactory.ts"
import { Checkpoints } from "../sandbox/Checkpoints.ts"
import * as GitCheckpoints from "../sandbox/checkpoints/GitCheckpoints.ts"
import * as CommandAnalysis from "../sandbox/CommandAnalysis.ts"
import { Isolation } from "../sandbox/Isolation.ts"
import * as ProcessRunner from "../sandbox/ProcessRunner.ts"
import * as Workspace from "../sandbox/Workspace.ts"
import { identityOf } from "../sandbox/WorkspaceIdentity.ts"
import { SessionIndex } from "../store/SessionIndex.ts"
import { makeBuiltinTools } from "../tools/builtin/BuiltinTools.ts"
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
  GateSettings.layer({
    workspace: meta.workspace,
    workspaceId: Effect.sync(() => identityOf(meta.workspace)),
    mode: Effect.map(mode, (wanted) => stricter(config.mode_ceiling, wanted)),
    rules,
    approvalTimeoutMs: config.limits.approval_timeout_ms,
    grantTtlMs: config.limits.grant_ttl_ms
  })

/** What a session's calls do to its files; the store of it is no place for tools. */
const checkpoints = ({ childEnvironment, state_dir }: ConfigShape, { meta }: Seed) =>
  GitCheckpoints.layer({
    base: GitCheckpoints.baseIn(state_dir),
    workspace: meta.workspace,
    session: sessionKey(meta.owner, meta.session_id),
    path: childEnvironment["PATH"] ?? "",
    ...(childEnvironment["HOME"] === undefined ? {} : { home: childEnvironment["HOME"] })
  })

const tools = (root: string, config: ConfigShape, rules: ReadonlyArray<Rule>, { skills }: Told) => {
  const { childEnvironment } = config
  const { PATH: path, HOME: home } = childEnvironment
  const context = { workspace: root, ...(path === undefined ? {} : { path }), ...(home === undefined ? {} : { home }) }
  const analyse = (source: string) => CommandAnalysis.analyse(source, context)
  const options = { analyse, guard: guardOf(config, rules, root), skills: skillReader(skills.skills, root) }
  const offered = ({ name }: Tool) => name !== SUBAGENT || config.limits.task_subagents > 0
  return Layer.effect(
    ToolRegistry.ToolRegistry,
    Effect.map(Effect.all([makeBuiltinTools(options), Checkpoints]), ([all, kept]) =>
      ToolRegistry.make(all.filter(offered), kept)
    )
  )
}

const secretsOf = (config: ConfigShape, root: string): ReadonlyArray<string> =>
  [...config.secrets, ...repositorySecrets(root)].map(Redacted.value)

/** What all sessions of the process have in common. */
interface Around {
  readonly looks: Looks
  readonly runners: Runners
}

const sessionLayer = (
  config: ConfigShape,
  rules: ReadonlyArray<Rule>,
  seed: Seed,
  shared: Layer.Layer<Provider | ProcessRunner.ProcessRunner>,
  mode: Seed["mode"],
  store: GrantStore["Service"],
  told: Told,
  { looks, runners }: Around
) => {
  const { workspace: root } = seed.meta
  const ownDirectories = [config.state_dir, config.config_dir]
  const sandbox = Layer.mergeAll(Workspace.layer({ root, ownDirectories }), shared)
  const mask = maskKnown(secretsOf(config, root))
  const gate = Gate.layer.pipe(
    Layer.provide([gateSettings(config, rules, seed, mode), Layer.succeed(Approver, seed.approver)]),
    Layer.provideMerge(Layer.succeed(GrantStore, ownedBy(store, seed.meta.owner)))
  )
  const kept = checkpoints(config, seed)
  const own = tools(root, config, rules, told).pipe(Layer.provide(sandbox), Layer.provideMerge(kept))
  const parts = Layer.mergeAll(shared, own, gate, systemPrompt(config, root, told, looks, mask))
  return Engine.layer.pipe(
    Layer.provideMerge(parts),
    Layer.provide([
      Layer.succeed(Reporter, seed.reporter),
      Layer.succeed(EngineLimits, limitsOf(config)),
      Layer.succeed(Hooks, hooksFor(config, root, runners, mask)),
      Layer.succeed(KnownSecrets, mask)
    ])
  )
}

/** What the runtime holds of a session that was put together. */
const partsOf = Effect.fnUntraced(function* (config: ConfigShape, isolation: Isolation["Service"], model: string) {
  const [engine, grants, checkpoints] = [yield* Engine.Engine, yield* GrantStore, yield* Checkpoints]
  const allowsMode = (mode: Mode) =>
    Effect.map(modeInForce(config, isolation, Effect.succeed(mode)), (possible) => possible === mode)
  const tools = new Set((yield* ToolRegistry.ToolRegistry).definitions.map(({ name }) => name))
  const { cap_ceiling, mode } = config
  const capped = (caps: Caps) => cappedBy(cap_ceiling, caps)
  return { engine, grants, tools, checkpoints, model, mode, allowsMode, capped }
})

const make = Effect.gen(function* () {
  const config = yield* AppConfig
  const [provider, catalogue] = [yield* Provider, yield* ModelCatalogue]
  const slots = yield* Semaphore.make(config.limits.tools_per_process)
  // One for all sessions: its stock of pipes costs a directory and a process.
  const runner = yield* ProcessRunner.ProcessRunner
  const [isolation, store] = [yield* Isolation, yield* GrantStore]
  const budgets = makeBudgets(config, yield* SessionIndex)
  const shared = Layer.mergeAll(
    Layer.succeed(Provider, provider),
    Layer.succeed(ModelCatalogue, catalogue),
    Layer.succeed(ProcessRunner.ProcessRunner, runner)
  )
  const around: Around = { looks: makeLooks(config), runners: yield* runnersFor(config, runner) }
  // Once: their examples are commands that are taken apart.
  const checked = checkedRules(config)
  return RuntimeFactory.of({
    build: (seed) =>
      Effect.fromResult(checked).pipe(
        Effect.tap(() => clearFor(config, seed.meta.workspace)),
        Effect.flatMap((rules) =>
          Effect.flatMap(toldIn(config, seed.meta.workspace), (told) => {
            const mode = modeInForce(config, isolation, seed.mode)
            return Layer.build(sessionLayer(config, rules, seed, shared, mode, store, told, around))
          })
        ),
        Effect.provideService(ProcessSlots, slots),
        Effect.provideService(Budget, budgets(seed.meta.owner)),
        Effect.mapError((error) => {
          const code = error.code === "bad_config" ? error.code : "workspace_unreadable"
          return new RuntimeError({ code, detail: error.message, cause: error })
        }),
        Effect.flatMap((context) => Effect.provideContext(partsOf(config, isolation, provider.model), context))
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
