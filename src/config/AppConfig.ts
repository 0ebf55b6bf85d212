/**
 * The configuration of this process, and the only place that reads the environment and configuration files.
 * Owns: where settings come from and in which order. Does not own: what a profile, a mode or a rule means.
 * Invariants: flags > CLAW_* > user file > workspace files (trusted, and stricter only) > operator files > defaults, within
 * the mode and limits of the operator; a key is `Redacted` and comes from the environment alone; whatever is wrong is one
 * ConfigError, before anything else starts.
 */
import { isAbsolute, join, resolve as resolvePath } from "node:path"
import { Context, Effect, Layer, type Redacted, Result } from "effect"
import { ConfigError } from "./ConfigError.ts"
import { checkValue, parseConfig, readConfig } from "./configFile.ts"
import * as environment from "./environment.ts"
import { checkHooks } from "./HookSettings.ts"
import { type Resolved, type Source, resolve } from "./resolve.ts"
import { movedSecrets } from "./SecretPlaces.ts"
import { ceilingOf, type Spending } from "./SpendingLimits.ts"
import { type ConfigFile, type modes, type Settings, stricter } from "./Settings.ts"
import type { Tiered } from "./tiers.ts"
import { checkWorkspaceFile } from "./workspaceFile.ts"
import { SETTINGS } from "./workspaceOffers.ts"
import { type Standing, standing, trustedText } from "./WorkspaceTrust.ts"

type Section = "deadlines" | "retry" | "limits" | "limit"

export interface ConfigShape extends Settings {
  /** Absolute path of the directory that claw works in, as given. */
  readonly workspace: string
  /** The key in this variable; a profile knows its variable's name. */
  readonly apiKey: (variable: string) => Redacted.Redacted | undefined
  /** `CLAW_TOKEN`: who this process is to a server it attaches to. */
  readonly token?: Redacted.Redacted
  /** `CLAW_ALLOW_UNSAFE=1`: mode `bypass` also where nothing isolates commands. */
  readonly allowUnsafe: boolean
  /** How servers elsewhere are reached: HTTP_PROXY, HTTPS_PROXY, NO_PROXY. */
  readonly proxies: ReturnType<typeof environment.proxiesFrom>
  /** Every secret value that this process knows, for masking. */
  readonly secrets: ReadonlyArray<Redacted.Redacted>
  /** All that a child process may inherit. */
  readonly childEnvironment: Readonly<Record<string, string>>
  /** Where variables of this environment moved keys and credentials to; the usual places come besides. */
  readonly movedSecrets: ReadonlyArray<string>
  /** The terminal's own description of itself; absent: none. */
  readonly term?: string
  /** Of the person's own files for claw: what they wrote for agents. */
  readonly config_dir: string
  readonly files: { readonly user: string; readonly workspace: string; readonly operator: ReadonlyArray<string> }
  /** The laxest mode that the operator permits, whatever a session asks for later. */
  readonly mode_ceiling: (typeof modes)[number]
  /** The operator's limits of spending, which no later word raises; 0: none. */
  readonly cap_ceiling: Spending
  /** What the workspace brings along, and whether it takes effect. */
  readonly trust: Standing
  /** Path of a key → who decided it; absent: its default. */
  readonly sources: ReadonlyMap<string, Source>
  /** The keys of a section that somebody decided: a profile's own values stand behind these, before the defaults. */
  readonly chosen: <S extends Section>(section: S) => Partial<Settings[S]>
  /** Sentences for a person: what was ignored and why. */
  readonly warnings: ReadonlyArray<string>
  /** Why nothing of the trusted workspace is in force, where that was tolerated. */
  readonly trouble?: ConfigError
}

export class AppConfig extends Context.Service<AppConfig, ConfigShape>()("claw/config/AppConfig") {}

export interface ConfigInput {
  /** Default: the current directory. */
  readonly workspace?: string
  /** What the command line says; checked like a file. */
  readonly flags?: ConfigFile
  /** Default: the environment of this process. */
  readonly env?: environment.Environment
  /** The user's file, in the place of the one that the environment names; it must exist. */
  readonly user?: string
  /**
   * A trusted workspace's file that does not load is an error. `tolerated`: it is `trouble`, and nothing of it holds: for
   * what must work to mend it. `supposed`: it is read as if it were trusted, to know whether it can be.
   */
  readonly repository?: "tolerated" | "supposed"
  /** Where the machine's operator writes. Default: `/etc/claw/config.json`. */
  readonly operator?: string
}

