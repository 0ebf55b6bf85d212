/**
 * The program's main. Owns: from words to a command, the process's signals and its exit code, errors as one sentence.
 * Invariant: nothing else ends the process; whatever goes wrong is a sentence on standard error and a documented code.
 */
import type { Fiber } from "effect"
import { Cause, Effect, Exit, Redacted, Result } from "effect"
import { parse } from "../cli/CommandLine.ts"
import { EXIT, type Locale } from "../cli/Commands.ts"
import { describe } from "../cli/Complaint.ts"
import { commandHelp, helpText } from "../cli/Help.ts"
import { Interrupts } from "../cli/Interrupts.ts"
import { Output } from "../cli/Output.ts"
import { sanitise } from "../cli/Sanitise.ts"
import { ambient } from "../config/AppConfig.ts"
import type { ConfigError } from "../config/ConfigError.ts"
import { version } from "../config/Version.ts"
import { table } from "../domain/ErrorCode.ts"
import { boundYoungGeneration } from "./collector.ts"
import { configured, mends } from "./configured.ts"
import { maskKnown } from "../observability/Redact.ts"
import { dispatch } from "./dispatch.ts"
import { Endings } from "./endings.ts"
import { detailIn, Failure, refusal } from "./failure.ts"
import * as NodeOutput from "./nodeOutput.ts"
import { checkedRules } from "./policyRules.ts"

const FORCE_MS = 2_000

/** Whoever wrote the file reads of it as it is called there; in Chinese that is a quotation. */
const badConfig = ({ message }: ConfigError): Failure => refusal(message, `配置有误（原文：${message}）`)

/** The exit code of everything but a crash. */
const command = Effect.fnUntraced(function* (args: ReadonlyArray<string>, locale: Locale) {
  const output = yield* Output
  const line = yield* Effect.mapError(
    Effect.fromResult(parse(args, locale)),
    (error) => new Failure({ exit: EXIT.usage, detail: error.detail })
  )
  if (line.switches.has("version")) return yield* Effect.as(output.out(`claw ${version}\n`), EXIT.done)
  if (line.switches.has("help")) {
    const text = line.command.name === "" ? helpText(locale) : commandHelp(line.command, locale)
    return yield* Effect.as(output.out(text), EXIT.done)
  }
  const loaded = configured(line)
  if (Result.isFailure(loaded)) return yield* badConfig(loaded.failure)
  const config = loaded.success
  const rules = checkedRules(config)
  if (Result.isFailure(rules) && !mends(line)) return yield* badConfig(rules.failure)
  const trouble = config.trouble ?? (Result.isFailure(rules) ? rules.failure : undefined)
  // The doctor has a finding of its own for it.
  if (trouble !== undefined && line.command.name !== "doctor") yield* output.err(`claw: ${sanitise(trouble.message)}\n`)
  for (const warning of config.warnings) yield* output.err(`claw: ${sanitise(warning)}\n`)
  return yield* dispatch(line, config)
})

/** What a person is told of an end that is not an exit code. */
const sentence = (cause: Cause.Cause<unknown>, locale: Locale): { readonly exit: number; readonly text: string } => {
  const failure = cause.reasons.find(Cause.isFailReason)?.error
  if (failure instanceof Failure) return { exit: failure.exit, text: detailIn(failure, locale) }
  if (Cause.hasInterruptsOnly(cause)) return { exit: EXIT.cancelled, text: "" }
  const code = typeof failure === "object" && failure !== null && "code" in failure ? failure.code : "internal"
  const known = typeof code === "string" && code in table ? (code as keyof typeof table) : "internal"
  const message = failure instanceof Error ? failure.message : table[known].en
  return { exit: EXIT.failed, text: describe.error({ code: known, message, retryable: false }, locale) }
}

type Claimed = { handler: (() => void) | undefined; end: (() => void) | undefined }

const claiming = (claimed: Claimed, what: keyof Claimed) => ({
  claim: (handler: () => void) =>
    Effect.asVoid(
      Effect.acquireRelease(
        Effect.sync(() => void (claimed[what] = handler)),
        () => Effect.sync(() => void (claimed[what] = undefined))
      )
    )
})

/**
 * SIGINT, SIGTERM and SIGHUP end the command in order; a second one within two seconds ends the process at once. A
 * command that ends by itself in its own time (a server that drains) is told once; any second signal ends it at once.
 */
const onSignals = (fiber: Fiber.Fiber<unknown, unknown>, exits: { code: number | undefined }, claimed: Claimed) => {
  const codes = { SIGINT: EXIT.cancelled, SIGTERM: EXIT.terminated, SIGHUP: EXIT.hungUp } as const
  let first = Number.NEGATIVE_INFINITY
  let told = false
  for (const [signal, code] of Object.entries(codes)) {
    process.on(signal, () => {
      if (signal === "SIGINT" && claimed.handler !== undefined) return claimed.handler()
      if (told) process.exit(code)
      if (claimed.end !== undefined) {
        told = true
        return claimed.end()
      }
      const now = performance.now()
      if (now - first < FORCE_MS) process.exit(code)
      first = now
      exits.code = code
      fiber.interruptUnsafe()
    })
  }
}

/** What a crash report or a debugger would show are the keys; a signal from a tool must open neither. */
const closeBackDoors = (): void => {
  process.report.excludeEnv = true
  process.on("SIGUSR1", () => {})
}

const main = (): void => {
  closeBackDoors()
  boundYoungGeneration()
  const { locale, no_color, secrets } = ambient()
  const mask = maskKnown(secrets.map(Redacted.value))
  const output = NodeOutput.make({ stdout: process.stdout, stderr: process.stderr, no_color })
  const exits: { code: number | undefined } = { code: undefined }
  const claimed: Claimed = { handler: undefined, end: undefined }
  const program = command(process.argv.slice(2), locale).pipe(
    Effect.provideService(Output, output),
    Effect.provideService(Interrupts, claiming(claimed, "handler")),
    Effect.provideService(Endings, claiming(claimed, "end")),
    Effect.exit,
    Effect.flatMap((exit) => {
      if (Exit.isSuccess(exit)) return Effect.succeed(exit.value)
      const { exit: code, text } = sentence(exit.cause, locale)
      return Effect.as(text === "" ? Effect.void : output.err(`claw: ${sanitise(mask(text))}\n`), code)
    })
  )
  const fiber = Effect.runFork(program)
  onSignals(fiber, exits, claimed)
  fiber.addObserver((exit) => process.exit(Exit.isSuccess(exit) ? exit.value : (exits.code ?? EXIT.cancelled)))
}

main()
