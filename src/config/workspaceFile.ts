/**
 * What a repository may say about how claw runs in it: only what makes it stricter (SECURITY P13, T8, T21).
 * Owns: the closed list of keys and, for each, which of two values is the stricter one.
 * Invariant: `narrow(settings, file)` never allows more than `settings`; a looser value is ignored and reported, a key
 * off the list is an error, for a team's rule that silently does not hold would be worse than a stop.
 */
import { Result } from "effect"
import { ConfigError } from "./ConfigError.ts"
import { checkHooks, hookEvents } from "./HookSettings.ts"
import type { ConfigFile, Settings, defaults } from "./Settings.ts"
import { modes } from "./Settings.ts"

/** Keys whose smaller value is the stricter one. */
const smaller = [
  "limits.max_turns",
  "limits.tools_per_session",
  "limits.tool_timeout_ms",
  "limits.tool_time_ms",
  "limits.task_subagents",
  "limits.subagents_at_once",
  "limits.subagent_depth",
  "limits.subagent_turns",
  "limits.grant_ttl_ms"
] as const

/** Programs of the repository's: asked and told, never able to allow. They run once the file is trusted. */
const hooks = hookEvents.map((event) => `hooks.${event}` as const)

/** The same for limits of spending, where 0 is no limit. */
const capped = [
  "limits.turn_tokens",
  "limits.task_tokens",
  "limits.task_cost_usd",
  "limits.session_tokens",
  "limits.session_cost_usd",
  "limits.tenant_day_tokens",
  "limits.tenant_day_cost_usd"
] as const

const narrowing = [...smaller, ...capped] as const

export const workspaceKeys: ReadonlyArray<string> = [
  "$schema",
  "mode",
  "rules.ask",
  "rules.deny",
  ...hooks,
  ...narrowing
]

const pathsOf = (file: ConfigFile): ReadonlyArray<string> =>
  Object.entries(file).flatMap(([name, value]) =>
    typeof value === "object" && !Array.isArray(value) ? Object.keys(value).map((inner) => `${name}.${inner}`) : [name]
  )

/** Fails at the first key that a workspace may not set. */
export const checkWorkspaceFile = (file: ConfigFile, where: string): Result.Result<ConfigFile, ConfigError> => {
  const stranger = pathsOf(file).find((path) => !workspaceKeys.includes(path))
  if (stranger === undefined) return checkHooks(file, where, "workspace")
  return Result.fail(
    new ConfigError({
      where,
      key: stranger,
      detail: `a workspace may only make claw stricter and cannot set ${stranger}; put it into your own configuration.`
    })
  )
}

export interface Narrowed {
  readonly settings: Settings
  /** Paths that the file decided. */
  readonly decided: ReadonlyArray<string>
  readonly ignored: ReadonlyArray<string>
}

type LimitName = Extract<keyof Settings["limits"], keyof typeof defaults.limits>

const limitNames = narrowing.map((path) => path.slice("limits.".length) as LimitName)

const caps: ReadonlySet<string> = new Set(capped.map((path) => path.slice("limits.".length)))

const isLooser = (name: LimitName, value: number, than: number): boolean => {
  const weigh = (limit: number) => (limit === 0 && caps.has(name) ? Number.POSITIVE_INFINITY : limit)
  return weigh(value) > weigh(than)
}

/** The stricter of both, key by key. Rules are added elsewhere. `than`: whose word is the laxest that holds. */
export const narrow = (settings: Settings, file: ConfigFile, than = "what you set"): Narrowed => {
  const decided: Array<string> = []
  const ignored: Array<string> = []
  const decide = (path: string, stricter: boolean, value: unknown): boolean => {
    if (stricter) decided.push(path)
    else ignored.push(`${path} ${String(value)} is looser than ${than}, and ignored`)
    return stricter
  }
  const { mode: wanted } = file
  const isStricter = wanted !== undefined && modes.indexOf(wanted) >= modes.indexOf(settings.mode)
  const mode = wanted !== undefined && decide("mode", isStricter, wanted) ? wanted : settings.mode
  const limits: Record<LimitName, number> = { ...settings.limits }
  for (const name of limitNames) {
    const value = file.limits?.[name]
    if (value !== undefined && decide(`limits.${name}`, !isLooser(name, value, limits[name]), value))
      limits[name] = value
  }
  if ((file.rules?.ask ?? []).length > 0) decided.push("rules.ask")
  if ((file.rules?.deny ?? []).length > 0) decided.push("rules.deny")
  decided.push(...hookEvents.filter((event) => (file.hooks?.[event] ?? []).length > 0).map((event) => `hooks.${event}`))
  return { settings: { ...settings, mode, limits: { ...settings.limits, ...limits } }, decided, ignored }
}

/** What a person asked for beyond what the operator permits: the operator's word holds, and it is said. */
export const bound = (settings: Settings, operator: ConfigFile): Narrowed => {
  const limits: Record<LimitName, number> = { ...settings.limits }
  for (const name of limitNames) limits[name] = operator.limits?.[name] ?? limits[name]
  const ceiling = { ...settings, mode: operator.mode ?? "bypass", limits: { ...settings.limits, ...limits } }
  return narrow(ceiling, { mode: settings.mode, limits: settings.limits }, "the operator permits")
}
