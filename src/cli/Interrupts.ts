/**
 * SIGINT for whoever wants it instead of the end of the program: a conversation without a screen stops its task.
 * Owns: the contract; the program's main provides the real one. Invariant: one claimant at a time, the newest.
 */
import { Context, Effect, type Scope } from "effect"

export const Interrupts = Context.Reference<{
  /** Calls `handler` at each SIGINT, until the scope ends. */
  readonly claim: (handler: () => void) => Effect.Effect<void, never, Scope.Scope>
}>("claw/cli/Interrupts", { defaultValue: () => ({ claim: () => Effect.void }) })
