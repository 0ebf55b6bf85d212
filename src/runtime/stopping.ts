/** What begins while the process drains (SETTLED 1). Owns: that it is asked to stop. Does not own: how it stops. */
import { Effect } from "effect"
import type { Parts } from "./RuntimeFactory.ts"
import type { Drain } from "./tasks.ts"

/** A task that begins while the process drains is one that is asked to stop: no end of its scope cancels it. */
export const stopping = (engine: Parts["engine"], drain: Drain): Parts["engine"] => {
  const told = (input: Parameters<Parts["engine"]["run"]>[0]) => {
    if (drain.draining) input.suspension?.ask()
    return input
  }
  return {
    ...engine,
    run: (input) => Effect.suspend(() => engine.run(told(input))),
    resume: (input, from) => Effect.suspend(() => engine.resume(told(input), from))
  }
}
