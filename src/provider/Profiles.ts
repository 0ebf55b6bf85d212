/**
 * What differs between OpenAI-compatible servers, as data. Owns: the profiles and how one is chosen from settings.
 * Does not own: reading the environment (config does, and hands the record in) or files.
 * Invariant: `resolveProfile` is pure, never guesses a key for another host than the one it belongs to, and a refusal
 * says what to set.
 */
import { fault } from "../domain/FaultTexts.ts"
import type { DeadlineLimits } from "./Deadlines.ts"

export interface Profile {
  readonly name: string
  readonly title: string
  /** Absent: the user must give one. */
  readonly base_url?: string
  /** Names of settings that may hold the key, in order. */
  readonly key_env: ReadonlyArray<string>
  readonly key_required: boolean
  /** What it is spoken to in; absent: `/chat/completions`. */
  readonly api?: "responses"
  /** The server understands `stream_options.include_usage`. */
  readonly usage_in_stream: boolean
  /** False: the server is told to make one call at a time. */
  readonly parallel_tool_calls: boolean
  /** Fields of a delta that hold reasoning text, in order. */
  readonly reasoning_fields: ReadonlyArray<string>
  /** The field of an assistant message under which its reasoning is sent back; absent: it is not (LESSONS 9). */
  readonly replay_reasoning?: string
  readonly max_tokens_field: "max_tokens" | "max_completion_tokens"
  readonly default_model?: string
  /** What to do when nothing listens there. */
  readonly start_hint?: string
  readonly deadlines?: Partial<DeadlineLimits>
}

const reasoning_fields = ["reasoning_content", "reasoning"] as const
const hosted = {
  key_required: true,
  usage_in_stream: true,
  parallel_tool_calls: true,
  reasoning_fields,
  max_tokens_field: "max_tokens"
} as const
/** A model on one's own machine reads a long prompt for minutes before its first token. */
const local = { ...hosted, key_required: false, deadlines: { first_chunk_ms: 300_000, idle_ms: 120_000 } } as const

export const profiles = {
  openai: {
    ...hosted,
    name: "openai",
    title: "OpenAI",
    base_url: "https://api.openai.com/v1",
    key_env: ["OPENAI_API_KEY"],
    max_tokens_field: "max_completion_tokens",
    default_model: "gpt-5-mini"
  },
  "openai-responses": {
    ...hosted,
    name: "openai-responses",
    title: "OpenAI (Responses)",
    base_url: "https://api.openai.com/v1",
    key_env: ["OPENAI_API_KEY"],
    max_tokens_field: "max_completion_tokens",
    default_model: "gpt-5-mini",
    api: "responses"
  },
  zhipu: {
    ...hosted,
    name: "zhipu",
    title: "Zhipu (BigModel)",
    base_url: "https://open.bigmodel.cn/api/paas/v4",
    key_env: ["ZHIPU_API_KEY"],
    replay_reasoning: "reasoning_content",
    default_model: "glm-4.6"
  },
  ollama: {
    ...local,
    name: "ollama",
    title: "Ollama",
    base_url: "http://127.0.0.1:11434/v1",
    key_env: [],
    start_hint: fault("start_with", { command: "`ollama serve`" })
  },
  lmstudio: {
    ...local,
    name: "lmstudio",
    title: "LM Studio",
    base_url: "http://127.0.0.1:1234/v1",
    key_env: [],
    start_hint: fault("start_lmstudio", { command: "`lms server start`" })
  },
  llamacpp: {
    ...local,
    name: "llamacpp",
    title: "llama.cpp",
    base_url: "http://127.0.0.1:8080/v1",
    key_env: [],
    start_hint: fault("start_with", { command: "`llama-server --jinja -m MODEL.gguf`" })
  },
  vllm: {
    ...local,
    name: "vllm",
    title: "vLLM",
    base_url: "http://127.0.0.1:8000/v1",
    key_env: ["VLLM_API_KEY"],
    start_hint: fault("start_with", { command: "`vllm serve MODEL --enable-auto-tool-choice`" })
  },
  generic: {
    ...hosted,
    name: "generic",
    title: "OpenAI-compatible server",
    key_env: ["OPENAI_API_KEY"],
    key_required: false
  }
} as const satisfies Record<string, Profile>

export type ProfileName = keyof typeof profiles
export const profileNames = Object.keys(profiles) as ReadonlyArray<ProfileName>

