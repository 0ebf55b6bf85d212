/**
 * Prompts of one principal in a minute (R233): connections and the HTTP API ask here. Does not own: how it is counted
 * (PerPrincipal).
 */
import { Clock, Context, Effect, Layer } from "effect"
import { AppConfig } from "../config/AppConfig.ts"
import type { Principal } from "../domain/Principal.ts"
import * as PerPrincipal from "./PerPrincipal.ts"

export class PromptRate extends Context.Service<
  PromptRate,
  {
    /** Takes one: 0 where it may, else milliseconds until it will. */
    readonly take: (principal: Principal) => Effect.Effect<number>
  }
>()("claw/channel/PromptRate") {}

export const layer = Layer.effect(
  PromptRate,
  Effect.map(AppConfig, ({ limit: { prompts_per_minute: capacity } }) => {
    const take = PerPrincipal.make({ capacity, perMs: capacity / 60_000 })
    return PromptRate.of({ take: (principal) => Effect.map(Clock.currentTimeMillis, (now) => take(principal, now)) })
  })
)
