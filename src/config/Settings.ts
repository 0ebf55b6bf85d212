/**
 * Everything that can be configured: one schema with a default, a unit and a sentence for each key. The file format,
 * `claw config schema`, the checks of environment and flags, and the reference derive from it.
 * Does not own: API keys, which come from the environment alone and are never part of a file.
 * Invariant: a limit without a key here does not exist (DESIGN §1, 7).
 */
import { Schema } from "effect"
import { Consequence } from "../domain/Matcher.ts"
import { type AllHooks, Hooks } from "./HookSettings.ts"
import { Isolation, isolationDefaults } from "./IsolationSettings.ts"
import { Models } from "./ModelSettings.ts"
import { Retention, retentionDefaults } from "./RetentionSettings.ts"
import { dollars, type Filled, int, key, language, text, url } from "./schemaParts.ts"
import { Limit, Server, serverDefaults, type ServerNeeds } from "./ServerSettings.ts"

/** From the laxest to the strictest. */
export const modes = ["bypass", "accept-edits", "ask", "never-ask", "plan"] as const
type Mode = (typeof modes)[number]

/** The strictest of several modes. */
export const stricter = (...some: readonly [Mode, ...Array<Mode>]): Mode =>
  some.reduce((one, other) => (modes.indexOf(other) > modes.indexOf(one) ? other : one))

export const logLevels = ["off", "error", "warn", "info", "debug", "trace"] as const
export const locales = ["en", "zh-CN"] as const
export type Locale = (typeof locales)[number]

/** Command lines, paths or tools, as the rule's own kind is, that it must and must not meet. */
const Examples = Schema.Struct({
  match: key(Schema.Array(text), "What the rule must meet."),
  no_match: key(Schema.Array(text), "What the rule must not meet.")
})

/** One rule of a policy. `argv` are whole words a command begins with; `path` a glob below the workspace. */
export const Rule = Schema.Struct({
  tool: key(text, "Name of the tool; absent: every tool."),
  argv: key(Schema.NonEmptyArray(text), "Whole words that the command begins with."),
  path: key(text, "Glob of files, relative to the workspace."),
  effect: key(
    Consequence,
    "What it does, as far as the tables of programs know: changes, deletes (for good: taken away, emptied, overwritten) or network. Not for allow."
  ),
  reason: key(text, "What a person is told when the rule decides."),
  examples: key(Examples, "Checked when claw starts: a rule that fails one of them makes the configuration invalid.")
})
export type Rule = typeof Rule.Type

/** Whose file a rule stands in. The built-in rules come after them all. */
export const tiers = ["operator", "user", "workspace"] as const
export type Tier = (typeof tiers)[number]
/** `where`: the file; `key`: the rule's place in it, `rules.deny[0]`. */
export type TieredRule = Rule & { readonly tier: Tier; readonly where: string; readonly key: string }

const rules = (description: string) => key(Schema.Array(Rule).annotate({ default: [] }), description)

/** The defaults that the schema names and `resolve` starts from. Milliseconds, counts, characters. */
export const defaults = {
  deadlines: { connect_ms: 10_000, first_chunk_ms: 90_000, idle_ms: 60_000, total_ms: 0 },
  retry: {
    max_attempts: 5,
    base_ms: 500,
    max_ms: 30_000,
    total_ms: 300_000,
    retry_after_max_ms: 120_000,
    breaker_failures: 5,
    breaker_ms: 30_000
  },
  limits: {
    max_turns: 100,
    tools_per_session: 8,
    tools_per_process: 32,
    tool_timeout_ms: 120_000,
    tool_time_ms: 3_600_000,
    turn_tokens: 0,
    task_tokens: 0,
    task_cost_usd: 0,
    session_tokens: 0,
    session_cost_usd: 0,
    tenant_day_tokens: 0,
    tenant_day_cost_usd: 0,
    task_subagents: 50,
    subagents_at_once: 8,
    subagent_depth: 1,
    subagent_turns: 50,
    tool_output_chars: 30_000,
    compact_at: 80,
    approval_timeout_ms: 1_800_000,
    grant_ttl_ms: 28_800_000
  },
  isolation: isolationDefaults,
  retention: retentionDefaults,
  ...serverDefaults,
  mode: "ask",
  log: { level: "off", to: "file" }
} as const

const hour = 3_600_000
const { deadlines, retry, limits } = defaults

