/**
 * Which model this process talks to. Owns: from configuration to a provider, and what to say when there is none.
 * Does not own: profiles (provider), keys' reading (config).
 */
import { Redacted, Result } from "effect"
import type { Locale } from "../cli/Commands.ts"
import type { ConfigShape } from "../config/AppConfig.ts"
import { fault, faultInChinese } from "../domain/FaultTexts.ts"
import * as Catalogue from "../provider/Catalogue.ts"
import { type OpenAiConfig } from "../provider/openai/OpenAi.ts"
import { proxyFor } from "../provider/openai/Proxy.ts"
import type { Capabilities } from "../provider/Provider.ts"
import { isResolved, profiles, resolveProfile, type Profile } from "../provider/Profiles.ts"

export type Choice =
  | { readonly kind: "demo"; readonly model: string }
  | { readonly kind: "openai"; readonly model: string; readonly source: string; readonly config: OpenAiConfig }

export interface Missing {
  readonly code: "no_provider"
  /** What to set, in one sentence. */
  readonly detail: string
}

/** The sentence for whoever reads it. */
export const missingIn = ({ detail }: Missing, locale: Locale): string =>
  locale === "zh-CN" ? (faultInChinese(detail) ?? detail) : detail

const keyNames = new Set(Object.values<Profile>(profiles).flatMap((profile) => profile.key_env))

const settingsOf = (config: ConfigShape): Record<string, string | undefined> => ({
  CLAW_PROVIDER: config.provider,
  OPENAI_BASE_URL: config.base_url,
  CLAW_MODEL: config.model,
  ...Object.fromEntries(
    Array.from(keyNames).flatMap((name) => {
      const key = config.apiKey(name)
      return key === undefined ? [] : [[name, Redacted.value(key)]]
    })
  )
})

/** Where each of these settings may also come from. */
const keyOf: Readonly<Record<string, "provider" | "base_url">> = {
  CLAW_PROVIDER: "provider",
  OPENAI_BASE_URL: "base_url"
}

/** A setting as it was given: who reads of it looks there. */
const said = ({ sources, files }: ConfigShape, name: string): string => {
  const key = keyOf[name]
  if (key === undefined) return name
  switch (sources.get(key)) {
    case "flag":
      return `--${key.replaceAll("_", "-")}`
    case "user file":
      return `"${key}" in ${files.user}`
    case "workspace file":
      return `"${key}" in ${files.workspace}`
    default:
      return name
  }
}

const missing = (detail: string): Result.Result<Choice, Missing> => Result.fail({ code: "no_provider", detail })

/** Only what somebody chose: a profile has limits of its own, for servers that load a model first. */
const deadlinesOf = (config: ConfigShape) => {
  const chosen = config.chosen("deadlines")
  return { ...chosen, ...(chosen.total_ms === 0 ? { total_ms: Number.POSITIVE_INFINITY } : {}) }
}

/** What is known of models here: the person's own rows, and prices of the server that is asked. */
export const catalogueOf = ({ models }: ConfigShape, choice: Choice): Catalogue.Lookup =>
  Catalogue.make({ models, ...(choice.kind === "demo" ? {} : { base_url: choice.config.base_url }) })

/** Of the configured model: what somebody set, else what is known of it. */
const capabilitiesOf = ({ limits, models }: ConfigShape, base_url: string, model: string): Partial<Capabilities> => {
  const { context_window, output_limit, tools, reasoning } = Catalogue.make({ models, base_url })(model)
  return {
    tools,
    reasoning,
    context_window: limits.context_window_tokens ?? context_window,
    max_output_tokens: output_limit
  }
}

/** The configured model, or why there is none. A server without a model is one whose list `claw doctor` can show. */
export const choose = (config: ConfigShape, needsModel = true): Result.Result<Choice, Missing> => {
  if (config.provider === "demo") return Result.succeed({ kind: "demo", model: "demo" })
  const found = resolveProfile(settingsOf(config), (name) => said(config, name))
  if (!isResolved(found)) return missing(found.reason)
  if (found.model === undefined && needsModel) {
    return missing(fault("needs_model", { title: found.profile.title }))
  }
  const { base_url, model = "", profile } = found
  const proxy = proxyFor(base_url, config.proxies)
  if (proxy !== undefined && "reason" in proxy) return missing(proxy.reason)
  return Result.succeed({
    kind: "openai",
    model,
    source: found.source,
    config: {
      profile,
      base_url,
      model,
      ...(config.api === undefined ? {} : { api: config.api }),
      ...(found.key === undefined ? {} : { key: Redacted.make(found.key) }),
      ...(found.key_source === undefined ? {} : { key_source: found.key_source }),
      ...(proxy === undefined ? {} : { proxy }),
      capabilities: capabilitiesOf(config, base_url, model),
      deadlines: deadlinesOf(config)
    }
  })
}