const chosenOf =
  (settings: Settings, sources: ReadonlyMap<string, Source>): ConfigShape["chosen"] =>
  <S extends Section>(section: S) =>
    Object.fromEntries(
      Object.entries(settings[section]).filter(([name]) => sources.has(`${section}.${name}`))
    ) as Partial<Settings[S]>

const sentence = (text: string): string => (/[.?]$/.test(text) ? text : `${text}.`)

/** Nobody should have to look for the way out of a directory in which nothing starts. */
const withWayOut = ({ detail, ...rest }: ConfigError): ConfigError =>
  new ConfigError({ ...rest, detail: `${sentence(detail)} Mend it, or take the trust back: claw trust --revoke` })

/** Nothing of a repository's counts before the person trusts it; then its text is the one that was judged (T8). */
const readWorkspace = (standing: Standing, workspace: string, supposed: boolean): Read =>
  Result.gen(function* () {
    const found: Array<Tiered> = []
    for (const name of SETTINGS) {
      const path = join(workspace, name)
      const text = supposed ? standing.offers.find((offer) => offer.path === name)?.text : trustedText(standing, name)
      if (text === undefined) continue
      const file = yield* Result.flatMap(parseConfig(text, path), (parsed) => checkWorkspaceFile(parsed, path))
      found.push({ tier: "workspace", file, path })
    }
    return found
  })

interface Theirs {
  readonly theirs: ReadonlyArray<Tiered>
  readonly trouble?: ConfigError
}

const workspaceFiles = (trust: Standing, workspace: string, { repository }: ConfigInput) => {
  const read = readWorkspace(trust, workspace, repository === "supposed")
  if (Result.isSuccess(read)) return Result.succeed<Theirs>({ theirs: read.success })
  if (repository === "supposed") return Result.fail(read.failure)
  const trouble = withWayOut(read.failure)
  return repository === undefined ? Result.fail(trouble) : Result.succeed<Theirs>({ theirs: [], trouble })
}

const readUser = (path: string, required: boolean): Result.Result<ConfigFile, ConfigError> =>
  Result.flatMap(readConfig(path, { required, followLink: true }), (file = {}) =>
    file.state_dir === undefined || isAbsolute(file.state_dir)
      ? checkHooks(file, path, "user")
      : Result.fail(new ConfigError({ where: path, key: "state_dir", detail: "state_dir must be an absolute path." }))
  )

/** `OPENAI_BASE_URL` is set for other programs too: it counts only where no other profile was asked for. */
const withOpenaiUrl = (env: environment.Environment, own: ConfigFile, ...others: ReadonlyArray<ConfigFile>) => {
  const base_url = environment.openaiBaseUrl(env)
  const provider = [...others.slice(0, 1), own, ...others.slice(1)].find((c) => c.provider !== undefined)?.provider
  if (base_url === undefined || own.base_url !== undefined) return Result.succeed(own)
  if (provider !== undefined && provider !== "openai") return Result.succeed(own)
  return Result.map(
    checkValue({ base_url }, () => "OPENAI_BASE_URL"),
    (checked): ConfigFile => ({ ...own, ...checked })
  )
}

/** A place where no directory can be made; Node's own recursive mkdir never returns from some of them. */
const checkStateDirectory = (path: string): Result.Result<string, ConfigError> =>
  /^\/(?:proc|sys)(?:\/|$)/.test(path)
    ? Result.fail(new ConfigError({ where: "state_dir", detail: `claw cannot keep anything in ${path}.` }))
    : Result.succeed(path)

/** Secrets and what a child may have: never part of a file. */
const ofEnvironment = (env: environment.Environment, { base_url = "" }: Settings) => {
  const token = environment.keyFrom(env, "CLAW_TOKEN")
  return {
    apiKey: (variable: string) => environment.keyFrom(env, variable),
    ...(token === undefined ? {} : { token }),
    allowUnsafe: environment.allowsUnsafe(env),
    proxies: environment.proxiesFrom(env),
    secrets: environment.secretsFrom(env, base_url),
    childEnvironment: environment.childEnvironment(env),
    movedSecrets: movedSecrets(env),
    ...(env["TERM"] === undefined ? {} : { term: env["TERM"] })
  }
}

interface Loaded {
  readonly env: environment.Environment
  readonly files: ReadonlyArray<Tiered>
  readonly resolved: Resolved
  readonly state_dir: string
  readonly trust: Standing
  readonly trouble: ConfigError | undefined
  readonly user: string
  readonly workspace: string
}