export const Deadlines = Schema.Struct({
  connect_ms: int(
    1,
    hour,
    deadlines.connect_ms,
    "Milliseconds until the model server must have accepted a connection."
  ),
  first_chunk_ms: int(
    1,
    hour,
    deadlines.first_chunk_ms,
    "Milliseconds until the first chunk of an answer, whatever it holds."
  ),
  idle_ms: int(1, hour, deadlines.idle_ms, "Milliseconds without any chunk before an answer counts as stopped."),
  total_ms: int(0, 24 * hour, deadlines.total_ms, "Milliseconds for a whole answer; 0: no limit.")
})

export const Retry = Schema.Struct({
  max_attempts: int(1, 20, retry.max_attempts, "Model calls made for one answer, the first included."),
  base_ms: int(
    1,
    hour,
    retry.base_ms,
    "Milliseconds before the second attempt; doubled, with jitter, for each further one."
  ),
  max_ms: int(1, hour, retry.max_ms, "Milliseconds that the growing wait never passes."),
  total_ms: int(0, 24 * hour, retry.total_ms, "Milliseconds after which no further attempt begins."),
  retry_after_max_ms: int(
    0,
    hour,
    retry.retry_after_max_ms,
    "Milliseconds of a server's Retry-After that are honoured."
  ),
  breaker_failures: int(
    1,
    1000,
    retry.breaker_failures,
    "Tasks in a row whose model calls failed, however often each tried, before the model is left alone."
  ),
  breaker_ms: int(0, hour, retry.breaker_ms, "Milliseconds that it is left alone, before one call tries it again.")
})

const tokens = (fallback: number, what: string) =>
  int(0, 1_000_000_000_000, fallback, `Tokens in and out that ${what}; 0: no limit.`)
const money = (fallback: number, what: string) =>
  dollars(fallback, `US dollars that ${what}; 0: no limit. Needs a model whose price is known.`)

export const Limits = Schema.Struct({
  max_turns: int(1, 10_000, limits.max_turns, "Model turns of one task."),
  tools_per_session: int(1, 256, limits.tools_per_session, "Tools that run at once in one session."),
  tools_per_process: int(1, 4096, limits.tools_per_process, "Tools that run at once in this process."),
  tool_timeout_ms: int(1, hour, limits.tool_timeout_ms, "Milliseconds for one tool call that sets no shorter limit."),
  tool_time_ms: int(1, 24 * hour, limits.tool_time_ms, "Milliseconds that the tools of one task may take together."),
  turn_tokens: tokens(limits.turn_tokens, "one answer of the model may use, with all its attempts"),
  task_tokens: tokens(limits.task_tokens, "one task may use"),
  task_cost_usd: money(limits.task_cost_usd, "one task may cost"),
  session_tokens: tokens(limits.session_tokens, "one session may use"),
  session_cost_usd: money(limits.session_cost_usd, "one session may cost"),
  tenant_day_tokens: tokens(limits.tenant_day_tokens, "all sessions of one tenant may use on a day (UTC)"),
  tenant_day_cost_usd: money(limits.tenant_day_cost_usd, "all sessions of one tenant may cost on a day (UTC)"),
  task_subagents: int(0, 10_000, limits.task_subagents, "Subagents that one task may begin; 0: none. Counts calls."),
  subagents_at_once: int(
    1,
    1000,
    limits.subagents_at_once,
    "Subagents of one task that run at once; others wait. Counts calls."
  ),
  subagent_depth: int(1, 5, limits.subagent_depth, "How deep subagents may begin others, in calls; 1: they may not."),
  subagent_turns: int(1, 10_000, limits.subagent_turns, "Model turns of one subagent."),
  output_tokens: key(
    Schema.Int.check(Schema.isBetween({ minimum: 16, maximum: 10_000_000 })),
    "Tokens that one answer of the model may have; absent: the server's own limit."
  ),
  tool_output_chars: int(
    256,
    10_000_000,
    limits.tool_output_chars,
    "UTF-16 units of a tool's output that the model sees."
  ),
  approval_timeout_ms: int(
    1000,
    24 * hour,
    limits.approval_timeout_ms,
    "Milliseconds that a question waits for an answer; then it is a refusal."
  ),
  grant_ttl_ms: int(1000, 168 * hour, limits.grant_ttl_ms, "Milliseconds that a grant for the session lasts."),
  compact_at: int(
    20,
    95,
    limits.compact_at,
    "Percent of the tokens that a request may have at which older conversation is summarised."
  ),
  context_window_tokens: key(
    Schema.Int.check(Schema.isBetween({ minimum: 1024, maximum: 100_000_000 })),
    "Tokens that the model can take; absent: what the catalogue says of the model."
  )
})

