/**
 * What the environment says: settings, keys, directories, the language, and what a child process may inherit.
 * Owns: the names of variables. Does not read `process.env` itself (AppConfig hands the record in).
 * Invariants: an API key exists only as `Redacted`; a child never inherits a variable that is not on the list (R272,
 * LESSONS 19).
 */
import { homedir } from "node:os"
import { isAbsolute, join } from "node:path"
import type { Result } from "effect"
import { Redacted } from "effect"
import type { ConfigError } from "./ConfigError.ts"
import { checkValue } from "./configFile.ts"
import { nearest } from "../domain/Nearest.ts"
import { secretsIn } from "./secretValues.ts"
import { type ConfigFile, type Locale, defaults, locales } from "./Settings.ts"

export type Environment = Readonly<Record<string, string | undefined>>

type Put = readonly [path: readonly [string] | readonly [string, string], value: unknown]
type Read = (value: string) => ReadonlyArray<Put>

const asText =
  (name: string): Read =>
  (value) => [[[name], value]]

/** Not a number stays text, so that the schema complains of it. Money has cents. */
const asInt =
  (section: string, name: string): Read =>
  (value) => {
    const form = name.endsWith("_usd") ? /^[+-]?\d+(?:\.\d+)?$/ : /^[+-]?\d+$/
    return [[[section, name], form.test(value) ? Number(value) : value]]
  }

const localeOf = (value: string): Locale | undefined => {
  const name = value.replace("_", "-").toLowerCase()
  if (name.startsWith("zh")) return "zh-CN"
  return name.startsWith("en") || name === "c" || name === "posix" || name.startsWith("c.") ? "en" : undefined
}

/** `debug`, `debug:stderr`: the least level, and where lines go. */
const asLog: Read = (value) => {
  const [level, to] = value.split(":", 2)
  return [[["log", "level"], level], ...(to === undefined ? [] : ([[["log", "to"], to]] satisfies ReadonlyArray<Put>))]
}

const asFlag =
  (section: string, name: string): Read =>
  (value) => {
    const word = value.toLowerCase()
    const known = ["1", "true", "yes"].includes(word) ? true : ["0", "false", "no"].includes(word) ? false : undefined
    return [[[section, name], known ?? value]]
  }

const asList =
  (section: string, name: string): Read =>
  (value) => [[[section, name], value.split(",").map((item) => item.trim())]]

const asNames =
  (name: string): Read =>
  (value) => [[[name], value.split(",").map((item) => item.trim())]]

const asTextIn =
  (section: string, name: string): Read =>
  (value) => [[[section, name], value]]

const sections = {
  deadlines: Object.keys(defaults.deadlines),
  retry: Object.keys(defaults.retry),
  limits: [...Object.keys(defaults.limits), "context_window_tokens", "output_tokens"],
  retention: Object.keys(defaults.retention)
}

/** Every number of the configuration also has a variable: `limits.max_turns` is `CLAW_LIMITS_MAX_TURNS`. */
const numbers = Object.entries(sections).flatMap(([section, names]) =>
  names.map((name) => [`CLAW_${section}_${name}`.toUpperCase(), asInt(section, name)] as const)
)

/** Every limit of the server, and those of tasks and model calls under the same prefix (issue 3). */
const serverLimits = Object.keys(defaults.limit).map(
  (name) => [`CLAW_LIMIT_${name}`.toUpperCase(), asInt("limit", name)] as const
)
const taskLimits = (["deadlines", "limits"] as const).flatMap((section) =>
  sections[section].map((name) => [`CLAW_LIMIT_${name}`.toUpperCase(), asInt(section, name)] as const)
)

const texts = ["host", "tls_cert", "tls_key", "oidc_issuer", "oidc_audience", "oidc_client_id", "oidc_jwks_url"]
const claims = ["oidc_tenant_claim", "oidc_project_claim", "oidc_role_claim"]
const serverSettings: ReadonlyArray<readonly [string, Read]> = [
  ...["tcp_port", "http_port"].map((name) => [name, asInt("server", name)] as const),
  ...["auth", "behind_proxy"].map((name) => [name, asFlag("server", name)] as const),
  ...["allowed_origins", "allowed_hosts", "trusted_proxies"].map((name) => [name, asList("server", name)] as const),
  ...[...texts, ...claims].map((name) => [name, asTextIn("server", name)] as const)
].map(([name, read]) => [`CLAW_SERVER_${name}`.toUpperCase(), read])

