/**
 * A session of whose damaged records nobody knows whether they still count (RELIABILITY 3.5). Owns: what is refused.
 * Invariant: everything that would change the session is, with one code; what changes nothing is as ever, and so is
 * the way to take a grant back.
 */
import { Effect } from "effect"
import { RuntimeError } from "./RuntimeError.ts"
import type { SessionRuntime } from "./SessionRuntime.ts"

const refused = Effect.fail(new RuntimeError({ code: "session_damaged" }))
const not = () => refused

export const readOnly = (runtime: SessionRuntime): SessionRuntime => ({
  ...runtime,
  prompt: not,
  unqueue: not,
  interrupt: not,
  answer: not,
  restore: not,
  restoreTo: not,
  clear: refused,
  compact: not,
  setMode: not,
  setModel: not,
  setBudget: not,
  rename: not,
  resumeQueue: refused
})
