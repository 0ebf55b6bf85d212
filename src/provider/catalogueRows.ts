/**
 * What is known of models, as data. Owns: the rows, each with where its figures stand and when they were read there.
 * Invariants: a price stands here only where the vendor names one price that `usage` lets us compute; whoever bills by
 * the hour of the day (DeepSeek), by the length of the prompt (Qwen), in another currency (BigModel), or for writing to
 * its cache (OpenAI from GPT-5.6 on) has none, and its cost is unknown.
 */
import type { ModelPrices } from "../config/ModelSettings.ts"

export interface Row {
  /** `*` at the end: every name that begins so and has no row of its own. */
  readonly id: string
  readonly context_window: number
  readonly output_limit: number
  /** Whose servers have these prices. Elsewhere the same model costs something else. */
  readonly hosts?: ReadonlyArray<string>
  readonly prices?: ModelPrices
  readonly images?: boolean
  readonly reasoning?: boolean
  readonly source: string
  /** Year and month. */
  readonly read: string
}

const price = (input: number, cached_input: number, output: number): { readonly prices: ModelPrices } => ({
  prices: { input, cached_input, output }
})

const openai = {
  hosts: ["api.openai.com", "eu.api.openai.com"],
  source: "developers.openai.com/api/docs/models",
  read: "2026-11"
} as const
const gpt5 = { ...openai, context_window: 400_000, output_limit: 128_000, images: true, reasoning: true } as const
const gpt6 = { ...gpt5, context_window: 1_050_000 } as const
const gpt41 = { ...openai, context_window: 1_047_576, output_limit: 32_768, images: true } as const
/** Older models, whose figures were written down without looking them up again. */
const older = { ...openai, source: "known figures, not looked up", read: "2025-12" } as const
const gpt4o = { ...older, context_window: 128_000, output_limit: 16_384, images: true } as const
const o = { ...older, context_window: 200_000, output_limit: 100_000, images: true, reasoning: true } as const
const zai = {
  hosts: ["api.z.ai"],
  source: "docs.z.ai/guides/overview/pricing",
  read: "2026-11",
  reasoning: true
} as const
const glm46 = { ...zai, context_window: 200_000, output_limit: 128_000 } as const
const glm45 = { ...zai, context_window: 128_000, output_limit: 96_000 } as const
const deepseek = { source: "api-docs.deepseek.com/quick_start/pricing", read: "2026-11", reasoning: true } as const
const kimi = { hosts: ["api.moonshot.ai"], source: "platform.kimi.ai/docs/pricing", read: "2026-11" } as const
const qwen = { source: "huggingface.co/Qwen (model cards)", read: "2025-10" } as const

export const rows: ReadonlyArray<Row> = [
  { id: "gpt-6-sol", ...gpt6 },
  { id: "gpt-6.1-sol", ...gpt6 },
  { id: "gpt-6.2-sol", ...gpt6 },
  { id: "gpt-5", ...gpt5, ...price(1.25, 0.125, 10) },
  { id: "gpt-5-mini", ...gpt5, ...price(0.25, 0.025, 2) },
  { id: "gpt-5-nano", ...gpt5, ...price(0.05, 0.005, 0.4) },
  { id: "gpt-5.4-mini", ...gpt5, ...price(0.75, 0.075, 4.5) },
  { id: "gpt-5*", ...gpt5 },
  { id: "gpt-4.1", ...gpt41, ...price(2, 0.5, 8) },
  { id: "gpt-4.1-mini", ...gpt41, ...price(0.4, 0.1, 1.6) },
  { id: "gpt-4.1-nano", ...gpt41, ...price(0.1, 0.025, 0.4) },
  { id: "gpt-4o", ...gpt4o, ...price(2.5, 1.25, 10) },
  { id: "gpt-4o-mini", ...gpt4o, ...price(0.15, 0.075, 0.6) },
  { id: "o3", ...o, ...price(2, 0.5, 8) },
  { id: "o4-mini", ...o, ...price(1.1, 0.275, 4.4) },
  { id: "glm-4.7", ...glm46, ...price(0.6, 0.11, 2.2) },
  { id: "glm-4.6", ...glm46, ...price(0.6, 0.11, 2.2) },
  { id: "glm-4.5", ...glm45, ...price(0.6, 0.11, 2.2) },
  { id: "glm-4.5-air", ...glm45, ...price(0.2, 0.03, 1.1) },
  { id: "glm-4.5*", ...glm45 },
  { id: "glm-5*", ...glm46 },
  { id: "deepseek-flash", ...deepseek, context_window: 1_000_000, output_limit: 384_000, images: true },
  { id: "deepseek-v4-pro", ...deepseek, context_window: 1_000_000, output_limit: 384_000 },
  { id: "deepseek-chat", ...deepseek, context_window: 128_000, output_limit: 8192, reasoning: false },
  { id: "deepseek-reasoner", ...deepseek, context_window: 128_000, output_limit: 65_536 },
  {
    id: "kimi-k3",
    ...kimi,
    context_window: 1_048_576,
    output_limit: 131_072,
    images: true,
    reasoning: true,
    ...price(3, 0.3, 15)
  },
  { id: "kimi-k2.6", ...kimi, context_window: 262_144, output_limit: 131_072, images: true, reasoning: true },
  { id: "kimi-k2*", ...kimi, context_window: 131_072, output_limit: 32_768 },
  { id: "qwen3-coder*", ...qwen, context_window: 262_144, output_limit: 65_536 }
]