/** Variable → what it sets. A later row wins over an earlier one for the same key. */
export const variables: ReadonlyMap<string, Read> = new Map<string, Read>([
  ...taskLimits,
  ...numbers,
  ...serverLimits,
  ...serverSettings,
  ["CLAW_ISOLATION", asTextIn("isolation", "mode")],
  ["CLAW_ISOLATION_NETWORK", asFlag("isolation", "network")],
  ["CLAW_ISOLATION_HOSTS", asList("isolation", "hosts")],
  ["CLAW_ISOLATION_READ", asList("isolation", "read")],
  ["CLAW_ISOLATION_WRITE", asList("isolation", "write")],
  ["CLAW_ISOLATION_PROCESSES", asInt("isolation", "processes")],
  ["CLAW_ISOLATION_MEMORY_MB", asInt("isolation", "memory_mb")],
  ["CLAW_ISOLATION_FILE_MB", asInt("isolation", "file_mb")],
  ["CLAW_PROVIDER", asText("provider")],
  ["CLAW_MODEL", asText("model")],
  ["CLAW_FALLBACK_MODELS", asNames("fallback_models")],
  ["CLAW_API", asText("api")],
  ["CLAW_BASE_URL", asText("base_url")],
  ["CLAW_MODE", asText("mode")],
  ["CLAW_STATE_DIR", asText("state_dir")],
  ["CLAW_CONTEXT_WINDOW", asInt("limits", "context_window_tokens")],
  ["CLAW_MAX_TURNS", asInt("limits", "max_turns")],
  ["CLAW_LANGUAGE", asText("language")],
  ["CLAW_MAX_COST", asInt("limits", "task_cost_usd")],
  ["CLAW_LANG", (value) => [[["locale"], localeOf(value) ?? value]]],
  ["CLAW_LOG", asLog],
  ["NO_COLOR", () => [[["no_color"], true]]]
])

/** Read by hand: where the user's file is, who one is to a server, what is dared. */
const others = ["CLAW_CONFIG", "CLAW_OPERATOR_CONFIG", "CLAW_TOKEN", "CLAW_ALLOW_UNSAFE"]

/** The person's word for this run: mode `bypass` where nothing isolates commands. In no file, so in no repository. */
export const allowsUnsafe = (env: Environment): boolean => env["CLAW_ALLOW_UNSAFE"]?.trim() === "1"

const lookup = (env: Environment, name: string): string | undefined => {
  const value = env[name]?.trim()
  return value === "" ? undefined : value
}

const place = (tree: Record<string, unknown>, [path, value]: Put) => {
  const [head, tail] = path
  if (tail === undefined) tree[head] = value
  else tree[head] = { ...(tree[head] as Record<string, unknown> | undefined), [tail]: value }
}

/** Settings from `CLAW_*` and `NO_COLOR`. An error names the variable. */
export const settingsFrom = (env: Environment): Result.Result<ConfigFile, ConfigError> => {
  const tree: Record<string, unknown> = {}
  const origin = new Map<string, string>()
  for (const [name, read] of variables) {
    const value = lookup(env, name)
    if (value === undefined) continue
    for (const put of read(value)) {
      place(tree, put)
      origin.set(put[0].join("."), name)
    }
  }
  return checkValue(tree, (path) => origin.get(path.join(".")) ?? "environment")
}

/** The servers' own variable, which counts only for the profile it belongs to. */
export const openaiBaseUrl = (env: Environment): string | undefined => lookup(env, "OPENAI_BASE_URL")

/** Language of `LC_ALL`, `LC_MESSAGES`, `LANG`: the first that is set decides, as everywhere. */
export const localeFrom = (env: Environment): Locale => {
  const name = ["LC_ALL", "LC_MESSAGES", "LANG"].map((key) => lookup(env, key)).find((value) => value !== undefined)
  return (name === undefined ? undefined : localeOf(name)) ?? locales[0]
}

