/**
 * Trust where a command begins: the one question at a terminal, the one line where nobody is asked (issue 4).
 * Invariant: a command goes on with a configuration that was read after the answer, or as if nothing were there.
 */
import { Clock, Effect, Result } from "effect"
import type { CommandLine } from "../cli/CommandLine.ts"
import { EXIT } from "../cli/Commands.ts"
import * as NodeTerminal from "../cli/node/Terminal.ts"
import { Output } from "../cli/Output.ts"
import { sanitise } from "../cli/Sanitise.ts"
import { askTrust } from "../cli/TrustQuestion.ts"
import { trustTexts, untrustedNotice } from "../cli/TrustView.ts"
import type { ConfigShape } from "../config/AppConfig.ts"
import type { ConfigError } from "../config/ConfigError.ts"
import type { TieredRule } from "../config/Settings.ts"
import { remember } from "../config/WorkspaceTrust.ts"
import { standingOf } from "../config/WrittenForAgents.ts"
import { configured } from "./configured.ts"
import { Failure } from "./failure.ts"
import { checkedRules } from "./policyRules.ts"

/** Says what does not take effect here; nothing where everything does. */
export const sayUntrusted = Effect.fnUntraced(function* ({ trust, locale }: ConfigShape) {
  const output = yield* Output
  const notice = untrustedNotice(trust, locale)
  if (notice !== undefined) yield* output.err(`claw: ${notice}\n`)
})

/** The same of a session that works elsewhere than claw was started: nobody was asked about that directory. */
export const sayElsewhere = (config: ConfigShape, workspace: string) =>
  workspace === config.trust.workspace ? Effect.void : sayUntrusted({ ...config, trust: standingOf(config, workspace) })

/** Why what stands here could not be used even if it were trusted; undefined: it could. */
export const unloadable = (supposed: Result.Result<ConfigShape, ConfigError>): string | undefined => {
  const checked = Result.flatMap(supposed, (config) =>
    checkedRules({ ...config, rules: { allow: [], ask: theirs(config.rules.ask), deny: theirs(config.rules.deny) } })
  )
  return Result.isSuccess(checked) ? undefined : sanitise(checked.failure.message).replaceAll("\n", "⏎")
}

const theirs = (rules: ReadonlyArray<TieredRule>) =>
  // Nothing to take back yet: the way out is not this one's.
  rules.flatMap((rule) => (rule.tier === "workspace" ? [{ ...rule, tier: "user" as const }] : []))

/** At a terminal: asks once for what is new here, and gives the configuration that follows from the answer. */
export const settleTrust = Effect.fnUntraced(function* (line: CommandLine, config: ConfigShape) {
  const { trust, locale, state_dir } = config
  if (trust.status !== "unknown" && trust.status !== "changed") return config
  const output = yield* Output
  const wrong = unloadable(configured(line, "supposed"))
  if (wrong !== undefined) {
    yield* output.err(`claw: ${trustTexts[locale].doesNotLoad(sanitise(trust.workspace), wrong)}\n`)
    return config
  }
  const terminal = NodeTerminal.layer({ input: process.stdin, output: process.stdout, color: output.color })
  const answer = yield* Effect.scoped(Effect.provide(askTrust(trust, locale), terminal))
  if (answer === "leave") return yield* new Failure({ exit: EXIT.cancelled, detail: "" })
  const usage = (error: { readonly message: string }) => new Failure({ exit: EXIT.usage, detail: error.message })
  const now = yield* Clock.currentTimeMillis
  yield* Effect.mapError(Effect.fromResult(remember(state_dir, trust, answer, now)), usage)
  const settled = yield* Effect.mapError(Effect.fromResult(configured(line)), usage)
  const fresh = settled.warnings.filter((warning) => !config.warnings.includes(warning))
  for (const warning of fresh) yield* output.err(`claw: ${sanitise(warning)}\n`)
  return settled
})
