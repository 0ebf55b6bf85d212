import type { ProviderError } from "./ProviderError.ts"
export interface RetryPolicy { readonly attempts: number }
export const defaultPolicy: RetryPolicy = { attempts: 3 }
export const next = (_policy: RetryPolicy, _input: { attempt: number; error: ProviderError; elapsed_ms: number; random: number }): number | undefined => undefined
