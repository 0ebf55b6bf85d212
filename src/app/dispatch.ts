/** Which command does what. Owns: the wiring of each command to the layers it needs; no logic of its own. */
import { Effect, Redacted } from "effect"
import type { CommandLine } from "../cli/CommandLine.ts"
import { EXIT } from "../cli/Commands.ts"
import { describe } from "../cli/Complaint.ts"
import { Output } from "../cli/Output.ts"
import { run } from "../cli/Run.ts"
import type { ConfigShape } from "../config/AppConfig.ts"
import { configSchema } from "../config/Settings.ts"
import { newSessionId } from "../domain/Ids.ts"
import { maskKnown } from "../observability/Redact.ts"
import { RuntimeManager } from "../runtime/RuntimeManager.ts"
import type { SessionRuntime } from "../runtime/SessionRuntime.ts"
import { auditCommand } from "./auditCommand.ts"
import { backupCommand, restoreCommand } from "./backupCommands.ts"
import { doctor } from "./doctor.ts"
import { Failure, refusal } from "./failure.ts"
import { forkCommand } from "./forkCommand.ts"
import { grantCommand } from "./grantCommands.ts"
import { interactive } from "./interactive.ts"
import { bypassAllowed } from "./isolation.ts"
import { sessions } from "./layers.ts"
import { choose, missingIn } from "./model.ts"
import { namedPrompt } from "./namedPrompt.ts"
import { policyCommand } from "./policyCommands.ts"
import { promptFrom } from "./prompt.ts"
import { showProtocol } from "./protocolCommand.ts"
import { clearAtStart } from "./remains.ts"
import { replayCommand } from "./replayCommand.ts"
import { sessionCommand } from "./sessionCommands.ts"
import { tokenCommand } from "./tokenCommands.ts"
import { sayElsewhere, sayUntrusted } from "./trust.ts"
import { trustCommand } from "./trustCommand.ts"
import { usageCommand } from "./usageCommand.ts"
import { overridesOf, sessionIdOf, workspaceOf } from "./workspace.ts"

/** A name of the script's own choosing makes a session the first time it is used. */
const openSession = Effect.fnUntraced(function* (line: CommandLine, config: ConfigShape, workspace: string) {
  const manager = yield* RuntimeManager
  const overrides = overridesOf(line, config)
  const named = line.values["session"]
  if (named === undefined) return yield* manager.create(newSessionId("run"), { workspace, ...overrides })
  const id = yield* sessionIdOf(named)
  return yield* Effect.catchIf(
    manager.open(id, overrides),
    (error) => error.code === "session_not_found",
    () => manager.create(id, { workspace, ...overrides })
  )
})

const runOnce = Effect.fnUntraced(function* (line: CommandLine, config: ConfigShape) {
  const content = yield* namedPrompt(yield* promptFrom(line.operands, process.stdin), config)
  const workspace = yield* Effect.fromResult(workspaceOf(config))
  const choice = yield* Effect.mapError(
    Effect.fromResult(choose(config)),
    (why) => new Failure({ exit: EXIT.usage, detail: missingIn(why, config.locale) })
  )
  yield* sayUntrusted(config)
  const { locale } = config
  const output = yield* Output
  const told = (session: SessionRuntime) =>
    Effect.flatMap(session.status, ({ damaged, meta, read_only }) =>
      Effect.andThen(
        sayElsewhere(config, meta.workspace),
        damaged === 0 ? Effect.void : output.err(`claw: ${describe.damaged(damaged, locale, read_only)}\n`)
      )
    )
  const opened = Effect.andThen(bypassAllowed(config), openSession(line, config, workspace))
  const task = Effect.flatMap(Effect.tap(opened, told), (session) =>
    run(session, { content, json: line.switches.has("json"), locale })
  )
  return yield* Effect.provide(task, sessions(config, choice))
})

const showConfig = Effect.fnUntraced(function* (line: CommandLine, config: ConfigShape) {
  const output = yield* Output
  const what = line.operands[0]
  if (what !== "schema" && what !== "show")
    return yield* refusal("claw config takes schema or show.", "claw config 只接受 schema 或 show。")
  const { sources, secrets, apiKey: _k, token: _t, childEnvironment: _c, movedSecrets: _m, trust, ...values } = config
  const shown =
    what === "schema" ? configSchema() : { ...values, trust: trust.status, sources: Object.fromEntries(sources) }
  // A URL that a person configured may hold a key.
  yield* output.out(`${maskKnown(secrets.map(Redacted.value))(JSON.stringify(shown, undefined, 2))}\n`)
  return EXIT.done
})

/** Larger than all the rest together, and wanted by one command alone. */
const server = Effect.promise(() => import("./serve.ts"))
const attaching = Effect.promise(() => import("./attach.ts"))

const commandOf = (line: CommandLine, config: ConfigShape) => {
  switch (line.command.name) {
    case "run":
      return runOnce(line, config)
    case "serve":
      return Effect.flatMap(server, ({ serve }) => serve(line, config))
    case "attach":
      return Effect.flatMap(attaching, ({ attach }) => attach(line, config))
    case "doctor":
      return doctor(config, line.switches.has("json"), line.switches.has("fix"))
    case "config":
      return showConfig(line, config)
    case "policy":
      return policyCommand(line, config)
    case "token":
      return tokenCommand(line, config)
    case "trust":
      return trustCommand(line, config)
    case "grants":
      return grantCommand(line, config)
    case "audit":
      return auditCommand(line, config)
    case "protocol":
      return showProtocol(line.switches.has("schema"))
    case "fork":
      return forkCommand(line, config)
    case "backup":
      return backupCommand(line, config)
    case "restore":
      return restoreCommand(line, config)
    case "usage":
      return usageCommand(line, config)
    case "replay":
      return replayCommand(line, config)
    case "sessions":
      return sessionCommand(line, config)
    default:
      return interactive(line, config)
  }
}

export const dispatch = (line: CommandLine, config: ConfigShape) =>
  // `claw doctor` says first what there is.
  line.command.name === "doctor"
    ? commandOf(line, config)
    : Effect.andThen(clearAtStart(config), () => commandOf(line, config))
