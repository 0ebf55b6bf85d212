/**
 * SIGINT, SIGTERM and SIGHUP for a command that ends in its own time: a server drains and then ends with 0.
 * Owns: the contract; the program's main provides the real one. Invariant: the handler is called once; a second signal
 * ends the process at once, whatever the command does.
 */
import { Context, Effect, type Scope } from "effect"

export const Endings = Context.Reference<{
  /** Calls `handler` at the first of these signals, until the scope ends. */
  readonly claim: (handler: () => void) => Effect.Effect<void, never, Scope.Scope>
}>("claw/app/Endings", { defaultValue: () => ({ claim: () => Effect.void }) })
