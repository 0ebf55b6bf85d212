/**
 * `claw doctor`: what claw finds here and what is wrong, each with what to do. Owns: the checks and their sentences.
 * Changes nothing but the state directory, which it makes as claw itself would, and with `--fix` what can be mended in
 * the store and what a claw that was killed left in the workspace. Exit 1 where something must be mended.
 */
import { execFile } from "node:child_process"
import { accessSync, constants, existsSync, mkdirSync } from "node:fs"
import { Effect, Result } from "effect"
import { EXIT } from "../cli/Commands.ts"
import { Output } from "../cli/Output.ts"
import { sanitise } from "../cli/Sanitise.ts"
import { trustTexts, untrustedNotice } from "../cli/TrustView.ts"
import type { ConfigShape } from "../config/AppConfig.ts"
import { exposure } from "../config/StateDirectory.ts"
import { version } from "../config/Version.ts"
import type { ModelEntry } from "../provider/Catalogue.ts"
import { probe, type ProbeReport } from "../provider/openai/Probe.ts"
import { socketsIn } from "../sandbox/bubblewrap/Sockets.ts"
import type { IsolationReport } from "../sandbox/Isolation.ts"
import type { Finding as Plain } from "./finding.ts"
import { reported } from "./isolation.ts"
import { grantFindings } from "./grantFindings.ts"
import { catalogueOf, choose } from "./model.ts"
import { checkedRules } from "./policyRules.ts"
import { remainsFindings } from "./remains.ts"
import { storeFindings } from "./storeFindings.ts"
import { toldFindings } from "./told.ts"

interface Finding extends Plain {
  /** What is in force, and each way out that was tried. */
  readonly isolation?: Omit<IsolationReport, "detail">
}

const finding = (name: string, status: Finding["status"], detail: string): Finding => ({ name, status, detail })

/** First line that a program prints of its version; undefined: it is not there. */
const versionOf = (program: string, env: Readonly<Record<string, string>>): Effect.Effect<string | undefined> =>
  Effect.callback((resume) => {
    execFile(program, ["--version"], { timeout: 2_000, env }, (error, stdout) =>
      resume(Effect.succeed(error === null ? stdout.split("\n", 1)[0] : undefined))
    )
  })

const stateDirectory = (config: ConfigShape): Finding => {
  const made = Result.try(() => {
    mkdirSync(config.state_dir, { recursive: true, mode: 0o700 })
    accessSync(config.state_dir, constants.W_OK)
  })
  const exposed = exposure(config.state_dir)
  if (exposed !== undefined) return finding("state", "problem", exposed)
  return Result.isSuccess(made)
    ? finding("state", "ok", config.state_dir)
    : finding("state", "problem", `${config.state_dir} cannot be written. Set CLAW_STATE_DIR to a directory that can.`)
}

const ofProbe = (report: ProbeReport, model: string): ReadonlyArray<Finding> => {
  if (report.error !== undefined) return [finding("server", "problem", `${report.error.detail} [${report.error.code}]`)]
  const reached = finding("server", "ok", `${report.base_url} answered in ${Math.round(report.latency_ms)} ms`)
  if (report.models === undefined) {
    const what = model === "" ? "No model is chosen, and" : `${model};`
    return [reached, finding("model", model === "" ? "problem" : "note", `${what} the server lists no models`)]
  }
  if (report.model_listed === true) return [reached, finding("model", "ok", model)]
  const some = report.models.slice(0, 20).join(", ")
  if (model === "")
    return [
      reached,
      finding("model", "problem", `No model is chosen (--model, CLAW_MODEL). The server has: ${some || "none"}.`)
    ]
  return [reached, finding("model", "problem", `The server does not list ${model}. It has: ${some || "none"}.`)]
}

/** What claw takes for granted of the model, and from where. */
const ofCatalogue = ({ limits }: ConfigShape, model: string, entry: ModelEntry): Finding => {
  const { output_limit, prices, read, source } = entry
  const window = limits.context_window_tokens ?? entry.context_window
  const sizes = `${window.toLocaleString("en")} tokens of context, ${output_limit.toLocaleString("en")} of output`
  const cost =
    prices === undefined
      ? "price unknown"
      : `US$ ${prices.input} in, ${prices.cached_input ?? prices.input} cached, ${prices.output} out for a million tokens`
  if (source === undefined) {
    return finding("model", "note", `${model} is not in the catalogue: ${sizes} are assumed, ${cost}. Set "models".`)
  }
  return finding("model", "ok", `${sizes}; ${cost} (${read === undefined ? source : `${source}, ${read}`})`)
}