export const Log = Schema.Struct({
  level: key(
    Schema.Literals(logLevels).annotate({ default: defaults.log.level }),
    "Least important level that is logged."
  ),
  to: key(
    Schema.Literals(["file", "stderr"]).annotate({ default: defaults.log.to }),
    "JSON lines go to `logs/claw.log` in the state directory, or to standard error."
  )
})

/** A configuration file: every key may be absent. */
export const ConfigFile = Schema.Struct({
  $schema: key(Schema.String, "For editors; ignored."),
  provider: key(text, "Profile of the model server, or `demo`."),
  base_url: key(url, "URL of an OpenAI-compatible server, up to and without `/chat/completions`."),
  model: key(text, "Name of the model, as the server knows it."),
  fallback_models: key(
    Schema.Array(text).annotate({ default: [] }),
    "Models of the same server that are asked, in this order, when the model keeps failing."
  ),
  api: key(
    Schema.Literals(["chat", "responses"]),
    "What the server is spoken to in: `/chat/completions` or `/responses`; absent: what its profile says."
  ),
  models: key(
    Models.annotate({ default: {} }),
    "What you know of models by name (`*` at its end: every name that begins so): it counts over the built-in catalogue."
  ),
  mode: key(
    Schema.Literals(modes).annotate({ default: defaults.mode }),
    "`ask` before changes, `accept-edits` inside the workspace, `plan` only reads, `never-ask` refuses, `bypass` allows."
  ),
  rules: key(
    Schema.Struct({
      allow: rules("What runs without a question."),
      ask: rules("What is asked even where it would be allowed."),
      deny: rules("What never runs.")
    }),
    "Policy, checked before any question: deny over ask over allow."
  ),
  hooks: key(Hooks, "Programs that are asked before, and told after, what happens."),
  deadlines: key(Deadlines, "Limits of one model call."),
  retry: key(Retry, "What happens after a failed model call."),
  limits: key(Limits, "Limits of tasks and tools."),
  isolation: key(Isolation, "What commands can reach, whatever was approved."),
  retention: key(Retention, "What `claw sessions prune` removes; by default nothing."),
  server: key(Server, "`claw serve`."),
  limit: key(Limit, "Limits of `claw serve`."),
  state_dir: key(text, "Absolute directory of everything claw stores; absent: the XDG state directory."),
  language: key(language, "Language that the model answers in; absent: that of the person."),
  locale: key(Schema.Literals(locales), "Language of messages; absent: that of the environment."),
  no_color: key(Schema.Boolean.annotate({ default: false }), "No colours and no other escape sequences for looks."),
  log: key(Log, "Structured logs.")
})
export type ConfigFile = typeof ConfigFile.Type

/** The resolved configuration: what has a default is always there. */
export interface Settings {
  readonly provider?: string
  readonly base_url?: string
  readonly model?: string
  readonly language?: string
  readonly models: Models
  readonly fallback_models: ReadonlyArray<string>
  readonly api?: "chat" | "responses"
  readonly mode: (typeof modes)[number]
  /** Of every tier: what a lower one says is added and takes nothing away. */
  readonly rules: { readonly [K in "allow" | "ask" | "deny"]: ReadonlyArray<TieredRule> }
  /** Of every tier, added up. */
  readonly hooks: AllHooks
  readonly deadlines: Filled<typeof Deadlines>
  readonly retry: Filled<typeof Retry>
  readonly limits: Omit<Filled<typeof Limits>, "context_window_tokens" | "output_tokens"> &
    Pick<typeof Limits.Type, "context_window_tokens" | "output_tokens">
  readonly isolation: Filled<typeof Isolation>
  readonly retention: Filled<typeof Retention>
  readonly server: Pick<Filled<typeof Server>, ServerNeeds> & Omit<typeof Server.Type, ServerNeeds>
  readonly limit: Filled<typeof Limit>
  readonly state_dir: string
  readonly locale: Locale
  readonly no_color: boolean
  readonly log: Filled<typeof Log>
}

/** JSON Schema of a configuration file (`claw config schema`). */
export const configSchema = (): Readonly<Record<string, unknown>> => {
  const { schema, definitions } = Schema.toJsonSchemaDocument(ConfigFile, { onExcessProperty: "error" })
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "claw configuration",
    ...schema,
    ...(Object.keys(definitions).length === 0 ? {} : { $defs: definitions })
  }
}