/** Settings by name: `CLAW_PROVIDER`, `OPENAI_BASE_URL`, `CLAW_MODEL`, and the keys the profiles name. */
export type Settings = Readonly<Record<string, string | undefined>>

/** How a setting was really given (a flag, a file), for whoever reads of it. */
export type Said = (name: string) => string

export interface Resolved {
  readonly profile: Profile
  readonly base_url: string
  readonly key?: string
  /** The setting the key came from; never the key. */
  readonly key_source?: string
  readonly model?: string
  /** How the profile was chosen, for a person. */
  readonly source: string
}

export interface Unresolved {
  readonly reason: string
}

export const isResolved = (found: Resolved | Unresolved): found is Resolved => "profile" in found

const setting = (settings: Settings, name: string): string | undefined => {
  const value = settings[name]?.trim()
  return value === undefined || value === "" ? undefined : value
}

/** The profile whose host and port a base URL has, else `generic`. */
export const profileOfUrl = (base_url: string): Profile => {
  const host = URL.parse(base_url)?.host.replace("localhost", "127.0.0.1")
  const same = (profile: Profile) => profile.base_url !== undefined && URL.parse(profile.base_url)?.host === host
  return Object.values<Profile>(profiles).find(same) ?? profiles.generic
}

const choose = (
  settings: Settings,
  said: Said
): { readonly profile: Profile; readonly source: string } | Unresolved => {
  const named = setting(settings, "CLAW_PROVIDER")?.toLowerCase()
  if (named !== undefined) {
    const source = said("CLAW_PROVIDER")
    if (Object.hasOwn(profiles, named)) return { profile: profiles[named as ProfileName], source }
    const known = fault("known_providers", { names: profileNames.join(", ") })
    return { reason: `${fault("no_provider", { source, name: named })} ${known}` }
  }
  const base_url = setting(settings, "OPENAI_BASE_URL")
  if (base_url !== undefined) return { profile: profileOfUrl(base_url), source: said("OPENAI_BASE_URL") }
  for (const profile of [profiles.openai, profiles.zhipu]) {
    const key = profile.key_env.find((name) => setting(settings, name) !== undefined)
    if (key !== undefined) return { profile, source: key }
  }
  return { reason: `${fault("no_model_configured")} ${fault("set_one_of", { names: profileNames.join(", ") })}` }
}

const invalidUrl = (text: string): string | undefined => {
  const url = URL.parse(text)
  if (url === null) return `${fault("no_url", { text })} ${fault("url_like", { example: "http://127.0.0.1:11434/v1" })}`
  if (url.protocol !== "http:" && url.protocol !== "https:") return fault("url_scheme")
  if (url.username !== "" || url.password !== "") return fault("url_user")
  return undefined
}

/** OPENAI_API_KEY is sent where the user points it, and to OpenAI; a profile's own key only to that profile. */
const keyOf = (settings: Settings, profile: Profile, own_url: boolean) => {
  const names =
    own_url && !profile.key_env.includes("OPENAI_API_KEY") ? [...profile.key_env, "OPENAI_API_KEY"] : profile.key_env
  const key_source = names.find((name) => setting(settings, name) !== undefined)
  const key = key_source === undefined ? undefined : setting(settings, key_source)
  return key === undefined || key_source === undefined ? {} : { key, key_source }
}

export const resolveProfile = (settings: Settings, said: Said = (name) => name): Resolved | Unresolved => {
  const chosen = choose(settings, said)
  if ("reason" in chosen) return chosen
  const { profile, source } = chosen
  const given = setting(settings, "OPENAI_BASE_URL")
  const base_url = (given ?? profile.base_url)?.replace(/\/+$/, "").replace(/\/(?:chat\/completions|responses)$/, "")
  if (base_url === undefined) return { reason: fault("no_address", { name: profile.name }) }
  const invalid = invalidUrl(base_url)
  if (invalid !== undefined) return { reason: invalid }
  const key = keyOf(settings, profile, given !== undefined)
  if (profile.key_required && key.key === undefined) {
    return { reason: fault("needs_key", { variables: profile.key_env.join(" or "), title: profile.title }) }
  }
  const model = setting(settings, "CLAW_MODEL") ?? profile.default_model
  return { profile, base_url, source, ...key, ...(model === undefined ? {} : { model }) }
}