const model = Effect.fnUntraced(function* (config: ConfigShape) {
  const chosen = choose(config, false)
  if (Result.isFailure(chosen)) return [finding("provider", "problem", chosen.failure.detail)]
  const choice = chosen.success
  if (choice.kind === "demo") return [finding("provider", "ok", "demo: a script, no model")]
  const { profile, key_source, key } = choice.config
  const from = key === undefined ? "no key" : `key from ${key_source ?? "the environment"}`
  const found = finding("provider", "ok", `${profile.title}, chosen by ${choice.source}, ${from}`)
  const lookup = catalogueOf(config, choice)
  const known = choice.model === "" ? [] : [ofCatalogue(config, choice.model, lookup(choice.model))]
  const mute = config.fallback_models.filter((name) => !lookup(name).tools)
  const standIns = mute.map((name) => finding("model", "problem", `${name} cannot call tools: it never stands in`))
  return [found, ...ofProbe(yield* probe(choice.config), choice.model), ...known, ...standIns]
})

const programs = Effect.fnUntraced(function* ({ childEnvironment: env }: ConfigShape) {
  const [bash, git] = yield* Effect.all([versionOf("bash", env), versionOf("git", env)], { concurrency: 2 })
  return [
    bash === undefined
      ? finding("bash", "problem", "bash is not on PATH: the model cannot run commands. Install it.")
      : finding("bash", "ok", bash),
    git === undefined ? finding("git", "note", "git is not on PATH.") : finding("git", "ok", git)
  ]
})

const ofIsolation = ({ attempts, detail, state }: IsolationReport): Finding => ({
  ...finding("isolation", state === "in_force" ? "ok" : state === "required" ? "problem" : "note", detail),
  isolation: { state, attempts }
})

/** What isolation leaves open by the person's own word, and what of it is not there. */
export const exceptions = ({
  isolation: { hosts, mode, network, read, write }
}: ConfigShape): ReadonlyArray<Finding> => {
  if (mode === "off") return []
  const missing = [...new Set([...write, ...read])].filter((path) => !existsSync(path))
  const open = [
    ...(network ? ["network"] : []),
    ...(network || hosts.length === 0 ? [] : [`hosts ${hosts.join(" ")} by HTTP`]),
    ...write.filter((path) => existsSync(path)).map((path) => `writes ${path}`),
    ...read.filter((path) => existsSync(path)).map((path) => `reads ${path}`)
  ]
  return [
    ...(open.length === 0 ? [] : [finding("isolation", "note", `commands also have: ${open.join(", ")}`)]),
    ...missing.map((path) =>
      finding("isolation", "problem", `isolation.write or .read names ${path}, which is not there: make it, or mend it`)
    )
  ]
}

const MOST_SOCKETS = 10

/** Of the user's own programs: what isolation closes, and what it cannot. */
const sockets = ({ isolation, workspace }: ConfigShape): ReadonlyArray<Finding> => {
  const found = isolation.mode === "off" ? [] : socketsIn(workspace)
  if (found.length === 0) return []
  const more = found.length > MOST_SOCKETS ? ` and ${found.length - MOST_SOCKETS} more` : ""
  const names = found.slice(0, MOST_SOCKETS).join(", ")
  const closed = `isolated commands do not reach the sockets in the workspace: ${names}${more}`
  return [finding("isolation", "note", `${closed}. One that is made while a command runs is open to that command.`)]
}

const file = (path: string): string => (existsSync(path) ? path : `${path} (no file)`)

const files = (config: ConfigShape): Finding =>
  finding("config", "ok", `${file(config.files.user)}, ${file(config.files.workspace)}; mode ${config.mode}`)

const rules = (config: ConfigShape): ReadonlyArray<Finding> => {
  const checked = checkedRules(config)
  return Result.isSuccess(checked) ? [] : [finding("rules", "problem", checked.failure.message)]
}

const trust = (config: ConfigShape): ReadonlyArray<Finding> => {
  const { trust: standing, locale } = config
  if (standing.status === "empty") return []
  if (config.trouble !== undefined) return [finding("trust", "problem", config.trouble.message)]
  const notice = untrustedNotice(standing, locale)
  return [finding("trust", notice === undefined ? "ok" : "note", notice ?? trustTexts[locale].status.trusted)]
}

export const doctor = Effect.fnUntraced(function* (config: ConfigShape, json: boolean, fix: boolean) {
  const output = yield* Output
  const [asked, found] = yield* Effect.all([model(config), programs(config)], { concurrency: 2 })
  const known = stateDirectory(config)
  const findings = [
    finding("claw", "ok", `${version}, Node ${process.versions.node}, SQLite ${process.versions.sqlite}`),
    files(config),
    ...trust(config),
    ...(yield* toldFindings(config)),
    ...rules(config),
    known,
    ...asked,
    ...found,
    ...(yield* storeFindings(config, fix)),
    ...(yield* grantFindings(config)),
    ...remainsFindings(config, fix),
    ofIsolation(yield* reported(config)),
    ...exceptions(config),
    ...sockets(config)
  ]
  const marks = { ok: "ok     ", note: "note   ", problem: "PROBLEM" } as const
  const lines = findings.map(
    (one) => `${marks[one.status]}  ${one.name.padEnd(10)} ${sanitise(one.detail).replaceAll("\n", "⏎")}\n`
  )
  yield* output.out(json ? `${JSON.stringify({ findings })}\n` : lines.join(""))
  return findings.some((one) => one.status === "problem") ? EXIT.failed : EXIT.done
})
