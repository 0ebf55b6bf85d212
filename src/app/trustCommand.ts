/**
 * `claw trust [--list|--revoke] [DIR]`: trusts a directory as it stands, shows what was decided, takes it back.
 * Owns: how that looks as text and as JSON lines. Trusting by command is how a script does it: what is bound is what is
 * there now, and a later change is not trusted; there is no flag that trusts whatever comes.
 */
import { resolve } from "node:path"
import { Clock, Effect, Result } from "effect"
import type { CommandLine } from "../cli/CommandLine.ts"
import { EXIT } from "../cli/Commands.ts"
import { Output } from "../cli/Output.ts"
import { sanitise } from "../cli/Sanitise.ts"
import { offerLine, recordLine, trustTexts, untrustedNotice } from "../cli/TrustView.ts"
import { type ConfigShape, load } from "../config/AppConfig.ts"
import { forget, type Offer, offered, records, remember, type Standing, standing } from "../config/WorkspaceTrust.ts"
import { Failure } from "./failure.ts"
import { unloadable } from "./trust.ts"
import { workspaceOf } from "./workspace.ts"

const json = (value: object): string => `${JSON.stringify(value)}\n`

const plain = ({ kind, path, taken, problem, digest }: Offer) => ({
  kind,
  path,
  taken,
  digest,
  ...(problem === undefined ? {} : { problem })
})

const summary = ({ workspace, status, why }: Standing) => ({ workspace, status, ...(why === undefined ? {} : { why }) })

/** One directory: what is there, what each would do, where it stands. Changes nothing. */
const show = Effect.fnUntraced(function* (here: Standing, asJson: boolean, { locale }: ConfigShape) {
  const output = yield* Output
  const offers = offered(here.workspace)
  const text = [
    `${sanitise(here.workspace)}: ${trustTexts[locale].status[here.status]}`,
    ...offers.map((offer) => offerLine(offer, locale)),
    ""
  ].join("\n")
  yield* output.out(asJson ? json({ ...summary(here), offers: offers.map(plain) }) : text)
  return EXIT.done
})

const list = Effect.fnUntraced(function* (asJson: boolean, { state_dir, locale }: ConfigShape) {
  const output = yield* Output
  const all = records(state_dir)
  for (const { file, record } of all) {
    if (record === undefined) {
      yield* output.err(`claw: ${trustTexts[locale].damaged(file)}\n`)
      continue
    }
    const { status } = standing({ state_dir, workspace: record.path })
    yield* output.out(asJson ? json({ ...record, status }) : `${recordLine(record, status, locale)}\n`)
  }
  if (all.length === 0 && !asJson) yield* output.err(`claw: ${trustTexts[locale].none}\n`)
  return EXIT.done
})

const revoke = Effect.fnUntraced(function* (workspace: string, asJson: boolean, { state_dir, locale }: ConfigShape) {
  const output = yield* Output
  const text = trustTexts[locale]
  if (forget({ state_dir, workspace }) === 0) {
    return yield* new Failure({ exit: EXIT.failed, detail: text.notKept(sanitise(workspace)) })
  }
  if (asJson) yield* output.out(json({ workspace, revoked: true }))
  else yield* output.err(`claw: ${text.revoked(sanitise(workspace))}\n`)
  return EXIT.done
})

const trust = Effect.fnUntraced(function* (here: Standing, asJson: boolean, { state_dir, locale }: ConfigShape) {
  const output = yield* Output
  const text = trustTexts[locale]
  if (here.status === "empty") {
    if (asJson) yield* output.out(json(summary(here)))
    else yield* output.err(`claw: ${text.nothing(sanitise(here.workspace))}\n`)
    return EXIT.done
  }
  if (here.status === "unusable") {
    return yield* new Failure({ exit: EXIT.failed, detail: untrustedNotice(here, locale) ?? text.status.unusable })
  }
  const wrong = unloadable(load({ workspace: here.workspace, repository: "supposed" }))
  if (wrong !== undefined) {
    return yield* new Failure({ exit: EXIT.failed, detail: text.doesNotLoad(sanitise(here.workspace), wrong) })
  }
  const now = yield* Clock.currentTimeMillis
  const kept = remember(state_dir, here, "trusted", now)
  const record = yield* Effect.mapError(
    Effect.fromResult(kept),
    (error) => new Failure({ exit: EXIT.failed, detail: error.message })
  )
  if (asJson) yield* output.out(json({ ...record, status: "trusted" }))
  else {
    yield* output.out(here.offers.map((offer) => `${offerLine(offer, locale)}\n`).join(""))
    yield* output.err(`claw: ${text.kept(sanitise(here.workspace))}\n`)
  }
  return EXIT.done
})

const usage = {
  en: "claw trust takes one of --list and --revoke, not both.",
  "zh-CN": "claw trust 只能使用 --list 和 --revoke 之一。"
}

export const trustCommand = (line: CommandLine, config: ConfigShape) => {
  const [given] = line.operands
  const { switches } = line
  const asJson = switches.has("json")
  if (switches.has("list") && switches.has("revoke")) {
    return Effect.fail(new Failure({ exit: EXIT.usage, detail: usage[config.locale] }))
  }
  if (switches.has("list") && given === undefined) return list(asJson, config)
  const workspace = resolve(config.workspace, given ?? ".")
  if (switches.has("revoke")) return revoke(workspace, asJson, config)
  return Effect.suspend(() => {
    const there = workspaceOf({ ...config, workspace })
    if (Result.isFailure(there)) return Effect.fail(there.failure)
    const here = standing({ state_dir: config.state_dir, workspace })
    return switches.has("list") ? show(here, asJson, config) : trust(here, asJson, config)
  })
}
