/**
 * The configuration of this process, and the only place that reads the environment and configuration files.
 * Owns: where settings come from and in which order. Does not own: what a profile, a mode or a rule means.
 * Invariants: flags > CLAW_* > user file > workspace file (stricter only) > defaults; a key is `Redacted` and comes
 * from the environment alone; whatever is wrong is one ConfigError, before anything else starts.
 */
import { lstatSync } from "node:fs"
import { isAbsolute, join, resolve as resolvePath } from "node:path"
import { Context, Effect, Layer, type Redacted, Result } from "effect"
import { ConfigError } from "./ConfigError.ts"
import { checkValue, readConfig } from "./configFile.ts"
import * as environment from "./environment.ts"
import { type Source, resolve } from "./resolve.ts"
import type { ConfigFile, Settings } from "./Settings.ts"
import { checkWorkspaceFile } from "./workspaceFile.ts"

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
  /** Every secret value that this process knows, for masking. */
  readonly secrets: ReadonlyArray<Redacted.Redacted>
  /** All that a child process may inherit. */
  readonly childEnvironment: Readonly<Record<string, string>>
  /** The terminal's own description of itself; absent: none. */
  readonly term?: string
  readonly files: { readonly user: string; readonly workspace: string }
  /** Path of a key → who decided it; absent: its default. */
  readonly sources: ReadonlyMap<string, Source>
  /** The keys of a section that somebody decided: a profile's own values stand behind these, before the defaults. */
  readonly chosen: <S extends Section>(section: S) => Partial<Settings[S]>
  /** Sentences for a person: what was ignored and why. */
  readonly warnings: ReadonlyArray<string>
}

export class AppConfig extends Context.Service<AppConfig, ConfigShape>()("claw/config/AppConfig") {}

export interface ConfigInput {
  /** Default: the current directory. */
  readonly workspace?: string
  /** What the command line says; checked like a file. */
  readonly flags?: ConfigFile
  /** Default: the environment of this process. */
  readonly env?: environment.Environment
}

const chosenOf =
  (settings: Settings, sources: ReadonlyMap<string, Source>): ConfigShape["chosen"] =>
  <S extends Section>(section: S) =>
    Object.fromEntries(
      Object.entries(settings[section]).filter(([name]) => sources.has(`${section}.${name}`))
    ) as Partial<Settings[S]>

const workspaceFile = (workspace: string) => join(workspace, ".claw", "config.json")

/** A repository must not point its control directory elsewhere (C015). */
const readWorkspace = (workspace: string): Result.Result<ConfigFile, ConfigError> => {
  const path = workspaceFile(workspace)
  const where = join(workspace, ".claw")
  // A workspace that is a file has no configuration; what is wrong with it is told where it is opened.
  if (lstatSync(workspace, { throwIfNoEntry: false })?.isFile() === true) return Result.succeed({})
  const directory = Result.try(() => lstatSync(where, { throwIfNoEntry: false }))
  if (Result.isFailure(directory)) return Result.fail(new ConfigError({ where, detail: "this cannot be read." }))
  if (directory.success === undefined) return Result.succeed({})
  if (!directory.success.isDirectory()) {
    return Result.fail(new ConfigError({ where, detail: "this must be a real directory, not a link or a file." }))
  }
  return Result.flatMap(readConfig(path, { required: false, followLink: false }), (file) =>
    checkWorkspaceFile(file ?? {}, path)
  )
}

const readUser = (path: string, required: boolean): Result.Result<ConfigFile, ConfigError> =>
  Result.flatMap(readConfig(path, { required, followLink: true }), (file = {}) =>
    file.state_dir === undefined || isAbsolute(file.state_dir)
      ? Result.succeed(file)
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

/** Reads everything, once. */
export const load = (input: ConfigInput = {}): Result.Result<ConfigShape, ConfigError> =>
  Result.gen(function* () {
    const env = input.env ?? process.env
    const workspace = resolvePath(input.workspace ?? ".")
    const user = environment.userFile(env)
    const flags = yield* checkValue(input.flags ?? {}, (path) => `--${String(path.at(-1)).replaceAll("_", "-")}`)
    const userFile = yield* readUser(user.path, user.required)
    const own = yield* environment.settingsFrom(env)
    const { settings, sources, warnings } = resolve({
      flags,
      environment: yield* withOpenaiUrl(env, own, flags, userFile),
      userFile,
      workspaceFile: yield* readWorkspace(workspace),
      machine: { state_dir: environment.stateDirectory(env), locale: environment.localeFrom(env) }
    })
    const file = workspaceFile(workspace)
    const token = environment.keyFrom(env, "CLAW_TOKEN")
    return {
      ...settings,
      state_dir: yield* checkStateDirectory(resolvePath(settings.state_dir)),
      workspace,
      apiKey: (variable: string) => environment.keyFrom(env, variable),
      ...(token === undefined ? {} : { token }),
      allowUnsafe: environment.allowsUnsafe(env),
      secrets: environment.secretsFrom(env),
      childEnvironment: environment.childEnvironment(env),
      ...(env["TERM"] === undefined ? {} : { term: env["TERM"] }),
      files: { user: user.path, workspace: file },
      sources,
      chosen: chosenOf(settings, sources),
      warnings: [...warnings.map((warning) => `${file}: ${warning}`), ...environment.strangers(env)]
    }
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
    env: { HOME: "/nonexistent", ...input.env }
  })

/** Language and looks before, or without, a readable configuration: what the environment says. */
export const ambient = (env: environment.Environment = process.env): Pick<Settings, "locale" | "no_color"> => {
  const own = Result.getOrElse(environment.settingsFrom(env), (): ConfigFile => ({}))
  return { locale: own.locale ?? environment.localeFrom(env), no_color: own.no_color ?? false }
}