const shapeOf = ({ env, files, resolved, state_dir, trouble, trust, user, workspace }: Loaded): ConfigShape => {
  const { settings, sources, warnings } = resolved
  const operator = files.flatMap(({ path, tier }) => (tier === "operator" ? [path] : []))
  return {
    ...settings,
    state_dir,
    workspace,
    trust,
    config_dir: environment.configDirectory(env),
    ...ofEnvironment(env, settings),
    files: { user, workspace: join(workspace, SETTINGS[0]), operator },
    mode_ceiling: laxest(files),
    cap_ceiling: ceilingOf(files),
    sources,
    chosen: chosenOf(settings, sources),
    warnings: [...warnings, ...environment.strangers(env)],
    ...(trouble === undefined ? {} : { trouble })
  }
}

type Read = Result.Result<ReadonlyArray<Tiered>, ConfigError>

const readOperator = (env: environment.Environment, input: ConfigInput): Read =>
  Result.gen(function* () {
    const found: Array<Tiered> = []
    for (const { path, required } of environment.operatorFiles(env, input.operator)) {
      const file = yield* readConfig(path, { required, followLink: true })
      if (file === undefined) continue
      found.push({ tier: "operator", file: yield* checkHooks(file, path, "operator"), path })
    }
    return found
  })

const laxest = (files: ReadonlyArray<Tiered>): ConfigShape["mode_ceiling"] =>
  stricter(
    "bypass",
    ...files.flatMap(({ file, tier }) => (tier === "operator" && file.mode !== undefined ? [file.mode] : []))
  )

/** Whoever decides it first; a workspace's file cannot move it, so it is known before that file is looked at. */
const stateDirectoryOf = (env: environment.Environment, ...files: ReadonlyArray<ConfigFile>) =>
  checkStateDirectory(
    resolvePath(files.find((file) => file.state_dir !== undefined)?.state_dir ?? environment.stateDirectory(env))
  )

/** What a key is called on the command line. */
const flagOf = (key: string): string => (key === "task_cost_usd" ? "max-cost" : key.replaceAll("_", "-"))

/** Reads everything, once. */
export const load = (input: ConfigInput = {}): Result.Result<ConfigShape, ConfigError> =>
  Result.gen(function* () {
    const { env = process.env } = input
    const workspace = resolvePath(input.workspace ?? ".")
    const user = input.user === undefined ? environment.userFile(env) : { path: input.user, required: true }
    const flags = yield* checkValue(input.flags ?? {}, (path) => `--${flagOf(String(path.at(-1)))}`)
    const operator = yield* readOperator(env, input)
    const operators = operator.map(({ file }) => file)
    const userFile = yield* readUser(user.path, user.required)
    const own = yield* environment.settingsFrom(env)
    const state_dir = yield* stateDirectoryOf(env, flags, own, userFile, ...operators.toReversed())
    const trust = standing({ state_dir, workspace })
    const { theirs, trouble } = yield* workspaceFiles(trust, workspace, input)
    const files: ReadonlyArray<Tiered> = [
      ...operator,
      { tier: "user", file: userFile, path: user.path },
      { tier: "user", file: flags, path: "the command line" },
      ...theirs
    ]
    const environmentFile = yield* withOpenaiUrl(env, own, flags, userFile, ...operators)
    const machine = { state_dir, locale: environment.localeFrom(env) }
    const resolved = resolve({ flags, environment: environmentFile, files, userFile, machine })
    return shapeOf({ env, files, resolved, state_dir, trouble, trust, user: user.path, workspace })
  })

/** Of this process; fails before anything else is built. */
export const layer = (input: ConfigInput = {}) =>
  Layer.effect(
    AppConfig,
    Effect.suspend(() => Effect.fromResult(load(input)))
  )

/** Defaults and `settings`, with neither environment nor files of this machine: for programs and tests. */
export const layerWith = (settings: ConfigFile = {}, input: Omit<ConfigInput, "flags"> = {}) =>
  layer({
    workspace: input.workspace ?? "/nonexistent",
    flags: settings,
    operator: "/nonexistent/config.json",
    env: { HOME: "/nonexistent", ...input.env }
  })

/** Language and looks before, or without, a readable configuration: what the environment says. */
export const ambient = (
  env: environment.Environment = process.env
): Pick<ConfigShape, "locale" | "no_color" | "secrets"> => {
  const own = Result.getOrElse(environment.settingsFrom(env), (): ConfigFile => ({}))
  const secrets = environment.secretsFrom(env)
  return { locale: own.locale ?? environment.localeFrom(env), no_color: own.no_color ?? false, secrets }
}