/** `CLAW_*` variables that set nothing: probably a slip. */
export const strangers = (env: Environment): ReadonlyArray<string> =>
  Object.keys(env)
    .filter((name) => name.startsWith("CLAW_") && !variables.has(name) && !others.includes(name))
    .map((name) => {
      const hint = nearest(name, [...variables.keys(), ...others])
      return `${name} is not a variable of claw${hint === undefined ? "" : `; did you mean ${hint}?`}`
    })

const homeOf = (env: Environment): string => {
  const home = lookup(env, "HOME")
  return home !== undefined && isAbsolute(home) ? home : homedir()
}

/** An XDG directory; a relative value is ignored, as its specification says. */
const xdg = (env: Environment, name: string, fallback: string): string => {
  const value = lookup(env, name)
  return join(value !== undefined && isAbsolute(value) ? value : join(homeOf(env), fallback), "claw")
}

export const stateDirectory = (env: Environment): string => xdg(env, "XDG_STATE_HOME", ".local/state")

/** Of the person's own files for claw, wherever `CLAW_CONFIG` leads. */
export const configDirectory = (env: Environment): string => xdg(env, "XDG_CONFIG_HOME", ".config")

export const userFile = (env: Environment): { readonly path: string; readonly required: boolean } => {
  const named = lookup(env, "CLAW_CONFIG")
  if (named !== undefined) return { path: named, required: true }
  return { path: join(configDirectory(env), "config.json"), required: false }
}

export const OPERATOR_FILE = "/etc/claw/config.json"

/**
 * Where the machine's operator writes: a fixed place, and one more that `CLAW_OPERATOR_CONFIG` names (a container's).
 * The variable adds a file and never replaces the other, so that whoever sets it lifts nothing.
 */
export const operatorFiles = (env: Environment, fixed = OPERATOR_FILE) => {
  const named = lookup(env, "CLAW_OPERATOR_CONFIG")
  const own = { path: fixed, required: false }
  return named === undefined || named === fixed ? [own] : [own, { path: named, required: true }]
}

/** A key by the name of its variable, as a profile knows it. Blank is missing; a stray newline is not part of it. */
export const keyFrom = (env: Environment, variable: string): Redacted.Redacted | undefined => {
  const value = lookup(env, variable)
  return value === undefined ? undefined : Redacted.make(value, { label: variable })
}

/** Every value that must never be seen again: of the environment, and of what else this process was told. */
export const secretsFrom = (env: Environment, ...others: ReadonlyArray<string>): ReadonlyArray<Redacted.Redacted> => {
  const named = Object.keys(env).flatMap((name) => {
    const value = lookup(env, name)
    return value === undefined || inherited.test(name) ? [] : secretsIn(name, value)
  })
  const found = new Set([...named, ...others.flatMap((value) => secretsIn("", value))])
  return Array.from(found, (value) => Redacted.make(value))
}

/** The proxies that every program on this machine is told of; the lower-case name counts first, as everywhere. */
export const proxiesFrom = (env: Environment) => {
  const of = (name: string) => lookup(env, name.toLowerCase()) ?? lookup(env, name)
  const [http, https, none] = [of("HTTP_PROXY"), of("HTTPS_PROXY"), of("NO_PROXY")]
  return {
    ...(http === undefined ? {} : { http }),
    ...(https === undefined ? {} : { https }),
    ...(none === undefined ? {} : { none })
  }
}

const inherited =
  /^(PATH|HOME|USER|LOGNAME|SHELL|LANG|LANGUAGE|LC_[A-Z]+|TZ|TMPDIR|TEMP|TMP|SSL_CERT_FILE|SSL_CERT_DIR)$/

/** Without the places that depend on where one is: there a repository's `git` would be everybody's (SECURITY P6, T8). */
const absolute = (path: string): string =>
  path
    .split(":")
    .filter((directory) => isAbsolute(directory))
    .join(":")

/** What a child process may inherit. */
export const childEnvironment = (env: Environment): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(env)
      .filter((entry): entry is [string, string] => inherited.test(entry[0]) && entry[1] !== undefined)
      .map(([name, value]) => [name, name === "PATH" ? absolute(value) : value] as const)
      .filter(([name, value]) => name !== "PATH" || value !== "")
  )
